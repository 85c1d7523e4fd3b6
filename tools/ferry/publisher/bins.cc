// ferry keys bins: spreads targets over hash bins, of which devices fetch those that they need.
#include <optional>

#include "common/base/json.h"
#include "common/sys/clock.h"
#include "common/trust/time.h"
#include "tools/ferry/publisher/describe.h"
#include "tools/ferry/publisher/documents.h"
#include "tools/ferry/publisher/key_commands.h"
#include "tools/ferry/publisher/publish.h"
#include "tools/ferry/remote/api.h"

namespace ferry::cli {
namespace {

struct BinsOptions {
  std::string directory;
  int bits = 0;
  bool force = false;
};

Result<Output> Spread(const BinsOptions& options, const GlobalOptions& global) {
  FERRY_ASSIGN_OR_RETURN(PublisherDirectory directory, PublisherDirectory::Open(options.directory));
  std::optional<Api> api;
  auto opened = Api::Open(global);
  if (!opened.ok() && opened.code() != Code::kFailedPrecondition) return opened.status();
  if (opened.ok()) {
    api = *std::move(opened);
    FERRY_TRY(SyncTargets(*api, directory));
  }
  const int64_t now_ms = sys::SystemClock().NowUnixMs();
  trust::Targets next;
  next.version = 0;
  if (directory.targets() != nullptr) next = *directory.targets();
  const int before = next.bins ? next.bins->bit_length : 0;
  if (before == options.bits && directory.targets() != nullptr) {
    return DescribeKeys(directory, "they are spread so already. ", now_ms);
  }
  ++next.version;
  next.expires_ms = now_ms + kTargetsDays * trust::kDayMs;
  next.bins.reset();
  if (options.bits > 0) next.bins.emplace().bit_length = options.bits;
  FERRY_ASSIGN_OR_RETURN(const trust::TargetsDocuments documents, directory.SignTargets(next));
  if (api) {
    Json body = BodyOf(documents, true);
    body["force"] = options.force;
    FERRY_TRY(PostTargets(*api, body));
  }
  FERRY_TRY(directory.KeepTargets(documents));
  return DescribeKeys(directory, api ? "" : "now `ferry keys upload`. ", now_ms);
}

}  // namespace

void AddKeysBins(Commands& commands, CLI::App* group) {
  const auto options = std::make_shared<BinsOptions>();
  CLI::App* bins = commands.AddOnline(
      group, "bins",
      "spread targets over hash bins: of many versions, devices fetch those few bins that they "
      "need",
      "ferry keys bins --dir publisher --bits 6",
      [options](const GlobalOptions& global) { return Spread(*options, global); });
  bins->add_option("--dir", options->directory, "the publisher's folder")->required();
  bins->add_option("--bits", options->bits,
                   "2^N bins: 4 for hundreds of versions, 6 for thousands; 0: one document again")
      ->required()
      ->check(CLI::Range(0, trust::kMaxBinBits));
  bins->add_flag(
      "--force", options->force,
      "even if there are devices whose runtime fetches no bins: they are offered nothing "
      "until it is newer");
}

}  // namespace ferry::cli
