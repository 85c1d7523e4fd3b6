#include "tools/splitsim/splitsim.h"

#include <algorithm>
#include <optional>

#include "cloud-server/verify/verify.h"
#include "common/sys/clock.h"
#include "common/sys/sim/world.h"
#include "device-runtime/llm/session.h"

namespace ferry::splitsim {
namespace {

constexpr double kNsPerMs = 1e6;
constexpr char kTargetName[] = "target";

// Charges what a step of the world has computed so far. One step is one task: a draft token, or a
// pass of the target.
class Meter {
 public:
  explicit Meter(const Simulation& simulation) : simulation_(simulation) {}

  void BeginStep() { step_ns_ = sys::SystemClock().MonotonicNs(); }
  double Draft() {
    const double ms = Computed() + simulation_.draft_ms;
    draft_ms_ += ms;
    ++drafts_;
    return ms;
  }
  double Pass(int64_t tokens) {
    const double ms = Computed() + simulation_.target_ms;
    tokens_ += tokens;
    // The first passes read the prompt.
    if (++passes_ > 1) target_ms_ += ms;
    return ms;
  }
  void Report(Simulated* out) const {
    out->target_passes = passes_;
    out->target_tokens = tokens_;
    if (drafts_ > 0) out->draft_ms_mean = draft_ms_ / static_cast<double>(drafts_);
    if (passes_ > 1) out->target_ms_mean = target_ms_ / static_cast<double>(passes_ - 1);
  }

 private:
  double Computed() const {
    if (!simulation_.charge_computation) return 0;
    return static_cast<double>(sys::SystemClock().MonotonicNs() - step_ns_) / kNsPerMs;
  }

  const Simulation& simulation_;
  int64_t step_ns_ = 0;
  int64_t drafts_ = 0, passes_ = 0, tokens_ = 0;
  double draft_ms_ = 0, target_ms_ = 0;
};

class Oracle : public llm::Drafter {
 public:
  Oracle(std::vector<llm::TokenId> truth, double acceptance, int64_t vocabulary, uint64_t seed)
      : truth_(std::move(truth)), vocabulary_(vocabulary) {
    sys::SeededRandom random(seed);
    for (size_t i = 0; i < truth_.size(); ++i) right_.push_back(random.NextDouble() < acceptance);
  }

  Result<llm::TokenId> Propose(std::span<const llm::TokenId> sequence) override {
    const size_t at = sequence.size();
    if (at >= truth_.size()) return llm::TokenId{0};
    if (right_[at]) return truth_[at];
    return static_cast<llm::TokenId>((truth_[at] + 1) % vocabulary_);
  }

 private:
  const std::vector<llm::TokenId> truth_;
  const int64_t vocabulary_;
  std::vector<bool> right_;
};

struct Seen {
  std::vector<llm::TokenId> ids;
  size_t first_count = 0;
  int64_t first_ns = 0, last_ns = 0;
  std::optional<Result<llm::FinishReason>> end;
};

Status RunWorld(const Simulation& simulation, sys::SimWorld& world, Meter& meter, Seen& seen,
                llm::SplitSession& session) {
  FERRY_TRY(session.Start(simulation.prompt));
  const bool ended = world.RunUntil(
      [&] {
        meter.BeginStep();
        return seen.end.has_value();
      },
      simulation.limit_ms);
  if (!ended) return Status(Code::kDeadlineExceeded, "the simulated session did not end");
  return seen.end->status();
}

}  // namespace

Result<Simulated> Run(const Simulation& simulation) {
  sys::SimWorld world(simulation.seed);
  const std::unique_ptr<sys::Executor> device = world.MakeExecutor();
  const std::unique_ptr<sys::Executor> server = world.MakeExecutor();
  llm::SimLink link(*device, *server, world.random(), simulation.link);
  Meter meter(simulation);

  server::VerifyOptions verify;
  verify.executor = server.get();
  verify.clock = &world.clock();
  verify.parallel = simulation.target_parallel;
  verify.limits.tokens_per_minute = int64_t{1} << 40;
  verify.ping_ms = 0;
  verify.extra_cost_ms = [&](int64_t tokens, int64_t) { return meter.Pass(tokens); };
  server::Verifier verifier(verify);
  FERRY_TRY(verifier.SetTarget({kTargetName, "1", simulation.target, simulation.kv_bytes}));
  verifier.Accept(link.MakeServerEnd(), "device");

  llm::SplitParts parts;
  parts.executor = device.get();
  parts.clock = &world.clock();
  parts.random = &world.random();
  parts.parallel = simulation.draft_parallel;
  parts.link = &link.device();
  parts.drafter = simulation.drafter;
  llm::SplitOptions options = simulation.options;
  options.draft_cost_ms = [&] { return meter.Draft(); };
  const int64_t start_ns = world.clock().MonotonicNs();
  Seen seen;
  llm::SplitEvents events;
  events.on_tokens = [&](std::span<const llm::TokenId> ids, llm::TokenSource) {
    seen.last_ns = world.clock().MonotonicNs();
    if (seen.ids.empty()) {
      seen.first_ns = seen.last_ns;
      seen.first_count = ids.size();
    }
    seen.ids.insert(seen.ids.end(), ids.begin(), ids.end());
  };
  events.on_end = [&](Result<llm::FinishReason> end) { seen.end = std::move(end); };
  FERRY_ASSIGN_OR_RETURN(
      const auto session,
      llm::SplitSession::Create(simulation.draft, nullptr, parts, options, std::move(events)));
  FERRY_TRY(RunWorld(simulation, world, meter, seen, *session));

  Simulated out;
  out.ids = seen.ids;
  out.reason = **seen.end;
  out.stats = session->stats();
  meter.Report(&out);
  out.virtual_s = static_cast<double>(seen.last_ns - start_ns) / 1e9;
  out.first_token_s = static_cast<double>(seen.first_ns - start_ns) / 1e9;
  if (seen.last_ns > seen.first_ns) {
    out.tokens_per_s = static_cast<double>(seen.ids.size() - seen.first_count) * 1e9 /
                       static_cast<double>(seen.last_ns - seen.first_ns);
  } else if (seen.last_ns > start_ns) {
    out.tokens_per_s = static_cast<double>(seen.ids.size()) / out.virtual_s;
  }
  return out;
}

Result<std::vector<llm::TokenId>> CloudOnly(const Simulation& simulation) {
  llm::SessionOptions options;
  options.kv.limit_bytes = simulation.kv_bytes;
  options.parallel = simulation.target_parallel;
  options.share_prefixes = false;
  FERRY_ASSIGN_OR_RETURN(const auto session, llm::Session::Create(simulation.target, options));
  FERRY_TRY(session->Append(simulation.prompt));
  llm::Sampler sampler(simulation.options.sampler, simulation.options.key,
                       simulation.target->config().vocabulary);
  llm::GenerateOptions generate;
  generate.max_new = simulation.options.max_new;
  generate.stop_at_end_token = simulation.options.stop_at_end_token;
  FERRY_ASSIGN_OR_RETURN(llm::Generated generated, llm::Generate(*session, sampler, generate));
  return std::move(generated.ids);
}

std::unique_ptr<llm::Drafter> MakeOracle(std::vector<llm::TokenId> truth, double acceptance,
                                         int64_t vocabulary, uint64_t seed) {
  return std::make_unique<Oracle>(std::move(truth), acceptance, vocabulary, seed);
}

}  // namespace ferry::splitsim
