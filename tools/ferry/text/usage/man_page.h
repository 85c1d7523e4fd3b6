// Man pages, made of the commands' own definitions.
#pragma once

#include <string>
#include <vector>

#include "tools/ferry/text/usage/describe.h"

namespace ferry::cli {

// "ferry-release" for a command at the top, "ferry" for the program.
std::string ManPageName(const CLI::App& app);

// The page in roff, section 1, of the program or of a command at the top with those below it.
std::string ManPage(const CLI::App& app);

}  // namespace ferry::cli
