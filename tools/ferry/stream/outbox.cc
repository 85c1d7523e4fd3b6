// ferry stream outbox: what waits for the cloud.
#include "common/base/json.h"
#include "tools/ferry/stream/run/state_folder.h"
#include "tools/ferry/stream/subcommands.h"

namespace ferry::cli {
namespace {

constexpr size_t kOutboxBatchRecords = 1000, kOutboxBatchBytes = 4 << 20;

Result<Output> ShowOutbox(const std::string& directory, const std::string& key_file) {
  FERRY_ASSIGN_OR_RETURN(const auto outbox, OpenOutboxOf(directory, key_file));
  Output out;
  Json records = Json::array();
  for (uint64_t from = 1;;) {
    FERRY_ASSIGN_OR_RETURN(const store::Outbox::Batch batch,
                           outbox->Read(from, kOutboxBatchRecords, kOutboxBatchBytes));
    if (batch.records.empty()) break;
    for (const store::Record& record : batch.records) {
      out.text += fmt::format("{} {} {}\n", record.stream, record.time_ms, record.json);
      FERRY_ASSIGN_OR_RETURN(Json row, ParseJson(record.json).Context("{}", record.stream));
      records.push_back(
          {{"stream", record.stream}, {"time_ms", record.time_ms}, {"row", std::move(row)}});
    }
    from = batch.first_seq + batch.records.size();
  }
  const store::OutboxStats stats = outbox->stats();
  out.text += fmt::format("{} records wait ({} bytes); {} were refused because it was full\n",
                          stats.waiting, stats.waiting_bytes, stats.refused);
  out.json() = {{"records", std::move(records)},
                {"waiting", stats.waiting},
                {"waiting_bytes", stats.waiting_bytes},
                {"refused", stats.refused}};
  return out;
}

}  // namespace

void AddStreamOutbox(Commands& commands, CLI::App* stream) {
  const auto directory = std::make_shared<std::string>();
  const auto key_file = std::make_shared<std::string>();
  CLI::App* command = commands.Add(
      stream, "outbox", "show the records that wait for the cloud",
      "ferry stream outbox state --json",
      [directory, key_file](const GlobalOptions&) { return ShowOutbox(*directory, *key_file); });
  command
      ->add_option("dir", *directory,
                   "state directory of `ferry stream run` or of a device that is not running")
      ->required();
  command->add_option("--key-file", *key_file, "file with the key that seals it");
}

}  // namespace ferry::cli
