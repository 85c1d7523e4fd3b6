// Subcommands of `ferry keys` beside those in commands/keys.cc.
// ---- key_commands.cc, personal_key.cc, bins.cc
#pragma once

#include "tools/ferry/command.h"

namespace ferry::cli {

void AddKeysRefresh(Commands& commands, CLI::App* group);
void AddKeysSign(Commands& commands, CLI::App* group);
void AddKeysTake(Commands& commands, CLI::App* group);
void AddKeysBins(Commands& commands, CLI::App* group);
void AddKeysPersonal(Commands& commands, CLI::App* group);

}  // namespace ferry::cli
