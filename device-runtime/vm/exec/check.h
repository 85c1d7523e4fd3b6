// The VM checks itself in Debug and sanitizer builds: casts (layout.h), the heap (heap/check.h),
// frames and registers (call/check.h). A check that fails is a mistake of the VM, never of a
// script: the program says where, and ends. Elsewhere no check leaves any code. What they ask is
// written so that a test can ask it in every build.
#pragma once

#include <cstdio>
#include <cstdlib>

#if !defined(NDEBUG) || defined(FERRY_SANITIZED)
#define FERRY_VM_CHECKS 1
#else
#define FERRY_VM_CHECKS 0
#endif

namespace ferry::vm {

inline constexpr bool kVmChecks = FERRY_VM_CHECKS != 0;

// A place in the sources. As the default of a parameter, Here() is the place of the call.
struct Site {
  const char* file;
  int line;
  static constexpr Site Here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
};

// Writes where and what to the standard error, as CHECK does, and ends the program. `found` says
// what there is instead, or is "".
[[noreturn, gnu::cold, gnu::noinline]] inline void CheckFailed(Site site, const char* what,
                                                               const char* found = "") {
  std::fprintf(stderr, "%s:%d: CHECK(%s) failed%s%s\n", site.file, site.line, what,
               *found == 0 ? "" : ": ", found);
  std::fflush(stderr);
  std::abort();
}

inline void Require(bool holds, const char* what, Site site = Site::Here()) {
  if (!holds) [[unlikely]]
    CheckFailed(site, what);
}

}  // namespace ferry::vm
