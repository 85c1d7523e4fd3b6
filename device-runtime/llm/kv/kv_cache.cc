#include "device-runtime/llm/kv/kv_cache.h"

#include <algorithm>
#include <cstring>

#include "common/base/check.h"
#include "common/crypto/hash.h"
#include "device-runtime/kernels/attention/page.h"
#include "device-runtime/llm/kv/pages.h"

namespace ferry::llm {

namespace {

constexpr int64_t kPage = kernels::kPagePositions;

int64_t PagesOf(int64_t positions) {
  return (positions + kPage - 1) / kPage;
}

}  // namespace

PrefixScope PrefixScope::Of(std::string_view name) {
  const crypto::Sha256Digest digest = crypto::Sha256(AsBytes(name));
  PrefixScope scope;
  std::memcpy(scope.id.data(), digest.data(), sizeof scope.id);
  return scope;
}

struct KvPool::State {
  State(const ModelConfig& config, int64_t layer, int64_t page_bytes, int64_t limit_bytes)
      : layers(config.layers),
        head_dim(config.head_dim),
        value_offset(config.kv_heads * kPage * config.head_dim),
        layer_floats(layer),
        pages(page_bytes, limit_bytes) {}

  const int64_t layers, head_dim;
  const int64_t value_offset;  // floats from a layer's keys to its values
  const int64_t layer_floats;  // of one page
  KvPages pages;
};

struct KvSequence::State {
  explicit State(std::shared_ptr<KvPool> owner)
      : pool(std::move(owner)), tables(static_cast<size_t>(pool->state_->layers)) {}
  ~State() { pool->state_->pages.Release(pages); }

  void Push(KvPage* page) {
    pages.push_back(page);
    for (size_t l = 0; l < tables.size(); ++l) tables[l].push_back(Floats(page, l));
  }
  void Replace(size_t at, KvPage* page) {
    pages[at] = page;
    for (size_t l = 0; l < tables.size(); ++l) tables[l][at] = Floats(page, l);
  }
  void Shrink(size_t count) {
    pool->state_->pages.Release(std::span<KvPage* const>(pages).subspan(count));
    pages.resize(count);
    for (auto& table : tables) table.resize(count);
  }
  const float* Floats(KvPage* page, size_t layer) const {
    return page->floats + static_cast<int64_t>(layer) * pool->state_->layer_floats;
  }
  float* At(int64_t layer, int64_t position) const {
    const KvPool::State& shape = *pool->state_;
    return pages[static_cast<size_t>(position / kPage)]->floats + layer * shape.layer_floats +
           position % kPage * shape.head_dim;
  }

