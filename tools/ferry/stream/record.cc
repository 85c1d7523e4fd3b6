// ferry stream record: the events of a device's log as lines.
#include "common/base/json.h"
#include "common/sys/filesystem.h"
#include "tools/ferry/stream/run/event_source.h"
#include "tools/ferry/stream/subcommands.h"

namespace ferry::cli {
namespace {

constexpr size_t kRecordWriteBytes = 1 << 20;

struct RecordRequest {
  EventPlace place;
  std::string out;
  uint64_t from = 0, to = UINT64_MAX;
  int64_t since_ms = INT64_MIN;
};

Result<Output> RecordEvents(const RecordRequest& request) {
  sys::FileSystem& fs = sys::SystemFileSystem();
  FERRY_ASSIGN_OR_RETURN(const auto file, fs.OpenForWrite(request.out, sys::WriteMode::kTruncate));
  std::string text;
  uint64_t events = 0, first = 0, last = 0;
  Status written;
  FERRY_TRY(ForEachEvent(request.place, [&](std::shared_ptr<const event::Event> event) {
    if (event->number > request.to) return false;
    if (event->number < request.from || event->time_ms < request.since_ms) return true;
    if (events++ == 0) first = event->number;
    last = event->number;
    text += WriteJson(event::EventToJson(*event));
    text += '\n';
    if (text.size() < kRecordWriteBytes) return true;
    written = file->Append(AsBytes(text));
    text.clear();
    return written.ok();
  }));
  FERRY_TRY(written);
  FERRY_TRY(file->Append(AsBytes(text)));
  FERRY_TRY(file->Sync());
  FERRY_TRY(file->Close());
  Output out;
  out.json() = {{"events", events}, {"first", first}, {"last", last}, {"file", request.out}};
  out.text = fmt::format("{} events in {}\n", events, request.out);
  return out;
}

}  // namespace

void AddStreamRecord(Commands& commands, CLI::App* stream) {
  const auto request = std::make_shared<RecordRequest>();
  CLI::App* command = commands.Add(
      stream, "record",
      "write the events of a state directory's log to a file, one a line, as `run` and `replay` "
      "take them\n\nThe directory is that of an app or a ferry-device that is not running, of an "
      "app's log, "
      "or of `ferry stream run`.\nAn app's log keeps what is younger than 7 days, up to 64 MiB; "
      "that of a ferry-device is the\nfile of events that it reads.",
      "ferry stream record device-state -o day.jsonl --since 1700000000000",
      [request](const GlobalOptions&) { return RecordEvents(*request); });
  command->add_option("dir", request->place.directory, "state directory")->required();
  command->add_option("--key-file", request->place.key_file, "file with the key that seals it");
  command->add_option("-o,--out", request->out, "file of events")->required();
  command->add_option("--from", request->from, "first number of an event");
  command->add_option("--to", request->to, "last number of an event");
  command->add_option("--since", request->since_ms, "earliest time of an event, in ms");
}

}  // namespace ferry::cli
