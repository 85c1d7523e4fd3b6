// What is wrong with a command line that does not parse, in words of the commands that there are.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

namespace ferry::cli {

// The command that the words of `app` lead to, as it is typed: "ferry release start".
std::string PathOf(const CLI::App& app);

// The deepest command that the last parsing of `app` came to.
const CLI::App& CommandOf(const CLI::App& app);

// The first word that nothing takes, and the nearest name that something would; nullopt when all
// words are taken. For a parsed `app`, also where parsing failed.
std::optional<std::string> UnknownWord(const CLI::App& app, int argc, const char* const* argv);

}  // namespace ferry::cli
