// A disk in memory under SQLite that loses power and fails, so that what a store promises of
// committed rows can be put to the test. Source: own, after SQLite's "crash" VFS and what ext4 does
// after a failed fsync.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/sys/random.h"

struct sqlite3_vfs;

namespace ferry::server {

// One thread at a time. What is synced stays. Of what was written since, a power cut keeps each
// piece whole, some of its sectors, or nothing; files are made and removed for good at once.
class SimStoreDisk {
 public:
  explicit SimStoreDisk(uint64_t seed);
  ~SimStoreDisk();  // after all that is open on it
  SimStoreDisk(const SimStoreDisk&) = delete;

  // The name under which SQLite knows it, while it lives.
  const char* vfs() const { return name_.c_str(); }

  // Writes, truncations and syncs so far.
  int64_t operations() const { return operations_; }
  // The power goes in the middle of the n-th of them from now; it and all after it fail. 1: the
  // next, 0: none.
  void CutAt(int64_t n) { cut_at_ = operations_ + n; }
  bool dead() const { return dead_; }
  // The power goes now, if it has not, and comes back. Connections from before fail for ever.
  void Restore();

  // From now on this share of writes ends early, and of syncs fails: what was not synced before is
  // then lost in part at the next power cut, whatever later syncs say. 0: none.
  void SetTrouble(double share) { trouble_ = share; }

  // How much of what was written since the last sync lies there; for tests.
  size_t unsynced() const;

 private:
  friend struct SimStoreVfs;
  struct Piece {
    uint64_t at = 0;
    std::vector<uint8_t> bytes;
    bool truncates = false;  // to `at`
  };
  struct File {
    std::vector<uint8_t> present;  // what a reader sees
    std::vector<uint8_t> durable;
    std::vector<Piece> unsynced;  // in order
  };

  bool Counted();  // one operation more; whether the power goes in it
  bool InTrouble();
  static void Apply(const Piece& piece, std::vector<uint8_t>& to);
  void ApplySome(const Piece& piece, std::vector<uint8_t>& to);

  sys::SeededRandom random_;
  std::string name_;
  std::unique_ptr<sqlite3_vfs> registered_;
  std::map<std::string, std::shared_ptr<File>> files_;
  int64_t operations_ = 0;
  int64_t cut_at_ = 0;  // 0: never
  int64_t lives_ = 0;   // power cuts so far
  bool dead_ = false;
  double trouble_ = 0;
};

}  // namespace ferry::server
