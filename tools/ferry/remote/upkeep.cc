#include "tools/ferry/remote/upkeep.h"

#include "common/trust/time.h"
#include "tools/ferry/remote/views.h"
#include "tools/ferry/text/table.h"

namespace ferry::cli {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;
constexpr size_t kShownUnused = 20;

// The number below `key`, 0 where a server does not say it.
int64_t Number(const Json& object, std::string_view key) {
  const auto number = object.is_object() ? GetIntOr(object, key, 0) : Result<int64_t>(0);
  return number.ok() ? *number : 0;
}

std::string MiB(const Json& object, std::string_view key) {
  return fmt::format("{:.1f} MiB", static_cast<double>(Number(object, key)) / kMiB);
}

const Json& Member(const Json& object, std::string_view key) {
  static const Json none;
  if (!object.is_object()) return none;
  const auto found = object.find(key);
  return found == object.end() ? none : *found;
}

std::string SizesText(const Json& status) {
  const Json& sizes = Member(status, "sizes");
  if (!sizes.is_object()) return "";
  std::string text = fmt::format("database {} (free {}), its log {}", MiB(sizes, "database"),
                                 MiB(sizes, "free"), MiB(sizes, "log"));
  const Json& content = Member(status, "content");
  if (content.is_object())
    text += fmt::format("; content {} in {} files, {} in {} unused", MiB(content, "bytes"),
                        Number(content, "blobs"), MiB(content, "unused_bytes"),
                        Number(content, "unused_blobs"));
  return text + "\n";
}

std::string StreamsText(const Json& status) {
  Table table({{"STREAM", 40}, {"ROWS", 12, true}, {"DEVICES", 10, true}, {"SIZE", 14, true}});
  for (const Json& stream : Member(status, "streams"))
    table.Add({Field(stream, "stream"), Field(stream, "rows"), Field(stream, "devices"),
               MiB(stream, "bytes")});
  std::string text = table.Text();
  const int64_t refused = Number(status, "refused_records"), losses = Number(status, "losses");
  if (refused + losses > 0)
    text += fmt::format("records refused: {}; losses: {}\n", refused, losses);
  return text;
}

}  // namespace

std::string UpkeepText(const Json& status) {
  std::string text = SizesText(status) + StreamsText(status);
  for (const Json& thing : Member(status, "expires")) {
    const std::string state = Field(thing, "state");
    if (state == "ok") continue;
    text += fmt::format("WARNING: {} {} {}\n", Field(thing, "what"),
                        state == "expired" ? "expired at" : "expires at",
                        trust::FormatTime(Number(thing, "expires_ms")));
  }
  return text;
}

std::string CollectText(const Json& answer) {
  const bool dry = Field(answer, "dry_run") == "true";
  const Json& content = Member(answer, "content");
  std::string text =
      fmt::format("content: {} files, {}; {} files, {}, that no package names; {} {} files, {}\n",
                  Number(content, "blobs"), MiB(content, "bytes"), Number(content, "unused_blobs"),
                  MiB(content, "unused_bytes"), dry ? "would drop" : "dropped",
                  Number(content, "dropped_blobs"), MiB(content, "dropped_bytes"));
  size_t shown = 0;
  Table table({{"CONTENT", 64}, {"BYTES", 14, true}, {"UNUSED SINCE", 20}}, 2);
  for (const Json& each : Member(content, "unused")) {
    if (++shown > kShownUnused) break;
    const int64_t since_ms = Number(each, "since_ms");
    table.Add({Field(each, "sha256"), Field(each, "length"),
               since_ms == 0 ? "now" : trust::FormatTime(since_ms)});
  }
  text += table.Text();
  if (!dry) text += fmt::format("rows dropped: {}\n", Field(answer, "dropped"));
  return text;
}

}  // namespace ferry::cli
