#include <sys/random.h>

#include <cerrno>

#include "common/base/check.h"
#include "common/sys/random.h"

namespace ferry::sys {
namespace {

class PosixRandom : public Random {
 public:
  void Fill(std::span<uint8_t> out) override {
    while (!out.empty()) {
      const ssize_t got = getrandom(out.data(), out.size(), 0);
      if (got < 0) {
        // With no flags and a valid buffer only EINTR is possible; keys must never come from less.
        CHECK(errno == EINTR) << "getrandom: errno " << errno;
        continue;
      }
      out = out.subspan(static_cast<size_t>(got));
    }
  }
};

}  // namespace

Random& SystemRandom() {
  static PosixRandom random;
  return random;
}

}  // namespace ferry::sys
