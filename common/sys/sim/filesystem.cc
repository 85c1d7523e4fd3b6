#include "common/sys/sim/filesystem.h"

#include <algorithm>
#include <cstring>

#include "common/sys/sim/disk.h"

namespace ferry::sys {
namespace {

using NodePtr = std::shared_ptr<SimNode>;

constexpr int kDirectoryPermissions = 0700;

// "a//b/./c/" is a, b, c.
std::vector<std::string> Split(const std::string& path) {
  std::vector<std::string> parts;
  size_t at = 0;
  while (at <= path.size()) {
    const size_t slash = std::min(path.find('/', at), path.size());
    std::string part = path.substr(at, slash - at);
    if (!part.empty() && part != ".") parts.push_back(std::move(part));
    at = slash + 1;
  }
  return parts;
}

Status NotFound(const char* what, const std::string& path) {
  return Status::Of(Code::kNotFound, "{} {}: no such file or directory", what, path);
}

class SimMapped : public MappedFile {
 public:
  explicit SimMapped(Bytes bytes) : bytes_(std::move(bytes)) {}
  ByteView bytes() const override { return bytes_; }

 private:
  const Bytes bytes_;
};

}  // namespace

struct SimFileSystem::State {
  std::mutex mutex;
  std::shared_ptr<uint64_t> used = std::make_shared<uint64_t>(0);
  NodePtr root = std::make_shared<SimNode>(true, kDirectoryPermissions, used);
  uint64_t capacity = UINT64_MAX;
  uint64_t power = 0;  // how often it was cut: older open files are dead
  uint64_t changes = 0;
  Fault fault;

  Status Change(const char* what, const std::string& path) {
    ++changes;
    if (!fault) return OkStatus();
    return fault(what, path);
  }

  NodePtr Find(const std::string& path) const {
    NodePtr node = root;
    for (const std::string& part : Split(path)) {
      if (!node->is_directory) return nullptr;
      const auto at = node->entries.find(part);
      if (at == node->entries.end()) return nullptr;
      node = at->second;
    }
    return node;
  }

  // The directory that holds `path`, and the last part; null when there is none or path is the
  // root.
  NodePtr FindParent(const std::string& path, std::string* name) const {
    std::vector<std::string> parts = Split(path);
    if (parts.empty()) return nullptr;
    *name = parts.back();
    NodePtr node = root;
    for (size_t i = 0; i + 1 < parts.size(); ++i) {
      const auto at = node->entries.find(parts[i]);
      if (at == node->entries.end() || !at->second->is_directory) return nullptr;
      node = at->second;
    }
    return node;
  }
};

namespace {

using DiskState = SimFileSystem::State;

// An open file; dead once the power was cut.
class SimFile : public WritableFile, public ReadableFile {
 public:
  SimFile(std::shared_ptr<DiskState> disk, NodePtr node, std::string path)
      : disk_(std::move(disk)), node_(std::move(node)), path_(std::move(path)) {
    power_ = disk_->power;
  }
  ~SimFile() override {
    // The last reference to a removed file gives its bytes back: under the lock.
    std::lock_guard lock(disk_->mutex);
    node_.reset();
  }

  Status Append(ByteView bytes) override {
    std::lock_guard lock(disk_->mutex);
    FERRY_TRY(Alive("write"));
    FERRY_TRY(disk_->Change("append", path_));
    const uint64_t room = disk_->capacity - std::min(disk_->capacity, *disk_->used);
    if (bytes.size() > room) {
      node_->Append(bytes.first(room));  // as a real disk does: a part is written
      return Status::Of(Code::kDiskFull, "write {}: no space left", path_);
    }
    node_->Append(bytes);
    return OkStatus();
  }

  Status Sync() override {
    std::lock_guard lock(disk_->mutex);
    FERRY_TRY(Alive("fsync"));
    FERRY_TRY(disk_->Change("sync", path_));
    node_->SyncFile();
    return OkStatus();
  }

  Status Close() override {
    std::lock_guard lock(disk_->mutex);
    closed_ = true;
    return OkStatus();
  }

