#include "common/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace ferry::internal {

CheckFailure::CheckFailure(const char* file, int line, const char* condition) {
  stream_ << file << ":" << line << ": CHECK(" << condition << ") failed ";
}

CheckFailure::~CheckFailure() {
  const std::string text = stream_.str() + "\n";
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
  std::abort();
}

}  // namespace ferry::internal
