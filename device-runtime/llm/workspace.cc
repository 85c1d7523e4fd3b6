#include "device-runtime/llm/workspace.h"

#include <algorithm>

#include "common/base/memory.h"

namespace ferry::llm {
namespace {

int64_t Rounded(int64_t bytes) {
  constexpr auto kLine = static_cast<int64_t>(kDefaultAlignment);
  return (bytes + kLine - 1) / kLine * kLine;
}

// Hands out areas one after another; counts only while `base` is null.
class Cutter {
 public:
  explicit Cutter(uint8_t* base) : base_(base) {}
  template <typename T>
  void Cut(int64_t count, T** area) {
    *area = base_ == nullptr ? nullptr : reinterpret_cast<T*>(base_ + used_);
    used_ += Rounded(count * static_cast<int64_t>(sizeof(T)));
  }
  int64_t used() const { return used_; }

 private:
  uint8_t* base_;
  int64_t used_ = 0;
};

int64_t Lay(const ModelConfig& config, int64_t tokens, uint8_t* base, Workspace* workspace) {
  Cutter cutter(base);
  const WorkspaceShape& shape = config.workspace;
  for (float** area :
       {&workspace->stream, &workspace->normed, &workspace->second, &workspace->added}) {
    cutter.Cut(tokens * shape.hidden, area);
  }
  cutter.Cut(tokens * shape.scratch, &workspace->scratch);
  cutter.Cut(tokens * shape.quantized_bytes, &workspace->quantized);
  cutter.Cut(tokens * shape.angles, &workspace->cosines);
  cutter.Cut(tokens * shape.angles, &workspace->sines);
  cutter.Cut(std::min(tokens, kLogitRows) * shape.vocabulary, &workspace->logits);
  cutter.Cut(std::min(tokens, kLowRankRows) * kMaxAdapterRank, &workspace->low);
  cutter.Cut(tokens, &workspace->gathered);
  cutter.Cut(tokens, &workspace->places);
  cutter.Cut(tokens, &workspace->rows);
  return cutter.used();
}

}  // namespace

Result<Workspace> Workspace::Create(const ModelConfig& config, int64_t tokens) {
  if (tokens < 1 || tokens > kMaxChunkTokens) {
    return Status::Of(Code::kInvalidArgument, "a workspace for {} tokens; 1 to {} can be had",
                      tokens, kMaxChunkTokens);
  }
  Workspace workspace;
  workspace.tokens_ = tokens;
  FERRY_ASSIGN_OR_RETURN(workspace.memory_, tensor::Buffer::Allocate(Bytes(config, tokens)));
  Lay(config, tokens, workspace.memory_.data(), &workspace);
  return workspace;
}

int64_t Workspace::Bytes(const ModelConfig& config, int64_t tokens) {
  Workspace none;
  return Lay(config, tokens, nullptr, &none);
}

}  // namespace ferry::llm
