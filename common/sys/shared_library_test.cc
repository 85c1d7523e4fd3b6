#include "common/sys/shared_library.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <thread>
#include <vector>

namespace ferry::sys {
namespace {

#define FERRY_ROOTS(F) F(cbrt) F(sqrt)
FERRY_LIBRARY_TABLE(Roots, FERRY_ROOTS)

Result<Roots> Load() {
  return LoadTable<Roots>({"libferry-nowhere.so.9", "libm.so.6"}, "libc6");
}

TEST(SharedLibraryTest, TheFirstThatIsThereGivesItsFunctions) {
  auto functions = Load();
  ASSERT_TRUE(functions.ok()) << functions.status().ToString();
  EXPECT_DOUBLE_EQ(functions->cbrt(27.0), 3.0);
  EXPECT_EQ(functions->sqrt(9.0), 3.0);
}

TEST(SharedLibraryTest, AMissingOneNamesFileAndPackage) {
  auto library =
      SharedLibrary::Open({"libferry-nowhere.so.9", "libferry-nowhere.so.8"}, "libnowhere9");
  ASSERT_FALSE(library.ok());
  EXPECT_EQ(library.code(), Code::kUnsupported);
  const std::string& text = library.status().message();
  EXPECT_TRUE(text.starts_with(
      "the library libferry-nowhere.so.9 is missing; install Debian's libnowhere9 ("))
      << text;
  EXPECT_NE(text.find("libferry-nowhere.so.9: cannot open shared object file"), text.npos) << text;
  EXPECT_FALSE(SharedLibrary::Open({}, "none").ok());
}

TEST(SharedLibraryTest, AMissingFunctionNamesTheLibrary) {
  auto library = SharedLibrary::Open({"libm.so.6"}, "libc6");
  ASSERT_TRUE(library.ok());
  EXPECT_EQ(library->Find("ferry_no_such_function").status().message(),
            "the library libm.so.6 has no ferry_no_such_function: it is another version");
}

TEST(SharedLibraryTest, NamesOfTheEnvironmentAreLeftOut) {
  ::setenv("FERRY_WITHOUT_LIBRARIES", "libz.so.1:libm.so.6", 1);
  auto hidden = SharedLibrary::Open({"libm.so.6"}, "libc6");
  ::setenv("FERRY_WITHOUT_LIBRARIES", "libm.so.66:ibm.so.6", 1);
  auto found = SharedLibrary::Open({"libm.so.6"}, "libc6");
  ::unsetenv("FERRY_WITHOUT_LIBRARIES");
  EXPECT_EQ(hidden.status().message(),
            "the library libm.so.6 is missing; install Debian's libc6 (left out by "
            "FERRY_WITHOUT_LIBRARIES)");
  EXPECT_TRUE(found.ok());
}

TEST(SharedLibraryTest, ManyThreadsAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([] {
      for (int round = 0; round < 50; ++round) EXPECT_TRUE(Load().ok());
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace ferry::sys
