// The `ferry` command line: the program's entry.
#pragma once

namespace ferry::cli {

inline constexpr char kVersion[] = "0.1.0";

inline constexpr int kExitOk = 0;
inline constexpr int kExitError = 1;  // one line on standard error says what and where
inline constexpr int kExitUsage = 2;  // the command line itself is wrong

// Runs one command. Catches what third-party code throws.
int Main(int argc, const char* const* argv);

}  // namespace ferry::cli
