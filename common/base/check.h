// CHECK(condition) << "detail": for our own bugs only; prints and aborts. Outside input never
// reaches one. DCHECK vanishes in release builds.
#pragma once

#include <sstream>
#include <string>

namespace ferry::internal {

// Collects the message of a failed CHECK and aborts when it dies.
class CheckFailure {
 public:
  CheckFailure(const char* file, int line, const char* condition);
  [[noreturn]] ~CheckFailure();
  std::ostream& stream() { return stream_; }

 private:
  std::ostringstream stream_;
};

struct Voidify {
  void operator&(std::ostream&) {}
};

}  // namespace ferry::internal

#define CHECK(condition)                       \
  (condition) ? (void)0                        \
              : ::ferry::internal::Voidify() & \
                    ::ferry::internal::CheckFailure(__FILE__, __LINE__, #condition).stream()

#ifdef NDEBUG
#define DCHECK(condition) CHECK(true || (condition))
#else
#define DCHECK(condition) CHECK(condition)
#endif
