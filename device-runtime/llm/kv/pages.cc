#include "device-runtime/llm/kv/pages.h"

#include <algorithm>
#include <cstring>

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

KvPages::KvPages(PageSize size, int64_t window_pages, int64_t limit_bytes)
    : size_(size), window_pages_(window_pages), limit_bytes_(limit_bytes) {}

KvPages::~KvPages() {
  CHECK(used_bytes_ == 0);
  while (GiveUpOldest()) {
  }
}

Result<std::vector<KvPage*>> KvPages::Take(int64_t count) {
  std::lock_guard lock(mutex_);
  std::vector<KvPage*> pages;
  // Nothing that is kept is given up for a demand that the limit refuses anyway.
  const bool fits = count <= (limit_bytes_ - used_bytes_) / size_.both();
  while (fits && static_cast<int64_t>(pages.size()) < count) {
    KvPage* page = held_bytes_ + size_.both() <= limit_bytes_ ? Allocate() : nullptr;
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
                      count * size_.both(), used_bytes_, limit_bytes_);
  }
  return Status::Of(Code::kOutOfMemory,
                    "KV cache: the machine has no {} bytes more; {} of its limit of {} are in use",
                    count * size_.both(), used_bytes_, limit_bytes_);
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

void KvPages::Copy(const KvPage& from, KvPage* to) const {
  if (size_.bytes > 0) std::memcpy(to->bytes, from.bytes, static_cast<size_t>(size_.bytes));
  if (size_.window > 0) std::memcpy(to->window, from.window, static_cast<size_t>(size_.window));
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
  if (size_.window == 0) return found.size();
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
      const bool needs_window = i >= held->window_from && size_.window > 0;
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
  return {.limit_bytes = limit_bytes_,
          .used_bytes = used_bytes_,
          .kept_bytes = held_bytes_ - used_bytes_,
          .page_bytes = size_.both(),
          .prefix_hits = prefix_hits_};
}

KvPage* KvPages::Allocate() {
  void* bytes = size_.bytes > 0 ? TryAllocate(static_cast<size_t>(size_.bytes)) : nullptr;
  void* window = size_.window > 0 ? TryAllocate(static_cast<size_t>(size_.window)) : nullptr;
  if ((size_.bytes > 0 && bytes == nullptr) || (size_.window > 0 && window == nullptr)) {
    Deallocate(bytes);
    Deallocate(window);
    return nullptr;
  }
  auto* page = new KvPage;
  page->bytes = static_cast<uint8_t*>(bytes);
  page->window = static_cast<uint8_t*>(window);
  page->serial = ++last_serial_;
  page->references = 1;
  page->window_references = 1;
  held_bytes_ += size_.both();
  used_bytes_ += size_.both();
  return page;
}

void KvPages::Reference(KvPage* page) {
  if (page->references++ > 0) return;
  kept_.erase(page->kept_at);
  used_bytes_ += size_.bytes;
}

void KvPages::ReferenceWindow(KvPage* page) {
  if (page->window_references++ > 0 || size_.window == 0) return;
  kept_window_.erase(page->window_kept_at);
  used_bytes_ += size_.window;
}

void KvPages::UnreferenceWindow(KvPage* page) {
  if (--page->window_references > 0 || size_.window == 0) return;
  used_bytes_ -= size_.window;
  if (page->offered) {
    page->window_kept_at = kept_window_.insert(kept_window_.end(), page);
  } else {
    FreeWindow(page);
  }
}

void KvPages::Unreference(KvPage* page) {
  if (--page->references > 0) return;
  used_bytes_ -= size_.bytes;
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
  held_bytes_ -= size_.bytes;
  Deallocate(page->bytes);
  delete page;
}

void KvPages::FreeWindow(KvPage* page) {
  held_bytes_ -= size_.window;
  Deallocate(page->window);
  page->window = nullptr;
}

}  // namespace ferry::llm
