// ferry llm: what is done with language models themselves.
#include "tools/ferry/llm/split.h"
#include "tools/ferry/llm/subcommands.h"

namespace ferry::cli {

void AddLlmCommand(Commands& commands) {
  CLI::App* llm = commands.Group("llm", "import, run and measure language models");
  AddLlmBench(commands, llm);
  AddLlmDescribe(commands, llm);
  AddLlmGenerate(commands, llm);
  AddLlmImport(commands, llm);
  AddLlmLogits(commands, llm);
  AddLlmPpl(commands, llm);
  AddLlmSplit(commands, llm);
}

}  // namespace ferry::cli
