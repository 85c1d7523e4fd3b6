// How much longer a pass over several tokens takes than over one: what a verification costs.
#include <algorithm>

#include "common/sys/clock.h"
#include "common/sys/sim/filesystem.h"
#include "device-runtime/llm/file/writer.h"
#include "device-runtime/llm/session.h"
#include "tools/bench/split/split.h"

namespace ferry::bench {
namespace {

constexpr int64_t kContext = 128;  // tokens before those that are verified
constexpr int kRounds = 15;        // interleaved; the median counts
constexpr int64_t kTokens[] = {1, 2, 4, 8, 16};

Result<std::shared_ptr<const llm::Model>> WithWeights(const llm::Model& model,
                                                      kernels::WeightType type) {
  sys::SimFileSystem memory;
  FERRY_TRY(llm::WriteModelFile(memory, model, "model.flm", type));
  return llm::Model::Load(memory, "model.flm");
}

Result<double> PassMs(llm::Session& session, int64_t tokens, std::vector<float>& logits) {
  const std::vector<llm::TokenId> ids(static_cast<size_t>(tokens), 1);
  const int64_t length = session.length();
  const int64_t begin_ns = sys::SystemClock().MonotonicNs();
  FERRY_TRY(session.AppendWithLogits(ids, std::span(logits).first(static_cast<size_t>(
                                              tokens * session.model().config().vocabulary))));
  const double ms = static_cast<double>(sys::SystemClock().MonotonicNs() - begin_ns) / 1e6;
  session.Truncate(length);
  return ms;
}

Status Measure(const std::shared_ptr<const llm::Model>& model, const char* weights, int threads,
               std::vector<VerifyCost>* costs) {
  const std::unique_ptr<sys::Parallel> pool = threads > 1 ? sys::StartThreadPool(threads) : nullptr;
  llm::SessionOptions options;
  options.parallel = pool.get();
  options.share_prefixes = false;
  FERRY_ASSIGN_OR_RETURN(const auto session, llm::Session::Create(model, options));
  FERRY_TRY(session->Append(std::vector<llm::TokenId>(kContext, 2)));
  std::vector<float> logits(
      static_cast<size_t>(std::ranges::max(kTokens) * model->config().vocabulary));
  std::vector<std::vector<double>> times(std::size(kTokens));
  for (int round = 0; round < kRounds; ++round) {
    for (size_t i = 0; i < std::size(kTokens); ++i) {
      FERRY_ASSIGN_OR_RETURN(const double ms, PassMs(*session, kTokens[i], logits));
      times[i].push_back(ms);
    }
  }
  double step_ms = 0;
  for (size_t i = 0; i < std::size(kTokens); ++i) {
    std::nth_element(times[i].begin(), times[i].begin() + kRounds / 2, times[i].end());
    const double ms = times[i][kRounds / 2];
    if (i == 0) step_ms = ms;
    costs->push_back({weights, threads, kTokens[i], ms, ms / step_ms});
  }
  return OkStatus();
}

}  // namespace

Result<std::vector<VerifyCost>> MeasureVerifyCosts(const llm::Model& target) {
  static const struct {
    kernels::WeightType type;
    const char* name;
  } kTypes[] = {{kernels::WeightType::kF32, "f32"},
                {kernels::WeightType::kBF16, "bf16"},
                {kernels::WeightType::kI8, "int8"}};
  std::vector<VerifyCost> costs;
  for (const auto& type : kTypes) {
    FERRY_ASSIGN_OR_RETURN(const auto model, WithWeights(target, type.type));
    for (int threads : {1, 2}) FERRY_TRY(Measure(model, type.name, threads, &costs));
  }
  return costs;
}

}  // namespace ferry::bench
