#include "device-runtime/api/runtime/llm/llm_core.h"

#include "common/base/json.h"
#include "device-runtime/api/runtime/wait.h"

namespace ferry::api {

LlmCore::LlmCore(std::shared_ptr<sys::Parallel> parallel, int64_t kv_bytes)
    : kv_bytes_(kv_bytes),
      parallel_(std::move(parallel)),
      callbacks_(sys::StartThreadExecutor("ferry-tokens")),
      executor_(sys::StartThreadExecutor("ferry-llm")) {}

LlmCore::~LlmCore() {
  Close();
}

void LlmCore::SetConnection(MakeSplitConnection make) {
  RunOn(*executor_, [&] { make_ = std::move(make); });
}

void LlmCore::Close() {
  RunOn(*executor_, [this] {
    closed_ = true;
    make_ = nullptr;
    if (connection_ != nullptr) connection_->line.reset();
    connection_.reset();
  });
}

Result<agent::SplitLine*> LlmCore::Line() {
  if (closed_) return Status(Code::kUnavailable, "the runtime of this session is gone");
  if (connection_ == nullptr && make_) {
    FERRY_ASSIGN_OR_RETURN(connection_, make_(*executor_));
  }
  return connection_ == nullptr ? nullptr : connection_->line.get();
}

Result<std::shared_ptr<llm::KvPool>> LlmCore::PoolOf(
    const std::shared_ptr<const llm::Model>& model) {
  FERRY_TRY(model->CheckContinues());
  std::erase_if(pools_, [](const auto& one) { return one.second.model.expired(); });
  if (const auto known = pools_.find(model.get()); known != pools_.end()) return known->second.pool;
  FERRY_ASSIGN_OR_RETURN(auto pool, model->NewKvPool({.limit_bytes = kv_bytes_}));
  pools_[model.get()] = {model, pool};
  return pool;
}

Json LlmCore::StatusJson() {
  Json out;
  RunOn(*executor_, [&] {
    if (connection_ != nullptr) out = connection_->line->StatusJson();
  });
  return out;
}

}  // namespace ferry::api