  const std::shared_ptr<KvPool> pool;
  std::vector<KvPage*> pages;                     // [at least PagesOf(length)]
  std::vector<std::vector<const float*>> tables;  // [layers][pages.size()]
  int64_t length = 0;
};

KvSequence::KvSequence() = default;
KvSequence::KvSequence(KvSequence&&) noexcept = default;
KvSequence& KvSequence::operator=(KvSequence&&) noexcept = default;
KvSequence::~KvSequence() = default;

int64_t KvSequence::length() const {
  return state_ == nullptr ? 0 : state_->length;
}

Status KvSequence::Reserve(int64_t more) {
  CHECK(more >= 0);
  if (state_ == nullptr) return Status(Code::kFailedPrecondition, "KV sequence of no pool");
  State& s = *state_;
  KvPages& pool = s.pool->state_->pages;
  const auto held = static_cast<int64_t>(s.pages.size());
  // The page that the next position falls into, when it holds some already.
  const int64_t open = s.length % kPage == 0 ? -1 : s.length / kPage;
  const bool copy = more > 0 && open >= 0 && !pool.MakeWritable(s.pages[static_cast<size_t>(open)]);
  const int64_t fresh = std::max<int64_t>(0, PagesOf(s.length + more) - held);
  if (fresh == 0 && !copy) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(std::vector<KvPage*> taken, pool.Take(fresh + (copy ? 1 : 0)));
  if (copy) {
    const auto at = static_cast<size_t>(open);
    KvPage* old = s.pages[at];
    std::memcpy(taken.back()->floats, old->floats, static_cast<size_t>(pool.stats().page_bytes));
    s.Replace(at, taken.back());
    pool.Release({&old, 1});
    taken.pop_back();
  }
  for (KvPage* page : taken) s.Push(page);
  return OkStatus();
}

void KvSequence::Truncate(int64_t length) {
  CHECK(length >= 0 && length <= this->length());
  if (state_ == nullptr) return;
  state_->length = length;
  state_->Shrink(static_cast<size_t>(PagesOf(length)));
}

Result<KvSequence> KvSequence::Fork(int64_t length) const {
  CHECK(length >= 0 && length <= this->length());
  if (state_ == nullptr) return Status(Code::kFailedPrecondition, "KV sequence of no pool");
  KvSequence fork = state_->pool->NewSequence();
  const auto shared =
      std::span<KvPage* const>(state_->pages).first(static_cast<size_t>(PagesOf(length)));
  state_->pool->state_->pages.Share(shared);
  for (KvPage* page : shared) fork.state_->Push(page);
  fork.state_->length = length;
  return fork;
}

const float* const* KvSequence::pages(int64_t layer) const {
  return state_->tables[static_cast<size_t>(layer)].data();
}

float* KvSequence::key(int64_t layer, int64_t position) {
  return state_->At(layer, position);
}

float* KvSequence::value(int64_t layer, int64_t position) {
  return state_->At(layer, position) + state_->pool->state_->value_offset;
}

void KvSequence::Advance(int64_t positions) {
  DCHECK(PagesOf(length() + positions) <= static_cast<int64_t>(state_->pages.size()));
  state_->length += positions;
}

KvPool::KvPool(std::unique_ptr<State> state) : state_(std::move(state)) {}
KvPool::~KvPool() = default;

Result<std::shared_ptr<KvPool>> KvPool::Create(const ModelConfig& config, int64_t limit_bytes) {
  CHECK(config.layers > 0 && config.kv_heads > 0 && config.head_dim > 0);
  const int64_t factors[] = {config.kv_heads, config.head_dim, config.layers,
                             static_cast<int64_t>(sizeof(float))};
  int64_t page_bytes = 2 * kPage;
  bool fits = true;
  for (int64_t factor : factors) fits &= !__builtin_mul_overflow(page_bytes, factor, &page_bytes);
  if (!fits || page_bytes > limit_bytes) {
    return Status::Of(Code::kInvalidArgument,
                      "KV cache: the limit of {} bytes is less than one page of {} positions ({} "
                      "bytes)",
                      limit_bytes, kPage, fits ? page_bytes : INT64_MAX);
  }
  const int64_t layer_floats = 2 * kPage * config.kv_heads * config.head_dim;
  auto state = std::make_unique<State>(config, layer_floats, page_bytes, limit_bytes);
  return std::shared_ptr<KvPool>(new KvPool(std::move(state)));
}

KvSequence KvPool::NewSequence() {
  KvSequence sequence;
  sequence.state_ = std::make_unique<KvSequence::State>(shared_from_this());
  return sequence;
}

KvSequence KvPool::NewSequence(std::span<const TokenId> tokens, const PrefixScope& scope) {
  KvSequence sequence = NewSequence();
  if (tokens.empty()) return sequence;
  for (KvPage* page : state_->pages.Find(tokens.first(tokens.size() - 1), scope)) {
    sequence.state_->Push(page);
  }
  sequence.state_->length = static_cast<int64_t>(sequence.state_->pages.size()) * kPage;
  return sequence;
}

void KvPool::Offer(const KvSequence& sequence, std::span<const TokenId> tokens,
                   const PrefixScope& scope) {
  if (sequence.state_ == nullptr) return;
  KvSequence::State& s = *sequence.state_;
  CHECK(s.pool.get() == this);
  const int64_t known = std::min(s.length, static_cast<int64_t>(tokens.size()));
  std::vector<KvPage*> full(s.pages.begin(), s.pages.begin() + known / kPage);
  if (!state_->pages.Offer(full, tokens, scope)) return;
  for (size_t i = 0; i < full.size(); ++i) {
    if (full[i] != s.pages[i]) s.Replace(i, full[i]);
  }
}

KvPool::Stats KvPool::stats() const {
  return state_->pages.stats();
}

}  // namespace ferry::llm
