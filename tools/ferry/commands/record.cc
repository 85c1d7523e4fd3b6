// ferry record: rows that devices sent up.
#include "tools/ferry/command.h"
#include "tools/ferry/remote/api.h"
#include "tools/ferry/remote/ids.h"
#include "tools/ferry/remote/views.h"
#include "tools/ferry/text/table.h"

namespace ferry::cli {
namespace {

constexpr int64_t kMostShownRows = 1'000'000;
constexpr int64_t kRowsOfPage = 500;

struct RecordOptions {
  std::string stream, device;
  int64_t limit = 100;
};

Result<Output> ListStreams(const RecordOptions&, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Get("/streams"));
  FERRY_ASSIGN_OR_RETURN(const Json* streams, GetArray(answer, "streams"));
  Table table({{"STREAM", 40}, {"DEVICE", kIdColumns}, {"ROWS", 14, true}});
  for (const Json& stream : *streams)
    table.Add({Field(stream, "stream"), Field(stream, "device"), Field(stream, "rows")});
  return Output{std::move(answer), table.TextOr("no rows yet")};
}

// Follows the pages as far as rows are wanted.
Result<Output> ShowRows(const RecordOptions& options, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(const std::string device, DeviceId(api, options.device));
  const std::string of = device.empty() ? "" : "&device=" + PathPart(device);
  Json rows = Json::array();
  Table table({{"DEVICE", kIdColumns}, {"SEQ", 12, true}, {"TIME", 20}, {"ROW", kWordsColumns}});
  int64_t after = 0;
  while (static_cast<int64_t>(rows.size()) < options.limit) {
    const int64_t most = std::min(kRowsOfPage, options.limit - static_cast<int64_t>(rows.size()));
    FERRY_ASSIGN_OR_RETURN(const Json page,
                           api.Get(fmt::format("/streams/{}?after={}&limit={}{}",
                                               PathPart(options.stream), after, most, of)));
    FERRY_ASSIGN_OR_RETURN(const Json* found, GetArray(page, "rows"));
    for (const Json& row : *found) {
      table.Add(
          {Field(row, "device"), Field(row, "seq"), TimeField(row, "time_ms"), Field(row, "data")});
      rows.push_back(row);
    }
    FERRY_ASSIGN_OR_RETURN(const int64_t next, GetIntOr(page, "next", after));
    if (found->empty() || next <= after) break;
    after = next;
  }
  return Output{Json{{"rows", std::move(rows)}, {"next", after}}, table.TextOr("no rows yet")};
}

}  // namespace

void AddRecordCommand(Commands& commands) {
  const auto options = std::make_shared<RecordOptions>();
  CLI::App* group = commands.Group("record", "rows that devices sent up");
  const auto add = [&](const char* name, const char* what, const char* example,
                       Result<Output> (*run)(const RecordOptions&, const Api&)) {
    return commands.AddOnline(group, name, what, example,
                              [options, run](const GlobalOptions& global) -> Result<Output> {
                                FERRY_ASSIGN_OR_RETURN(const Api api, Api::Open(global));
                                return run(*options, api);
                              });
  };
  add("list", "streams, and how many rows each device sent", "ferry record list", ListStreams);
  CLI::App* show = add("show", "rows of one stream, the oldest first",
                       "ferry record show digits.result --device 3f2a", ShowRows);
  show->add_option("stream", options->stream, "the stream")->required();
  show->add_option("--device", options->device, "only this device's");
  show->add_option("--limit", options->limit, "at most so many rows")
      ->check(CLI::Range(int64_t{1}, kMostShownRows))
      ->capture_default_str();
}

}  // namespace ferry::cli
