// The tree of a SimFileSystem: nodes that know what of them survives a power cut. For sim/ only;
// the caller holds the disk's lock.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "common/base/bytes.h"
#include "common/sys/random.h"

namespace ferry::sys {

struct SimNode {
  explicit SimNode(bool directory, int perms, std::shared_ptr<uint64_t> used_bytes)
      : is_directory(directory), permissions(perms), used(std::move(used_bytes)) {}
  ~SimNode() { *used -= data.size(); }

  using Entries = std::map<std::string, std::shared_ptr<SimNode>>;

  void Append(ByteView bytes);
  void Truncate();
  void SyncFile();
  // What a power cut leaves of it and all below; see SimFileSystem::CutPower.
  void Cut(Random* random);

  bool is_directory;
  int permissions;
  std::shared_ptr<uint64_t> used;  // bytes of all files
  // A file: the first `synced` bytes survive, or `before` instead while a truncation is not synced.
  Bytes data;
  size_t synced = 0;
  std::optional<Bytes> before;
  // A directory.
  Entries entries, durable_entries;
};

}  // namespace ferry::sys
