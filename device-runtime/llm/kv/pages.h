// The pages of a KvPool: reference counts, the index of offered contents, the order in which unused
// pages are given up. A page has two parts: that of layers that see all positions, and that of
// layers that see a window, which sequences need no longer once the window has moved on. Pages
// beyond what memory may hold lie in blocks of a file (kv/spill.h).
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "common/base/status.h"
#include "device-runtime/kernels/attention/page.h"
#include "device-runtime/llm/kv/kv_cache.h"
#include "device-runtime/llm/kv/spill.h"

namespace ferry::llm {

// What an offered page holds: these tokens behind what the page with serial number `before` holds
// (0: at the start), for those of `scope`. Serial numbers are never used twice, so that equal keys
// mean equal prefixes, compared token by token.
struct PageContent {
  PrefixScope scope;
  uint64_t before = 0;
  std::array<TokenId, kernels::kPagePositions> tokens{};
  bool operator==(const PageContent&) const = default;
};

struct PageContentHash {
  size_t operator()(const PageContent& content) const;
};

// All layers of kPagePositions positions, one after another in their part, or at `slot` of a block.
struct KvPage {
  uint8_t* bytes = nullptr;   // of layers that see all positions
  uint8_t* window = nullptr;  // of the others; null when there are none, or once it was given back
  SpillSlot slot;             // of no block: in memory
  uint64_t serial = 0;
  int64_t references = 0;         // sequences that hold it; 0: offered and kept
  int64_t window_references = 0;  // of these, those that need `window`
  bool offered = false;           // in the index, under `content`
  PageContent content;
  std::list<KvPage*>::iterator kept_at;         // while kept
  std::list<KvPage*>::iterator window_kept_at;  // while `window` is there and nobody needs it
};

// The pages that a sequence holds; of those from `window_from` on it needs the window's part.
struct HeldPages {
  std::vector<KvPage*> pages;
  size_t window_from = 0;
};

// Any thread. A sequence that holds an offered page holds the offered pages before it too (Offer
// sees to it), and drops its last page first: so what is given up first never has a reachable page
// behind it.
class KvPages {
 public:
  // Rows behind full pages read the window's part of the last `window_pages` of them. Memory holds
  // at most `memory_bytes`; what is taken beyond that lies in `spill`.
  KvPages(PageShape shape, int64_t window_pages, int64_t memory_bytes, KvSpill spill);
  ~KvPages();

  // `count` new pages with one reference each to both parts, contents undefined. All or none:
  // memory first, then the file, and then what no sequence holds is given up.
  Result<std::vector<KvPage*>> Take(int64_t count);
  // One more reference to each of the first `count`.
  HeldPages Share(const HeldPages& held, size_t count);
  // Drops the references to pages from `count` on, the last page first.
  void Release(HeldPages* held, size_t count);
  // Pages before `window_from` are no longer needed for the window.
  void ReleaseWindow(HeldPages* held, size_t window_from);
  // Where a layer's part of a page begins; null where the window's part was given back.
  uint8_t* Part(const KvPage& page, size_t layer) const;
  // What one page holds, to another that has both parts.
  void Copy(const KvPage& from, KvPage* to) const;
  // A pass is through with this layer: what of it lies in the file leaves memory.
  void LeaveLayer(size_t layer) const { spill_.Leave(layer); }
  // Whether the caller, who holds `page`, may write to it: nobody else holds it. It is no longer
  // offered then.
  bool MakeWritable(KvPage* page);
  // The offered pages with the longest prefix of `tokens`, whole pages, one more reference each.
  // Where there is a window, the longest whose last pages still have that part.
  HeldPages Find(std::span<const TokenId> tokens, const PrefixScope& scope);
  // Offers the first `count` pages, which hold `tokens` (all full). A page whose content is offered
  // already gives way to that one; true when pages changed.
  bool Offer(HeldPages* held, size_t count, std::span<const TokenId> tokens,
             const PrefixScope& scope);

  KvPool::Stats stats() const;
  const PageShape& shape() const { return shape_; }
  int64_t window_pages() const { return window_pages_; }

 private:
  // The lock is held in all of these.
  KvPage* Allocate();  // null: neither memory nor file has room
  bool PlaceInMemory(KvPage* page) const;
  void Reference(KvPage* page);
  void ReferenceWindow(KvPage* page);
  void Unreference(KvPage* page);
  void UnreferenceWindow(KvPage* page);
  bool GiveUpOldest();  // frees the page kept longest, or the window's part of one; false: none
  void Free(KvPage* page);
  void FreeWindow(KvPage* page);
  // How many of the found pages make a prefix whose window is there.
  size_t WithWindow(std::span<KvPage* const> found) const;

  int64_t limit_bytes() const { return memory_bytes_ + spill_.limit_bytes(); }

  const PageShape shape_;
  const int64_t window_pages_;
  const int64_t memory_bytes_;
  mutable std::mutex mutex_;
  KvSpill spill_;
  int64_t used_bytes_ = 0;  // of parts that sequences need
  int64_t held_bytes_ = 0;  // of all parts in memory
  int64_t prefix_hits_ = 0;
  uint64_t last_serial_ = 0;
  std::list<KvPage*> kept_;         // in no sequence, the longest unused first
  std::list<KvPage*> kept_window_;  // whose window's part no sequence needs; offered
  std::unordered_map<PageContent, KvPage*, PageContentHash> offered_;
};

}  // namespace ferry::llm
