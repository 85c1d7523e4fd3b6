#include "device-runtime/llm/kv/kv_cache.h"

#include <algorithm>
#include <cstring>

#include "common/base/check.h"
#include "common/crypto/hash.h"
#include "device-runtime/kernels/attention/page.h"
#include "device-runtime/llm/kv/pages.h"
#include "device-runtime/llm/kv/recurrent_state.h"

namespace ferry::llm {

namespace {

constexpr int64_t kPage = kernels::kPagePositions;

int64_t PagesOf(int64_t positions) {
  return (positions + kPage - 1) / kPage;
}

// Of one layer of a page; false when there is no such number.
bool PageFloats(const KvLayer& layer, int64_t* floats) {
  int64_t dims;
  return !__builtin_add_overflow(layer.key_dim, layer.value_dim, &dims) &&
         !__builtin_mul_overflow(dims, kPage, floats) &&
         !__builtin_mul_overflow(*floats, layer.heads, floats);
}

}  // namespace

PrefixScope PrefixScope::Of(std::string_view name) {
  const crypto::Sha256Digest digest = crypto::Sha256(AsBytes(name));
  PrefixScope scope;
  std::memcpy(scope.id.data(), digest.data(), sizeof scope.id);
  return scope;
}

struct KvPool::State {
  State(std::vector<KvLayer> l, std::vector<int64_t> b, int64_t page_bytes, int64_t limit_bytes)
      : layers(std::move(l)), begins(std::move(b)), pages(page_bytes, limit_bytes) {
    for (const KvLayer& layer : layers) has_states = has_states || layer.state_floats > 0;
  }

  const std::vector<KvLayer> layers;
  const std::vector<int64_t> begins;  // of layers in a page, in floats
  bool has_states = false;
  KvPages pages;
};

struct KvSequence::State {
  explicit State(std::shared_ptr<KvPool> owner)
      : pool(std::move(owner)), tables(pool->state_->layers.size()) {}
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
    return page->floats + pool->state_->begins[layer];
  }
  float* Page(int64_t layer, int64_t position) const {
    return pages[static_cast<size_t>(position / kPage)]->floats +
           pool->state_->begins[static_cast<size_t>(layer)];
  }
  const KvLayer& Shape(int64_t layer) const {
    return pool->state_->layers[static_cast<size_t>(layer)];
  }

  const std::shared_ptr<KvPool> pool;
  std::vector<KvPage*> pages;                     // [at least PagesOf(length)]
  std::vector<std::vector<const float*>> tables;  // [layers][pages.size()]
  int64_t length = 0;
  std::unique_ptr<RecurrentState> recurrent;  // once something is reserved, if layers have states
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
  if (s.pool->state_->has_states && s.recurrent == nullptr) {
    FERRY_ASSIGN_OR_RETURN(s.recurrent, RecurrentState::Create(s.pool->state_->layers));
  }
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
  if (state_->recurrent != nullptr) length = state_->recurrent->Truncate(length);
  state_->length = length;
  state_->Shrink(static_cast<size_t>(PagesOf(length)));
}

Result<KvSequence> KvSequence::Fork(int64_t length) const {
  CHECK(length >= 0 && length <= this->length());
  if (state_ == nullptr) return Status(Code::kFailedPrecondition, "KV sequence of no pool");
  KvSequence fork = state_->pool->NewSequence();
  if (state_->recurrent != nullptr) {
    FERRY_ASSIGN_OR_RETURN(fork.state_->recurrent, state_->recurrent->Copy());
    length = fork.state_->recurrent->Truncate(length);
  }
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
  return state_->Page(layer, position) + position % kPage * state_->Shape(layer).key_dim;
}

float* KvSequence::value(int64_t layer, int64_t position) {
  const KvLayer& shape = state_->Shape(layer);
  return state_->Page(layer, position) + shape.heads * kPage * shape.key_dim +
         position % kPage * shape.value_dim;
}

RecurrentState* KvSequence::recurrent() {
  return state_->recurrent.get();
}

void KvSequence::Advance(int64_t positions) {
  DCHECK(PagesOf(length() + positions) <= static_cast<int64_t>(state_->pages.size()));
  state_->length += positions;
  if (state_->recurrent != nullptr) state_->recurrent->Advance(state_->length);
}

KvPool::KvPool(std::unique_ptr<State> state) : state_(std::move(state)) {}
KvPool::~KvPool() = default;

Result<std::shared_ptr<KvPool>> KvPool::Create(const ModelConfig& config, int64_t limit_bytes) {
  CHECK(!config.kv.empty());
  constexpr auto kFloatBytes = static_cast<int64_t>(sizeof(float));
  std::vector<int64_t> begins;
  int64_t floats = 0;
  bool fits = true;
  for (const KvLayer& layer : config.kv) {
    begins.push_back(floats);
    int64_t own = 0;
    fits = fits && PageFloats(layer, &own) && !__builtin_add_overflow(floats, own, &floats);
  }
  int64_t page_bytes = 0;
  fits = fits && !__builtin_mul_overflow(std::max<int64_t>(floats, 1), kFloatBytes, &page_bytes);
  if (!fits || page_bytes > limit_bytes) {
    return Status::Of(Code::kInvalidArgument,
                      "KV cache: the limit of {} bytes is less than one page of {} positions ({} "
                      "bytes)",
                      limit_bytes, kPage, fits ? page_bytes : INT64_MAX);
  }
  auto state = std::make_unique<State>(config.kv, std::move(begins), page_bytes, limit_bytes);
  return std::shared_ptr<KvPool>(new KvPool(std::move(state)));
}

KvSequence KvPool::NewSequence() {
  KvSequence sequence;
  sequence.state_ = std::make_unique<KvSequence::State>(shared_from_this());
  return sequence;
}

KvSequence KvPool::NewSequence(std::span<const TokenId> tokens, const PrefixScope& scope) {
  KvSequence sequence = NewSequence();
  if (tokens.empty() || state_->has_states) return sequence;
  for (KvPage* page : state_->pages.Find(tokens.first(tokens.size() - 1), scope)) {
    sequence.state_->Push(page);
  }
  sequence.state_->length = static_cast<int64_t>(sequence.state_->pages.size()) * kPage;
  return sequence;
}

void KvPool::Offer(const KvSequence& sequence, std::span<const TokenId> tokens,
                   const PrefixScope& scope) {
  if (sequence.state_ == nullptr || state_->has_states) return;
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
