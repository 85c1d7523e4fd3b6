#include "device-runtime/llm/kv/pages.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "common/base/check.h"
#include "common/base/memory.h"

namespace ferry::llm {
namespace {

constexpr int64_t kPositions = kernels::kPagePositions;

PageContent ContentAt(std::span<const TokenId> tokens, size_t page, const PrefixScope& scope,
                      uint64_t before) {
  PageContent content{.scope = scope, .before = before};
  std::copy_n(tokens.begin() + static_cast<ptrdiff_t>(page) * kPositions, kPositions,
              content.tokens.begin());
  return content;
}

}  // namespace

size_t PageContentHash::operator()(const PageContent& content) const {
  uint64_t hash = content.before ^ content.scope.id[0];
  for (TokenId token : content.tokens) {
    hash = (hash ^ static_cast<uint32_t>(token)) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  }
  return hash;
}

KvPages::KvPages(PageShape shape, int64_t window_pages, int64_t memory_bytes, KvSpill spill)
    : shape_(std::move(shape)),
      window_pages_(window_pages),
      memory_bytes_(memory_bytes),
      spill_(std::move(spill)) {}

KvPages::~KvPages() {
  CHECK(used_bytes_ == 0);
  while (GiveUpOldest()) {
  }
}

Result<std::vector<KvPage*>> KvPages::Take(int64_t count) {
  std::lock_guard lock(mutex_);
  std::vector<KvPage*> pages;
  // Nothing that is kept is given up for a demand that the limit refuses anyway.
  const int64_t page_bytes = shape_.both();
  const bool fits = count <= (limit_bytes() - used_bytes_) / page_bytes;
  while (fits && static_cast<int64_t>(pages.size()) < count) {
    KvPage* page = Allocate();
    if (page != nullptr) {
      pages.push_back(page);
    } else if (!GiveUpOldest()) {
      break;
    }
  }
  if (static_cast<int64_t>(pages.size()) == count) return pages;
  for (KvPage* page : pages) {
    UnreferenceWindow(page);
    Unreference(page);
  }
  if (!fits) {
    return Status::Of(Code::kOutOfMemory,
                      "KV cache: {} bytes more are needed, {} of its limit of {} are in use",
                      count * page_bytes, used_bytes_, limit_bytes());
  }
  return Status::Of(
      Code::kOutOfMemory,
      "KV cache: the machine has no {} bytes more; {} of its limit of {} are in use{}",
      count * page_bytes, used_bytes_, limit_bytes(), spill_.Trouble());
}

HeldPages KvPages::Share(const HeldPages& held, size_t count) {
  std::lock_guard lock(mutex_);
  HeldPages shared;
  shared.pages.assign(held.pages.begin(), held.pages.begin() + static_cast<ptrdiff_t>(count));
  shared.window_from = std::min(held.window_from, count);
  for (size_t i = 0; i < count; ++i) {
    Reference(shared.pages[i]);
    if (i >= shared.window_from) ReferenceWindow(shared.pages[i]);
  }
  return shared;
}

void KvPages::Release(HeldPages* held, size_t count) {
  std::lock_guard lock(mutex_);
  for (size_t i = held->pages.size(); i-- > count;) {
    if (i >= held->window_from) UnreferenceWindow(held->pages[i]);
    Unreference(held->pages[i]);
  }
  held->pages.resize(count);
  held->window_from = std::min(held->window_from, count);
}

void KvPages::ReleaseWindow(HeldPages* held, size_t window_from) {
  std::lock_guard lock(mutex_);
  for (; held->window_from < window_from; ++held->window_from) {
    UnreferenceWindow(held->pages[held->window_from]);
  }
}

uint8_t* KvPages::Part(const KvPage& page, size_t layer) const {
  const PageLayer& of = shape_.layers[layer];
  uint8_t* const part = of.window ? page.window : page.bytes;
  if (part == nullptr) return nullptr;
  return page.slot.block == nullptr ? part + of.begin : page.slot.At(of.bytes, layer);
}

void KvPages::Copy(const KvPage& from, KvPage* to) const {
  for (size_t layer = 0; layer < shape_.layers.size(); ++layer) {
    const auto bytes = static_cast<size_t>(shape_.layers[layer].bytes);
    if (bytes > 0) std::memcpy(Part(*to, layer), Part(from, layer), bytes);
  }
}

bool KvPages::MakeWritable(KvPage* page) {
  std::lock_guard lock(mutex_);
  if (page->references > 1) return false;
  if (page->offered) {
    offered_.erase(page->content);
    page->offered = false;
    // What was offered behind the old content is not to be found behind the new one.
    page->serial = ++last_serial_;
  }
  return true;
}

size_t KvPages::WithWindow(std::span<KvPage* const> found) const {
  if (shape_.window == 0) return found.size();
  for (size_t count = found.size(); count > 0; --count) {
    const auto needed = std::min(count, static_cast<size_t>(window_pages_));
    const auto last = found.subspan(count - needed, needed);
    if (std::all_of(last.begin(), last.end(),
                    [](const KvPage* page) { return page->window != nullptr; })) {
      return count;
    }
  }
  return 0;
}

HeldPages KvPages::Find(std::span<const TokenId> tokens, const PrefixScope& scope) {
  std::lock_guard lock(mutex_);
  HeldPages held;
  std::vector<KvPage*>& pages = held.pages;
  uint64_t before = 0;
  while (static_cast<int64_t>(tokens.size()) / kPositions > static_cast<int64_t>(pages.size())) {
    const auto found = offered_.find(ContentAt(tokens, pages.size(), scope, before));
    if (found == offered_.end()) break;
    before = found->second->serial;
    pages.push_back(found->second);
  }
  pages.resize(WithWindow(pages));
  const auto window_pages = static_cast<size_t>(window_pages_);
  held.window_from = pages.size() > window_pages ? pages.size() - window_pages : 0;
  for (size_t i = 0; i < pages.size(); ++i) {
    Reference(pages[i]);
    if (i >= held.window_from) ReferenceWindow(pages[i]);
  }
  prefix_hits_ += static_cast<int64_t>(pages.size()) * kPositions;
  return held;
}

bool KvPages::Offer(HeldPages* held, size_t count, std::span<const TokenId> tokens,
                    const PrefixScope& scope) {
  std::lock_guard lock(mutex_);
  bool changed = false;
  uint64_t before = 0;
  for (size_t i = 0; i < count; ++i) {
    KvPage*& page = held->pages[i];
    const PageContent content = ContentAt(tokens, i, scope, before);
    const auto [at, inserted] = offered_.try_emplace(content, page);
    KvPage* offered = at->second;
    if (inserted) {
      CHECK(!offered->offered) << "a page is offered under two contents";
      offered->offered = true;
      offered->content = content;
    } else if (offered != page) {
      const bool needs_window = i >= held->window_from && shape_.window > 0;
      // The other one lacks what this sequence needs: both stay, and nothing behind is offered.
      if (needs_window && offered->window == nullptr) break;
      Reference(offered);
      if (i >= held->window_from) {
        ReferenceWindow(offered);
        UnreferenceWindow(page);
      }
      Unreference(page);
      page = offered;
      changed = true;
    }
    before = offered->serial;
  }
  return changed;
}

KvPool::Stats KvPages::stats() const {
  std::lock_guard lock(mutex_);
  const int64_t spilled = spill_.held_pages() * shape_.both();
  return {.limit_bytes = limit_bytes(),
          .used_bytes = used_bytes_,
          .kept_bytes = held_bytes_ + spilled - used_bytes_,
          .spilled_bytes = spilled,
          .page_bytes = shape_.both(),
          .prefix_hits = prefix_hits_};
}

bool KvPages::PlaceInMemory(KvPage* page) const {
  if (held_bytes_ + shape_.both() > memory_bytes_) return false;
  void* bytes = shape_.bytes > 0 ? TryAllocate(static_cast<size_t>(shape_.bytes)) : nullptr;
  void* window = shape_.window > 0 ? TryAllocate(static_cast<size_t>(shape_.window)) : nullptr;
  if ((shape_.bytes > 0 && bytes == nullptr) || (shape_.window > 0 && window == nullptr)) {
    Deallocate(bytes);
    Deallocate(window);
    return false;
  }
  page->bytes = static_cast<uint8_t*>(bytes);
  page->window = static_cast<uint8_t*>(window);
  return true;
}

KvPage* KvPages::Allocate() {
  auto page = std::make_unique<KvPage>();
  if (PlaceInMemory(page.get())) {
    held_bytes_ += shape_.both();
  } else {
    page->slot = spill_.Take();
    if (page->slot.block == nullptr) return nullptr;
    // Where its layers are, the slot says; these say that the parts are there.
    if (shape_.bytes > 0) page->bytes = page->slot.block;
    if (shape_.window > 0) page->window = page->slot.block;
  }
  page->serial = ++last_serial_;
  page->references = 1;
  page->window_references = 1;
  used_bytes_ += shape_.both();
  return page.release();
}

void KvPages::Reference(KvPage* page) {
  if (page->references++ > 0) return;
  kept_.erase(page->kept_at);
  used_bytes_ += shape_.bytes;
}

void KvPages::ReferenceWindow(KvPage* page) {
  if (page->window_references++ > 0 || shape_.window == 0) return;
  kept_window_.erase(page->window_kept_at);
  used_bytes_ += shape_.window;
}

void KvPages::UnreferenceWindow(KvPage* page) {
  if (--page->window_references > 0 || shape_.window == 0) return;
  used_bytes_ -= shape_.window;
  if (page->offered) {
    page->window_kept_at = kept_window_.insert(kept_window_.end(), page);
  } else {
    FreeWindow(page);
  }
}

void KvPages::Unreference(KvPage* page) {
  if (--page->references > 0) return;
  used_bytes_ -= shape_.bytes;
  if (page->offered) {
    page->kept_at = kept_.insert(kept_.end(), page);
  } else {
    Free(page);
  }
}

bool KvPages::GiveUpOldest() {
  if (!kept_.empty()) {
    KvPage* page = kept_.front();
    kept_.pop_front();
    offered_.erase(page->content);
    if (page->window != nullptr) {
      kept_window_.erase(page->window_kept_at);
      FreeWindow(page);
    }
    Free(page);
    return true;
  }
  if (kept_window_.empty()) return false;
  KvPage* page = kept_window_.front();
  kept_window_.pop_front();
  FreeWindow(page);
  return true;
}

void KvPages::Free(KvPage* page) {
  if (page->slot.block != nullptr) {
    spill_.Return(page->slot);
  } else {
    held_bytes_ -= shape_.bytes;
    Deallocate(page->bytes);
  }
  delete page;
}

void KvPages::FreeWindow(KvPage* page) {
  // A slot's place for the window is used again with the whole slot.
  if (page->slot.block == nullptr) {
    held_bytes_ -= shape_.window;
    Deallocate(page->window);
  }
  page->window = nullptr;
}

}  // namespace ferry::llm
