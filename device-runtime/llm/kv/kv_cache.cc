#include "device-runtime/llm/kv/kv_cache.h"

#include <algorithm>
#include <cstring>

#include "common/base/check.h"
#include "common/crypto/hash.h"
#include "common/sys/memory.h"
#include "device-runtime/kernels/attention/page.h"
#include "device-runtime/llm/kv/pages.h"
#include "device-runtime/llm/kv/recurrent_state.h"

namespace ferry::llm {

namespace {

constexpr int64_t kPage = kernels::kPagePositions;
constexpr const char* kKvTypeNames[] = {"f32", "f16", "q8", "q4"};  // of KvType

constexpr int64_t kSpilledLayerShare = 4;  // of a cache's memory, for the layer of a pass

int64_t PagesOf(int64_t positions) {
  return (positions + kPage - 1) / kPage;
}

// Whether the bytes of one layer of a page are a number that can be reckoned with.
bool FitsPage(const KvLayer& layer) {
  int64_t floats;
  return !__builtin_add_overflow(layer.key_dim, layer.value_dim, &floats) &&
         !__builtin_mul_overflow(floats, 4 * kPage, &floats) &&
         !__builtin_mul_overflow(floats, std::max<int64_t>(layer.heads, 1), &floats) &&
         floats < INT64_MAX / kMaxLayers - kPage * kPage;
}

int64_t DefaultLimit(const ModelConfig& config, int64_t page_bytes) {
  const int64_t memory = sys::AvailableMemory() / 2;
  const int64_t pages = PagesOf(config.context) * kDefaultKvContexts;
  int64_t bytes;
  if (__builtin_mul_overflow(pages, page_bytes, &bytes)) bytes = memory;
  return std::max(std::min(bytes, memory), kLeastKvBytes);
}

}  // namespace

const char* KvTypeName(kernels::KvType type) {
  return kKvTypeNames[static_cast<size_t>(type)];
}

Result<kernels::KvType> ParseKvType(std::string_view name) {
  for (size_t i = 0; i < std::size(kKvTypeNames); ++i) {
    if (name == kKvTypeNames[i]) return static_cast<kernels::KvType>(i);
  }
  return Status::Of(Code::kInvalidArgument, "\"{}\" is no type of a KV cache: {}", name,
                    fmt::join(kKvTypeNames, ", "));
}

PrefixScope PrefixScope::Of(std::string_view name) {
  const crypto::Sha256Digest digest = crypto::Sha256(AsBytes(name));
  PrefixScope scope;
  std::memcpy(scope.id.data(), digest.data(), sizeof scope.id);
  return scope;
}

struct KvPool::State {
  // How a model's pages are laid out.
  struct Plan {
    std::vector<kernels::KvLayout> layouts;  // [layers]
    PageShape shape;
    int64_t window = 0;  // the widest; 0: no layer has one
  };

  State(std::span<const KvLayer> of, Plan plan, kernels::KvType t, int64_t memory_bytes,
        KvSpill spill)
      : shapes(of.begin(), of.end()),
        layouts(std::move(plan.layouts)),
        window(plan.window),
        type(t),
        pages(std::move(plan.shape), PagesOf(std::max<int64_t>(0, window - 1)), memory_bytes,
              std::move(spill)) {
    for (const KvLayer& layer : shapes) has_states = has_states || layer.state_floats > 0;
  }

  const std::vector<KvLayer> shapes;
  const std::vector<kernels::KvLayout> layouts;
  const int64_t window;
  const kernels::KvType type;
  bool has_states = false;
  KvPages pages;
};

struct KvSequence::State {
  explicit State(std::shared_ptr<KvPool> owner)
      : pool(std::move(owner)), tables(pool->state_->layouts.size()) {}
  ~State() { pool->state_->pages.Release(&held, 0); }

  uint8_t* Part(const KvPage* page, size_t layer) const {
    return pool->state_->pages.Part(*page, layer);
  }
  const PageShape& shape() const { return pool->state_->pages.shape(); }
  // Whether rows behind may still read the window's part of this page.
  bool HasWindow(int64_t page) const {
    return shape().window > 0 && static_cast<size_t>(page) >= held.window_from;
  }
  void Push(KvPage* page) {
    held.pages.push_back(page);
    AddToTables(page);
  }
  void AddToTables(KvPage* page) {
    for (size_t l = 0; l < tables.size(); ++l) tables[l].push_back(Part(page, l));
  }
  void Replace(size_t at, KvPage* page) {
    held.pages[at] = page;
    for (size_t l = 0; l < tables.size(); ++l) tables[l][at] = Part(page, l);
  }
  void Hold(HeldPages pages) {
    held = std::move(pages);
    for (KvPage* page : held.pages) AddToTables(page);
  }
  void Shrink(size_t count) {
    pool->state_->pages.Release(&held, count);
    for (auto& table : tables) table.resize(count);
  }
  // The first page of which a row at `length` reads windows.
  size_t FirstOfWindow(int64_t length) const {
    return static_cast<size_t>(std::max<int64_t>(0, length - pool->state_->window + 1) / kPage);
  }
  bool Reaches(int64_t length) const {
    return pool->state_->window == 0 || FirstOfWindow(length) >= held.window_from;
  }
  // Parts that no row reads again, unless over kStateReach positions are forgotten.
  void GiveBack() {
    if (pool->state_->window == 0) return;
    const size_t first = FirstOfWindow(length - kStateReach);
    const size_t before = held.window_from;
    if (first <= before) return;
    pool->state_->pages.ReleaseWindow(&held, first);
    for (size_t l = 0; l < tables.size(); ++l) {
      if (!shape().layers[l].window) continue;
      std::fill(tables[l].begin() + static_cast<ptrdiff_t>(before),
                tables[l].begin() + static_cast<ptrdiff_t>(first), nullptr);
    }
  }

