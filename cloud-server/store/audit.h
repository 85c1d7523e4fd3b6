// Who did what: rows that are chained by their hashes, so that none can be changed or taken out
// unseen by whoever has kept a later hash.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/base/status.h"

namespace ferry::server {

class Store;
class Transaction;

struct AuditEntry {
  int64_t time_ms = 0;
  std::string user;    // empty: nobody is known
  std::string source;  // the address that called; "local": a command on the server's machine
  std::string action;  // "POST /api/v1/releases/{id}/start", "ferry-server password"
  std::string target;  // what it was done to
  std::string package;
  std::string outcome;  // "done", "refused", "failed"
  std::string reason;   // given by the user, or why it was refused or failed
  bool operator==(const AuditEntry&) const = default;
};

struct AuditRow {
  int64_t seq = 0;  // from 1, without gaps
  AuditEntry entry;
  std::string prev_hash;  // of the row before; kNoAuditHash for the first
  std::string hash;       // hex of SHA-256 of the canonical JSON of all above
  bool operator==(const AuditRow&) const = default;
};

inline constexpr size_t kMaxAuditText = 512;  // bytes of one text of an entry; more are cut off
inline constexpr const char* kNoAuditHash =
    "0000000000000000000000000000000000000000000000000000000000000000";
// The action of rows that say what was cut off at the start: target is the last seq, reason its
// hash.
inline constexpr const char* kAuditCut = "audit cut";

// ---- audit.cc
std::string AuditHash(const AuditRow& row);
// `entry` behind a row with that number and hash; its texts are cut and made UTF-8.
AuditRow ChainAudit(AuditEntry entry, int64_t before_seq, const std::string& before_hash);

struct AuditHead {
  int64_t seq = 0;  // 0: no row yet
  std::string hash = kNoAuditHash;
};

struct AuditFilter {
  int64_t after_seq = 0;
  int64_t since_ms = 0;
  std::string user;  // empty: any, as package
  std::string package;
  int64_t before_seq = 0;  // 0: no bound
  bool newest_first = false;
};

class AuditRepository {
 public:
  virtual ~AuditRepository() = default;
  virtual Result<AuditRow> Append(const AuditEntry& entry) = 0;
  virtual Result<AuditHead> Head() = 0;
  // In order of seq, or against it, at most `limit`.
  virtual Result<std::vector<AuditRow>> List(const AuditFilter& filter, size_t limit) = 0;
  virtual Result<int64_t> Count(const AuditFilter& filter) = 0;
  // Cuts rows off the start that are older than `before_ms`, at most `limit`, never the newest, and
  // appends the row that anchors the rest. How many went.
  virtual Result<int64_t> Cut(int64_t before_ms, int64_t now_ms, size_t limit) = 0;
};

// What walking the whole chain found.
struct AuditCheck {
  int64_t first_seq = 0;
  int64_t rows = 0;
  AuditHead head;
  int64_t broken_seq = 0;  // 0: whole
  std::string broken;      // what is wrong with that row
};
// Reads in pages; rows that are appended meanwhile may be left out. `kept` is a head that was noted
// before (seq 0: none): the chain must still hold it.
Result<AuditCheck> CheckAudit(Store& store, const AuditHead& kept = {});

// While it lives, the first Store::Write of this thread that succeeds takes the row (and what
// `also` writes) into its own transaction, whoever calls it: a change is never without its row.
// One at a time on a thread.
class AuditScope {
 public:
  AuditScope(Store& store, AuditEntry entry, std::function<Status(Transaction&)> also = nullptr);
  ~AuditScope();
  AuditScope(const AuditScope&) = delete;
  // After the call that it is about: writes the row when no transaction took it, or a second one
  // when the call failed after its first transaction. Errors are the store's, or those of `also`.
  Status Finish(const Status& status);
  // What goes along with this thread's scope, instead of its `also`; it must not refer to what may
  // be gone before Finish.
  static void Along(std::function<Status(Transaction&)> also);

  // For stores: appends the row of this thread's scope; whether it did.
  static Result<bool> TakePart(Transaction& tx);
  // For stores: the transaction that it was appended in is committed.
  static void Committed();

 private:
  Store& store_;
  AuditEntry entry_;
  std::function<Status(Transaction&)> also_;
  bool written_ = false;
};

// One row by itself.
Status WriteAudit(Store& store, const AuditEntry& entry);

}  // namespace ferry::server
