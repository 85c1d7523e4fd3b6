// What may stand where a shell's cursor is.
#pragma once

#include <string>
#include <vector>

#include "common/base/status.h"
#include "tools/ferry/text/usage/describe.h"

namespace ferry::cli {

// The function that a shell ("bash", "zsh", "fish") is to load: it asks `ferry complete` for words.
// kInvalidArgument for another shell.
Result<std::string> CompletionScript(const std::string& shell);

struct Candidate {
  std::string word, what;
};

// Where the names of things come from.
enum class Things { kNone, kDevices, kPackages, kReleases };
using ThingNames = std::function<std::vector<std::string>(Things)>;

// What can stand in place of the last of `words` (which may be empty, and begins what is given),
// the words after "ferry". Empty: a file, or nothing.
std::vector<Candidate> Complete(const CLI::App& top, const std::vector<std::string>& words,
                                const ThingNames& names);

// `ferry complete -- WORD...`: prints candidates, a line each, and a tab before what one is. Names
// of things come from the server, where one is known and answers soon. Gives the exit status.
int PrintCandidates(const CLI::App& top, const std::vector<std::string>& words);

}  // namespace ferry::cli
