// ferry completion.
#include "tools/ferry/text/usage/completion.h"

#include "common/base/json.h"
#include "tools/ferry/command.h"

namespace ferry::cli {

void AddCompletionCommand(Commands& commands) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* completion = commands.Add(
      nullptr, "completion", "print what makes a shell complete commands, options and names",
      "ferry completion bash > ~/.local/share/bash-completion/completions/ferry\n"
      "  ferry completion zsh > ~/.zfunc/_ferry\n"
      "  ferry completion fish > ~/.config/fish/completions/ferry.fish",
      [shell](const GlobalOptions&) -> Result<Output> {
        Output out;
        FERRY_ASSIGN_OR_RETURN(out.text, CompletionScript(*shell));
        out.exact = true;
        out.json() = {{"shell", *shell}, {"script", out.text}};
        return out;
      });
  completion->add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
}

}  // namespace ferry::cli
