// The ids under which the outbox's records go to the cloud. Internal to the room; the caller locks
// and keeps transactions.
#pragma once

#include <cstdint>
#include <vector>

#include "pipeline/sqlite/sqlite.h"

namespace ferry::store {

class Sources {
 public:
  struct Source {
    uint64_t base = 0;  // its records have sequence numbers above this
    Bytes id;
  };

  // `fresh` is the id that new records get.
  Status Load(sqlite3* db, Bytes fresh);
  // Before the first record with a number above `base` is written: the fresh id gets its place.
  // Takes effect here only with Begun, after the commit.
  Status Begin(uint64_t base);
  void Begun(uint64_t base);
  // Forgets ids all of whose records are acknowledged; the fresh one stays.
  Status Forget(uint64_t acked_seq);
  void Forgot(uint64_t acked_seq);

  // All records go: none of the ids counts any more, and new records get another fresh one.
  Status ForgetAll();
  void ForgotAll(Bytes fresh);

  const Bytes& fresh() const { return fresh_; }
  bool has_fresh() const { return !all_.empty() && all_.back().id == fresh_; }
  // Of the record with this number, which waits.
  const Source* Find(uint64_t seq) const;
  const Source* Find(ByteView id) const;
  // The last number that may be of the source; UINT64_MAX for the last one.
  uint64_t LastOf(const Source& source) const;

 private:
  // How many sources, from the oldest, have nothing above `acked_seq` and get nothing more.
  size_t Done(uint64_t acked_seq) const;

  sqlite3* db_ = nullptr;
  Bytes fresh_;
  std::vector<Source> all_;  // by base
};

}  // namespace ferry::store
