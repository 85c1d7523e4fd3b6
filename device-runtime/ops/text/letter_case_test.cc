#include "device-runtime/ops/text/letter_case.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "device-runtime/ops/library_names.gen.inc"
#include "device-runtime/ops/text/full_match.h"

namespace ferry::ops {
namespace {

#if FERRY_OPS_TEXT

TEST(LetterCaseTest, BeyondAscii) {
  EXPECT_EQ(*ChangeCase("Straße ÄÖ\xff", LetterCase::kUpper), "STRAẞE ÄÖ\xff");
  EXPECT_EQ(*ChangeCase("ÄÖ Z", LetterCase::kLower), "äö z");
}

// Ends with status 0 after what both halves of the folder say without their libraries, in a process
// of its own that has loaded nothing yet.
[[noreturn]] void SayMissingText() {
  ::setenv("FERRY_WITHOUT_LIBRARIES", (std::string(kPcre2Library) + ":" + kUtf8ProcLibrary).c_str(),
           1);
  std::fprintf(stderr, "%s|", FullMatch::Compile("a+").status().ToString().c_str());
  std::fprintf(stderr, "%s|", ChangeCase("Ä", LetterCase::kLower).status().ToString().c_str());
  std::fprintf(stderr, "%s", ChangeCase("ASCII", LetterCase::kLower)->c_str());
  std::exit(0);
}

TEST(LetterCaseDeathTest, AMissingLibraryIsNamedWithItsPackage) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(SayMissingText(), testing::ExitedWithCode(0),
              "unsupported: patterns: the library libpcre2-8.so.* is missing; install Debian's "
              "libpcre2-8-0 .*unsupported: the case of letters beyond ASCII: the library "
              "libutf8proc.so.* is missing; install Debian's libutf8proc2 .*.ascii");
}

#endif

}  // namespace
}  // namespace ferry::ops
