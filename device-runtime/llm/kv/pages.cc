#include "device-runtime/llm/kv/pages.h"

#include <algorithm>

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

KvPages::KvPages(int64_t page_bytes, int64_t limit_bytes)
    : page_bytes_(page_bytes), limit_bytes_(limit_bytes) {}

KvPages::~KvPages() {
  CHECK(used_ == 0);
  while (GiveUpOldest()) {
  }
}

Result<std::vector<KvPage*>> KvPages::Take(int64_t count) {
  std::lock_guard lock(mutex_);
  const int64_t room = limit_bytes_ / page_bytes_;
  std::vector<KvPage*> pages;
  // No kept page is given up for a demand that the limit refuses anyway.
  const bool fits = count <= room - used_;
  while (fits && static_cast<int64_t>(pages.size()) < count) {
    const int64_t all = used_ + static_cast<int64_t>(kept_.size());
    KvPage* page = all < room ? Allocate() : nullptr;
    if (page != nullptr) {
      pages.push_back(page);
      ++used_;
    } else if (!GiveUpOldest()) {
      break;
    }
  }
  if (static_cast<int64_t>(pages.size()) == count) return pages;
  for (KvPage* page : pages) Unreference(page);
  if (!fits) {
    return Status::Of(Code::kOutOfMemory,
                      "KV cache: {} bytes more are needed, {} of its limit of {} are in use",
                      count * page_bytes_, used_ * page_bytes_, limit_bytes_);
  }
  return Status::Of(Code::kOutOfMemory,
                    "KV cache: the machine has no {} bytes more; {} of its limit of {} are in use",
                    count * page_bytes_, used_ * page_bytes_, limit_bytes_);
}

void KvPages::Share(std::span<KvPage* const> pages) {
  std::lock_guard lock(mutex_);
  for (KvPage* page : pages) ++page->references;
}

void KvPages::Release(std::span<KvPage* const> pages) {
  std::lock_guard lock(mutex_);
  for (size_t i = pages.size(); i-- > 0;) Unreference(pages[i]);
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

std::vector<KvPage*> KvPages::Find(std::span<const TokenId> tokens, const PrefixScope& scope) {
  std::lock_guard lock(mutex_);
  std::vector<KvPage*> pages;
  uint64_t before = 0;
  while (static_cast<int64_t>(tokens.size()) / kPositions > static_cast<int64_t>(pages.size())) {
    const auto found = offered_.find(ContentAt(tokens, pages.size(), scope, before));
    if (found == offered_.end()) break;
    KvPage* page = found->second;
    if (page->references++ == 0) {
      kept_.erase(page->kept_at);
      ++used_;
    }
    before = page->serial;
    pages.push_back(page);
  }
  prefix_hits_ += static_cast<int64_t>(pages.size()) * kPositions;
  return pages;
}

bool KvPages::Offer(std::span<KvPage*> pages, std::span<const TokenId> tokens,
                    const PrefixScope& scope) {
  std::lock_guard lock(mutex_);
  bool changed = false;
  uint64_t before = 0;
  for (size_t i = 0; i < pages.size(); ++i) {
    const PageContent content = ContentAt(tokens, i, scope, before);
    const auto [at, inserted] = offered_.try_emplace(content, pages[i]);
    KvPage* offered = at->second;
    if (inserted) {
      CHECK(!offered->offered) << "a page is offered under two contents";
      offered->offered = true;
      offered->content = content;
    } else if (offered != pages[i]) {
      if (offered->references++ == 0) {
        kept_.erase(offered->kept_at);
        ++used_;
      }
      Unreference(pages[i]);
      pages[i] = offered;
      changed = true;
    }
    before = offered->serial;
  }
  return changed;
}

KvPool::Stats KvPages::stats() const {
  std::lock_guard lock(mutex_);
  return {.limit_bytes = limit_bytes_,
          .used_bytes = used_ * page_bytes_,
          .kept_bytes = static_cast<int64_t>(kept_.size()) * page_bytes_,
          .page_bytes = page_bytes_,
          .prefix_hits = prefix_hits_};
}

KvPage* KvPages::Allocate() {
  void* memory = TryAllocate(static_cast<size_t>(page_bytes_));
  if (memory == nullptr) return nullptr;
  auto* page = new KvPage;
  page->floats = static_cast<float*>(memory);
  page->serial = ++last_serial_;
  page->references = 1;
  return page;
}

void KvPages::Unreference(KvPage* page) {
  if (--page->references > 0) return;
  --used_;
  if (page->offered) {
    page->kept_at = kept_.insert(kept_.end(), page);
  } else {
    Free(page);
  }
}

bool KvPages::GiveUpOldest() {
  if (kept_.empty()) return false;
  KvPage* page = kept_.front();
  kept_.pop_front();
  offered_.erase(page->content);
  Free(page);
  return true;
}

void KvPages::Free(KvPage* page) {
  Deallocate(page->floats);
  delete page;
}

}  // namespace ferry::llm
