#include "device-runtime/llm/speculative/drafter.h"

#include <algorithm>

namespace ferry::llm {
namespace {

class ModelDrafter : public Drafter {
 public:
  ModelDrafter(std::unique_ptr<Session> session, Sampler sampler)
      : session_(std::move(session)), sampler_(std::move(sampler)) {}

  Result<TokenId> Propose(std::span<const TokenId> sequence) override {
    const int64_t context = session_->model().config().context;
    if (static_cast<int64_t>(sequence.size()) >= context) {
      return Status::Of(Code::kLimitExceeded, "the draft's context of {} tokens is full", context);
    }
    const std::vector<TokenId>& have = session_->tokens();
    const auto differs =
        std::mismatch(have.begin(), have.end(), sequence.begin(), sequence.end()).first;
    const auto common = static_cast<size_t>(differs - have.begin());
    if (common < have.size()) session_->Truncate(static_cast<int64_t>(common));
    if (common < sequence.size()) FERRY_TRY(session_->Append(sequence.subspan(common)));
    FERRY_ASSIGN_OR_RETURN(const std::span<const float> logits, session_->logits());
    return sampler_.Sample(logits, sequence, sequence.size());
  }

 private:
  std::unique_ptr<Session> session_;
  Sampler sampler_;
};

}  // namespace

Result<std::unique_ptr<Drafter>> MakeModelDrafter(std::shared_ptr<const Model> model,
                                                  std::shared_ptr<KvPool> pool,
                                                  sys::Parallel* parallel,
                                                  const SamplerOptions& sampler, const PrfKey& key,
                                                  std::shared_ptr<const AdapterSet> adapters) {
  const int64_t vocabulary = model->config().vocabulary;
  SessionOptions options;
  options.pool = std::move(pool);
  options.parallel = parallel;
  options.adapters = std::move(adapters);
  FERRY_ASSIGN_OR_RETURN(auto session, Session::Create(std::move(model), options));
  return std::unique_ptr<Drafter>(
      std::make_unique<ModelDrafter>(std::move(session), Sampler(sampler, key, vocabulary)));
}

}  // namespace ferry::llm
