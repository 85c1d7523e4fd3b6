#include "common/sys/sim/disk.h"

namespace ferry::sys {

void SimNode::Append(ByteView bytes) {
  data.insert(data.end(), bytes.begin(), bytes.end());
  *used += bytes.size();
}

void SimNode::Truncate() {
  *used -= data.size();
  if (!before.has_value()) {
    data.resize(synced);
    before = std::move(data);
  }
  data.clear();
  synced = 0;
}

void SimNode::SyncFile() {
  before.reset();
  synced = data.size();
}

void SimNode::Cut(Random* random) {
  if (is_directory) {
    entries = durable_entries;
    for (auto& [name, node] : entries) node->Cut(random);
    return;
  }
  *used -= data.size();
  const bool keep_old = before.has_value() && (random == nullptr || random->Below(2) == 0);
  if (keep_old) {
    data = std::move(*before);
  } else {
    const size_t unsynced = data.size() - synced;
    data.resize(synced + (random == nullptr ? 0 : random->Below(unsynced + 1)));
  }
  before.reset();
  synced = data.size();
  *used += data.size();
}

}  // namespace ferry::sys
