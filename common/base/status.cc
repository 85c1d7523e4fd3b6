#include "common/base/status.h"

namespace ferry {

Status::Status(Code code, std::string message) {
  if (code == Code::kOk) return;
  state_ = std::make_shared<const State>(State{code, std::move(message)});
}

const std::string& Status::message() const {
  static const std::string empty;
  return state_ ? state_->message : empty;
}

std::string Status::ToString() const {
  if (ok()) return "ok";
  return fmt::format("{}: {}", InfoOf(code()).name, message());
}

Status Status::WithPrefix(std::string_view prefix) const {
  if (ok()) return *this;
  return Status(code(), fmt::format("{}: {}", prefix, message()));
}

}  // namespace ferry
