// ferry stream: rules, streams and recorded events on the author's machine.
#include "tools/ferry/stream/subcommands.h"

namespace ferry::cli {

void AddStreamCommand(Commands& commands) {
  CLI::App* stream = commands.Group(
      "stream", "check, run and explain rules and streams; record and replay events");
  AddStreamCheck(commands, stream);
  AddStreamRun(commands, stream);
  AddStreamRecord(commands, stream);
  AddStreamReplay(commands, stream);
  AddStreamExplain(commands, stream);
  AddStreamTop(commands, stream);
  AddStreamOutbox(commands, stream);
}

}  // namespace ferry::cli