  const std::shared_ptr<KvPool> pool;
  HeldPages held;                                   // [at least PagesOf(length)]
  std::vector<std::vector<const uint8_t*>> tables;  // [layers][pages]
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
    FERRY_ASSIGN_OR_RETURN(s.recurrent, RecurrentState::Create(s.pool->state_->shapes));
  }
  s.GiveBack();
  KvPages& pool = s.pool->state_->pages;
  const auto held = static_cast<int64_t>(s.held.pages.size());
  // The page that the next position falls into, when it holds some already.
  const int64_t open = s.length % kPage == 0 ? -1 : s.length / kPage;
  const bool copy =
      more > 0 && open >= 0 && !pool.MakeWritable(s.held.pages[static_cast<size_t>(open)]);
  const int64_t fresh = std::max<int64_t>(0, PagesOf(s.length + more) - held);
  if (fresh == 0 && !copy) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(std::vector<KvPage*> taken, pool.Take(fresh + (copy ? 1 : 0)));
  if (copy) {
    const auto at = static_cast<size_t>(open);
    HeldPages old{{s.held.pages[at]}, 0};
    pool.Copy(*old.pages[0], taken.back());
    s.Replace(at, taken.back());
    pool.Release(&old, 0);
    taken.pop_back();
  }
  for (KvPage* page : taken) s.Push(page);
  return OkStatus();
}

void KvSequence::Truncate(int64_t length) {
  CHECK(length >= 0 && length <= this->length());
  if (state_ == nullptr) return;
  if (length < state_->length && !state_->Reaches(length)) length = 0;
  if (state_->recurrent != nullptr) length = state_->recurrent->Truncate(length);
  state_->length = length;
  state_->Shrink(static_cast<size_t>(PagesOf(length)));
}

Result<KvSequence> KvSequence::Fork(int64_t length) const {
  CHECK(length >= 0 && length <= this->length());
  if (state_ == nullptr) return Status(Code::kFailedPrecondition, "KV sequence of no pool");
  KvSequence fork = state_->pool->NewSequence();
  if (length < state_->length && !state_->Reaches(length)) length = 0;
  if (state_->recurrent != nullptr) {
    FERRY_ASSIGN_OR_RETURN(fork.state_->recurrent, state_->recurrent->Copy());
    length = fork.state_->recurrent->Truncate(length);
  }
  fork.state_->Hold(
      state_->pool->state_->pages.Share(state_->held, static_cast<size_t>(PagesOf(length))));
  fork.state_->length = length;
  return fork;
}

const kernels::KvLayout& KvSequence::layout(int64_t layer) const {
  return state_->pool->state_->layouts[static_cast<size_t>(layer)];
}

const uint8_t* const* KvSequence::pages(int64_t layer) const {
  return state_->tables[static_cast<size_t>(layer)].data();
}

uint8_t* KvSequence::page(int64_t layer, int64_t position) {
  return state_->Part(state_->held.pages[static_cast<size_t>(position / kPage)],
                      static_cast<size_t>(layer));
}

float* KvSequence::row(int64_t layer, int64_t position) {
  const kernels::KvPart& rows = layout(layer).keys;
  DCHECK(rows.type == kernels::KvType::kF32 && !rows.turned);
  return reinterpret_cast<float*>(page(layer, position)) + position % kPage * rows.dim;
}

KvSequence::PageBytes KvSequence::ReadPage(int64_t page) const {
  const State& s = *state_;
  PageBytes read;
  for (size_t l = 0; l < s.shape().layers.size(); ++l) {
    const PageLayer& layer = s.shape().layers[l];
    if (layer.window && !s.HasWindow(page)) continue;
    const uint8_t* const part = s.Part(s.held.pages[static_cast<size_t>(page)], l);
    Bytes& to = layer.window ? read.window : read.bytes;
    to.insert(to.end(), part, part + layer.bytes);
  }
  return read;
}