  Result<size_t> ReadAt(uint64_t offset, std::span<uint8_t> out) const override {
    std::lock_guard lock(disk_->mutex);
    FERRY_TRY(Alive("read"));
    const Bytes& data = node_->data;
    if (offset >= data.size()) return size_t{0};
    const size_t n = std::min<uint64_t>(out.size(), data.size() - offset);
    std::memcpy(out.data(), data.data() + offset, n);
    return n;
  }

  Result<uint64_t> Size() const override {
    std::lock_guard lock(disk_->mutex);
    FERRY_TRY(Alive("stat"));
    return uint64_t{node_->data.size()};
  }

 private:
  Status Alive(const char* what) const {
    if (power_ != disk_->power) {
      return Status::Of(Code::kIo, "{} {}: the power was cut", what, path_);
    }
    if (closed_) return Status::Of(Code::kIo, "{} {}: it is closed", what, path_);
    return OkStatus();
  }

  std::shared_ptr<DiskState> disk_;
  NodePtr node_;
  std::string path_;
  uint64_t power_;
  bool closed_ = false;
};

}  // namespace

SimFileSystem::SimFileSystem() : state_(std::make_shared<State>()) {}
SimFileSystem::~SimFileSystem() = default;

Result<std::unique_ptr<WritableFile>> SimFileSystem::OpenForWrite(const std::string& path,
                                                                  WriteMode mode, int permissions) {
  std::unique_lock lock(state_->mutex);
  std::string name;
  const NodePtr parent = state_->FindParent(path, &name);
  if (parent == nullptr) return NotFound("open", path);
  NodePtr& node = parent->entries[name];
  const bool is_new = node == nullptr;
  Status refused;
  if (!is_new && node->is_directory) refused = Status::Of(Code::kIo, "open {}: a directory", path);
  if (!is_new && mode == WriteMode::kMustBeNew) {
    refused = Status::Of(Code::kAlreadyExists, "open {}: file exists", path);
  }
  if (refused.ok() && (is_new || mode == WriteMode::kTruncate)) {
    refused = state_->Change("open", path);
  }
  if (!refused.ok()) {
    if (is_new) parent->entries.erase(name);
    return refused;
  }
  if (is_new) node = std::make_shared<SimNode>(false, permissions, state_->used);
  if (mode == WriteMode::kTruncate && !is_new) node->Truncate();
  return std::unique_ptr<WritableFile>(new SimFile(state_, node, path));
}

Result<std::unique_ptr<ReadableFile>> SimFileSystem::OpenForRead(const std::string& path) {
  std::lock_guard lock(state_->mutex);
  NodePtr node = state_->Find(path);
  if (node == nullptr) return NotFound("open", path);
  if (node->is_directory) return Status::Of(Code::kIo, "open {}: a directory", path);
  return std::unique_ptr<ReadableFile>(new SimFile(state_, std::move(node), path));
}

Result<std::unique_ptr<MappedFile>> SimFileSystem::Map(const std::string& path) {
  std::lock_guard lock(state_->mutex);
  const NodePtr node = state_->Find(path);
  if (node == nullptr) return NotFound("map", path);
  if (node->is_directory) return Status::Of(Code::kIo, "map {}: not a file", path);
  return std::unique_ptr<MappedFile>(new SimMapped(node->data));
}

Result<FileInfo> SimFileSystem::Stat(const std::string& path) {
  std::lock_guard lock(state_->mutex);
  const NodePtr node = state_->Find(path);
  if (node == nullptr) return NotFound("stat", path);
  return FileInfo{node->is_directory, node->data.size(), node->permissions};
}

Result<std::vector<std::string>> SimFileSystem::List(const std::string& directory) {
  std::lock_guard lock(state_->mutex);
  const NodePtr node = state_->Find(directory);
  if (node == nullptr || !node->is_directory) return NotFound("list", directory);
  std::vector<std::string> names;
  for (const auto& [name, child] : node->entries) names.push_back(name);
  return names;
}

Status SimFileSystem::MakeDirectories(const std::string& path) {
  std::lock_guard lock(state_->mutex);
  NodePtr node = state_->root;
  for (const std::string& part : Split(path)) {
    const auto at = node->entries.find(part);
    if (at != node->entries.end()) {
      if (!at->second->is_directory) {
        return Status::Of(Code::kAlreadyExists, "mkdir {}: a file is there", path);
      }
      node = at->second;
      continue;
    }
    FERRY_TRY(state_->Change("mkdir", path));
    auto made = std::make_shared<SimNode>(true, kDirectoryPermissions, state_->used);
    node->entries.emplace(part, made);
    node = made;
  }
  return OkStatus();
}

Status SimFileSystem::Rename(const std::string& from, const std::string& to) {
  std::lock_guard lock(state_->mutex);
  std::string from_name, to_name;
  const NodePtr from_parent = state_->FindParent(from, &from_name);
  const NodePtr to_parent = state_->FindParent(to, &to_name);
  if (from_parent == nullptr || !from_parent->entries.contains(from_name)) {
    return NotFound("rename", from);
  }
  if (to_parent == nullptr) return NotFound("rename", to);
  const NodePtr node = from_parent->entries[from_name];
  const auto target = to_parent->entries.find(to_name);
  if (target != to_parent->entries.end() && target->second != node) {
    const bool to_directory = target->second->is_directory;
    if (to_directory != node->is_directory) {
      return Status::Of(Code::kIo, "rename {} to {}: a file and a directory", from, to);
    }
    if (to_directory && !target->second->entries.empty()) {
      return Status::Of(Code::kAlreadyExists, "rename {} to {}: directory not empty", from, to);
    }
  }
  FERRY_TRY(state_->Change("rename", to));
  from_parent->entries.erase(from_name);
  to_parent->entries[to_name] = node;
  return OkStatus();
}

Status SimFileSystem::Remove(const std::string& path) {
  std::lock_guard lock(state_->mutex);
  std::string name;
  const NodePtr parent = state_->FindParent(path, &name);
  if (parent == nullptr || !parent->entries.contains(name)) return NotFound("remove", path);
  if (parent->entries[name]->is_directory) {
    return Status::Of(Code::kIo, "remove {}: a directory", path);
  }
  FERRY_TRY(state_->Change("remove", path));
  parent->entries.erase(name);
  return OkStatus();
}

Status SimFileSystem::RemoveTree(const std::string& path) {
  std::lock_guard lock(state_->mutex);
  std::string name;
  const NodePtr parent = state_->FindParent(path, &name);
  if (parent == nullptr || !parent->entries.contains(name)) return OkStatus();
  FERRY_TRY(state_->Change("remove", path));
  parent->entries.erase(name);
  return OkStatus();
}

Status SimFileSystem::SyncDirectory(const std::string& path) {
  std::lock_guard lock(state_->mutex);
  const NodePtr node = state_->Find(path);
  if (node == nullptr || !node->is_directory) return NotFound("fsync", path);
  FERRY_TRY(state_->Change("syncdir", path));
  node->durable_entries = node->entries;
  return OkStatus();
}

Result<uint64_t> SimFileSystem::FreeBytes(const std::string& path) {
  std::lock_guard lock(state_->mutex);
  if (state_->Find(path) == nullptr) return NotFound("statvfs", path);
  return state_->capacity - std::min(state_->capacity, *state_->used);
}

void SimFileSystem::CutPower(Random* random) {
  std::lock_guard lock(state_->mutex);
  ++state_->power;
  state_->root->Cut(random);
}

void SimFileSystem::SetCapacity(uint64_t bytes) {
  std::lock_guard lock(state_->mutex);
  state_->capacity = bytes;
}

void SimFileSystem::SetFault(Fault fault) {
  std::lock_guard lock(state_->mutex);
  state_->fault = std::move(fault);
}

uint64_t SimFileSystem::changes() const {
  std::lock_guard lock(state_->mutex);
  return state_->changes;
}

Status SimFileSystem::Corrupt(const std::string& path, uint64_t offset, uint8_t mask) {
  std::lock_guard lock(state_->mutex);
  const NodePtr node = state_->Find(path);
  if (node == nullptr || node->is_directory) return NotFound("corrupt", path);
  if (offset >= node->data.size()) {
    return Status::Of(Code::kOutOfRange, "corrupt {}: byte {} of {}", path, offset,
                      node->data.size());
  }
  node->data[offset] ^= mask;
  return OkStatus();
}

}  // namespace ferry::sys
