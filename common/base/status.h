// Status and Result<T>: how every function of Ferry reports failure. Nothing here throws. Source:
// the usual shape of Status types (LevelDB, Abseil).
//
//   Result<Bytes> Load(...) {
//     FERRY_ASSIGN_OR_RETURN(Bytes raw, ReadFile(fs, path));      // passes the error on
//     FERRY_TRY(Verify(raw).Context("manifest of {}", package));  // one line of context a layer
//     return raw;
//   }
#pragma once

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "common/base/check.h"
#include "common/base/errors.h"

namespace ferry {

// Success, or a code with a message. A success is one null pointer; copies share the message. Any
// thread may read; one thread at a time may assign.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message);

  template <typename... A>
  static Status Of(Code code, fmt::format_string<A...> format, A&&... args) {
    return Status(code, fmt::format(format, std::forward<A>(args)...));
  }

  bool ok() const { return state_ == nullptr; }
  Code code() const { return state_ ? state_->code : Code::kOk; }
  // The contexts, outermost first, joined by ": ", then the innermost message. Empty for success.
  const std::string& message() const;
  // "disk_full: installing digits 2: ..." for logs and people; "ok" for success.
  std::string ToString() const;

  // Puts "<text>: " before the message of a failure; a success stays one.
  template <typename... A>
  Status Context(fmt::format_string<A...> format, A&&... args) const {
    return ok() ? *this : WithPrefix(fmt::format(format, std::forward<A>(args)...));
  }
  Status WithPrefix(std::string_view prefix) const;

 private:
  struct State {
    Code code;
    std::string message;
  };
  std::shared_ptr<const State> state_;
};

inline Status OkStatus() {
  return Status();
}

// A T or the Status that explains why there is none. A Result of a success Status without value is
// a bug (CHECK).
template <typename T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result(T value) : value_(std::move(value)) {}  // NOLINT: implicit on purpose
  Result(Status status) : status_(std::move(status)) { CHECK(!status_.ok()); }  // NOLINT
  template <typename U>
  requires(std::is_convertible_v<U&&, T> && !std::is_same_v<std::remove_cvref_t<U>, T> &&
           !std::is_same_v<std::remove_cvref_t<U>, Status> &&
           !std::is_same_v<std::remove_cvref_t<U>, Result>) Result(U&& value)  // NOLINT: as above
      : value_(std::forward<U>(value)) {}

  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Status& status() const { return status_; }
  Code code() const { return status_.code(); }

  // The value; CHECKs that there is one.
  T& value() & {
    CHECK(ok()) << status_.ToString();
    return *value_;
  }
  const T& value() const& {
    CHECK(ok()) << status_.ToString();
    return *value_;
  }
  T&& value() && {
    CHECK(ok()) << status_.ToString();
    return std::move(*value_);
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T value_or(T other) const { return ok() ? *value_ : std::move(other); }

  template <typename... A>
  Result Context(fmt::format_string<A...> format, A&&... args) && {
    if (ok()) return std::move(*this);
    return Result(status_.WithPrefix(fmt::format(format, std::forward<A>(args)...)));
  }

 private:
  Status status_;
  std::optional<T> value_;
};

inline const Status& AsStatus(const Status& status) {
  return status;
}
template <typename T>
const Status& AsStatus(const Result<T>& result) {
  return result.status();
}

}  // namespace ferry

#define FERRY_CONCAT_INNER(a, b) a##b
#define FERRY_CONCAT(a, b) FERRY_CONCAT_INNER(a, b)

// Returns from the enclosing function with the error of `expression` (a Status or a Result), if it
// has one.
#define FERRY_TRY(expression)                                              \
  do {                                                                     \
    if (auto ferry_try = (expression); !::ferry::AsStatus(ferry_try).ok()) \
      return ::ferry::AsStatus(ferry_try);                                 \
  } while (0)

// FERRY_ASSIGN_OR_RETURN(auto x, F()): x = the value of F(), or returns F()'s error.
#define FERRY_ASSIGN_OR_RETURN(target, expression) \
  FERRY_ASSIGN_OR_RETURN_INNER(FERRY_CONCAT(ferry_result_, __COUNTER__), target, expression)
#define FERRY_ASSIGN_OR_RETURN_INNER(temporary, target, expression) \
  auto temporary = (expression);                                    \
  if (!temporary.ok()) return temporary.status();                   \
  target = std::move(temporary).value()
