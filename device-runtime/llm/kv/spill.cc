#include "device-runtime/llm/kv/spill.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "common/sys/filesystem.h"

namespace ferry::llm {
namespace {

// Blocks are taken from the disk as they are needed.
constexpr int64_t kBlockBytes = int64_t{8} << 20;
constexpr int64_t kMostBlockPages = 256;
// Regions of layers begin on whole pages of memory of any system, so that one leaves alone.
constexpr int64_t kRegionAlignment = int64_t{16} << 10;
// Of the disk, what others keep.
constexpr int64_t kFreeDiskShare = 2;

}  // namespace

int64_t PageShape::LargestLayer() const {
  int64_t largest = 0;
  for (const PageLayer& layer : layers) largest = std::max(largest, layer.bytes);
  return largest;
}

struct KvSpill::File {
  std::string folder;
  std::vector<int64_t> layer_bytes;  // of a block
  std::vector<int64_t> regions;      // where each layer begins in a block
  int64_t block_pages = 0;
  int64_t block_bytes = 0;
  std::unique_ptr<sys::ScratchFile> scratch;
  mutable std::mutex mutex;  // of `blocks`. ORDER: a leaf.
  std::vector<uint8_t*> blocks;
  std::atomic<bool> used = false;
};

KvSpill::KvSpill(const PageShape& shape, std::string folder, int64_t pages)
    : page_bytes_(shape.both()), limit_pages_(pages), file_(std::make_shared<File>()) {
  file_->folder = std::move(folder);
  file_->block_pages = std::clamp<int64_t>(kBlockBytes / page_bytes_, 1, kMostBlockPages);
  for (const PageLayer& layer : shape.layers) {
    file_->regions.push_back(file_->block_bytes);
    file_->layer_bytes.push_back(layer.bytes * file_->block_pages);
    file_->block_bytes +=
        (file_->layer_bytes.back() + kRegionAlignment - 1) / kRegionAlignment * kRegionAlignment;
  }
}

Status KvSpill::AddBlock() {
  File& file = *file_;
  if (file.scratch == nullptr) {
    FERRY_ASSIGN_OR_RETURN(file.scratch, sys::ScratchFile::Create(file.folder));
  }
  FERRY_ASSIGN_OR_RETURN(const uint64_t free, sys::SystemFileSystem().FreeBytes(file.folder));
  if (static_cast<uint64_t>(file.block_bytes) > free / kFreeDiskShare) {
    return Status::Of(Code::kDiskFull, "{} has {} bytes free, of which half stay free", file.folder,
                      free);
  }
  FERRY_ASSIGN_OR_RETURN(const auto block,
                         file.scratch->Extend(static_cast<size_t>(file.block_bytes)));
  {
    const std::lock_guard lock(file.mutex);
    file.blocks.push_back(block.data());
  }
  file.used.store(true, std::memory_order_release);
  for (int64_t i = file.block_pages; i-- > 0;) free_.push_back({block.data(), &file.regions, i});
  return OkStatus();
}

SpillSlot KvSpill::Take() {
  if (held_pages_ >= limit_pages_) return {};
  if (free_.empty()) {
    trouble_ = AddBlock();
    if (!trouble_.ok()) return {};
  }
  const SpillSlot slot = free_.back();
  free_.pop_back();
  ++held_pages_;
  return slot;
}

void KvSpill::Return(const SpillSlot& slot) {
  free_.push_back(slot);
  --held_pages_;
}

void KvSpill::Leave(size_t layer) const {
  if (file_ == nullptr || !file_->used.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(file_->mutex);
  for (const uint8_t* block : file_->blocks) {
    file_->scratch->Release(
        {block + file_->regions[layer], static_cast<size_t>(file_->layer_bytes[layer])});
  }
}

std::string KvSpill::Trouble() const {
  return trouble_.ok() ? std::string() : "; " + trouble_.ToString();
}

}  // namespace ferry::llm