void KvSequence::WritePage(int64_t page, ByteView bytes, ByteView window) {
  const State& s = *state_;
  DCHECK(bytes.size() == static_cast<size_t>(page_bytes()));
  for (size_t l = 0; l < s.shape().layers.size(); ++l) {
    const PageLayer& layer = s.shape().layers[l];
    ByteView& from = layer.window ? window : bytes;
    if (from.empty()) continue;
    std::copy_n(from.data(), layer.bytes, s.Part(s.held.pages[static_cast<size_t>(page)], l));
    from = from.subspan(static_cast<size_t>(layer.bytes));
  }
}

int64_t KvSequence::page_bytes() const {
  int64_t bytes = 0;
  for (const PageLayer& layer : state_->shape().layers) bytes += layer.window ? 0 : layer.bytes;
  return bytes;
}

int64_t KvSequence::window_bytes(int64_t page) const {
  return state_->HasWindow(page) ? state_->shape().window : 0;
}

void KvSequence::LeaveLayer(int64_t layer) const {
  state_->pool->state_->pages.LeaveLayer(static_cast<size_t>(layer));
}

int64_t KvSequence::window_pages() const {
  return state_->pool->state_->window == 0 ? 0 : state_->pool->state_->pages.window_pages();
}

RecurrentState* KvSequence::recurrent() {
  return state_->recurrent.get();
}

void KvSequence::Advance(int64_t positions) {
  DCHECK(PagesOf(length() + positions) <= static_cast<int64_t>(state_->held.pages.size()));
  state_->length += positions;
  if (state_->recurrent != nullptr) state_->recurrent->Advance(state_->length);
}

KvPool::KvPool(std::unique_ptr<State> state) : state_(std::move(state)) {}
KvPool::~KvPool() = default;

Result<std::shared_ptr<KvPool>> KvPool::Create(const ModelConfig& config, const KvOptions& asked) {
  CHECK(!config.kv.empty());
  KvOptions options = asked;
  if (!options.type) options.type = config.kv_type;
  if (options.spill_folder.empty()) options.spill_folder = config.kv_spill_folder;
  State::Plan plan;
  bool fits = true;
  for (const KvLayer& layer : config.kv) {
    fits = fits && FitsPage(layer);
    if (!fits) break;
    const kernels::KvType type = layer.exact ? kernels::KvType::kF32 : *options.type;
    plan.layouts.push_back(kernels::LayKvPage(type, layer.heads, layer.key_dim, layer.value_dim));
    plan.shape.Add(plan.layouts.back().bytes, layer.window > 0);
    plan.window = std::max(plan.window, layer.window);
  }
  PageShape& shape = plan.shape;
  if (shape.both() == 0) shape.bytes = 1;  // all layers step: pages only count
  if (options.limit_bytes == 0) options.limit_bytes = config.kv_bytes;
  if (options.limit_bytes == 0) options.limit_bytes = DefaultLimit(config, shape.both());
  if (!fits || shape.both() > options.limit_bytes) {
    return Status::Of(Code::kInvalidArgument,
                      "KV cache: the limit of {} bytes is less than one page of {} positions ({} "
                      "bytes)",
                      options.limit_bytes, kPage, fits ? shape.both() : INT64_MAX);
  }
  int64_t memory = options.limit_bytes;
  KvSpill spill;
  if (!options.spill_folder.empty() && shape.LargestLayer() > 0) {
    const int64_t rest = memory / kSpilledLayerShare;
    const int64_t pages =
        std::min(rest / shape.LargestLayer(), PagesOf(config.context) * kDefaultKvContexts);
    if (memory - rest >= shape.both()) {
      memory -= rest;
      spill = KvSpill(shape, options.spill_folder, pages);
    }
  }
  auto state =
      std::make_unique<State>(config.kv, std::move(plan), *options.type, memory, std::move(spill));
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
  KvSequence::State& s = *sequence.state_;
  s.Hold(state_->pages.Find(tokens.first(tokens.size() - 1), scope));
  s.length = static_cast<int64_t>(s.held.pages.size()) * kPage;
  return sequence;
}

void KvPool::Offer(const KvSequence& sequence, std::span<const TokenId> tokens,
                   const PrefixScope& scope) {
  if (sequence.state_ == nullptr || state_->has_states) return;
  KvSequence::State& s = *sequence.state_;
  CHECK(s.pool.get() == this);
  const int64_t known = std::min(s.length, static_cast<int64_t>(tokens.size()));
  if (!state_->pages.Offer(&s.held, static_cast<size_t>(known / kPage), tokens, scope)) return;
  for (size_t i = 0; i < static_cast<size_t>(known / kPage); ++i) s.Replace(i, s.held.pages[i]);
}

KvPool::Stats KvPool::stats() const {
  return state_->pages.stats();
}

bool KvPool::has_states() const {
  return state_->has_states;
}

kernels::KvType KvPool::type() const {
  return state_->type;
}

}  // namespace ferry::llm
