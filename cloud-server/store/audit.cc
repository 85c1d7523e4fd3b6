#include "cloud-server/store/audit.h"

#include <algorithm>

#include "cloud-server/store/store.h"
#include "common/base/json.h"
#include "common/crypto/hash.h"

namespace ferry::server {
namespace {

constexpr size_t kCheckedRows = 1000;  // in one view of the store

// The store may be written by many threads at once, and each has at most one call to account for.
thread_local AuditScope* t_scope = nullptr;

// Cut to its limit, and UTF-8: what cannot be written as JSON cannot be hashed the same again, nor
// what a store changes (PostgreSQL knows no NUL).
std::string Clean(std::string text) {
  if (text.size() > kMaxAuditText) text.resize(kMaxAuditText);
  std::replace(text.begin(), text.end(), '\0', ' ');
  const Result<Json> again = ParseJson(WriteJson(Json(text)));
  const auto* clean = again.ok() ? again->get_ptr<const std::string*>() : nullptr;
  return clean == nullptr ? std::string("?") : *clean;
}

// Walks rows and says where the chain breaks.
class Walk {
 public:
  explicit Walk(const AuditHead& kept) : kept_(kept) {}

  bool Next(const AuditRow& row) {
    if (check.rows == 0) {
      check.first_seq = row.seq;
      start_ = row.prev_hash;
      anchored_ = row.seq == 1 && row.prev_hash == kNoAuditHash;
    } else if (row.seq != check.head.seq + 1) {
      return Break(check.head.seq + 1, "it is missing");
    } else if (row.prev_hash != check.head.hash) {
      return Break(row.seq, "it does not follow the row before");
    }
    if (AuditHash(row) != row.hash) return Break(row.seq, "its hash is not that of its content");
    if (row.seq == kept_.seq && row.hash != kept_.hash)
      return Break(row.seq, "it is not the row whose hash was kept");
    const AuditEntry& entry = row.entry;
    anchored_ = anchored_ || (entry.action == kAuditCut && entry.reason == start_ &&
                              entry.target == std::to_string(check.first_seq - 1));
    check.head = {row.seq, row.hash};
    ++check.rows;
    return true;
  }

  void End() {
    if (check.broken_seq != 0) return;
    if (check.rows > 0 && !anchored_)
      Break(check.first_seq, "rows before it are gone, and no cut says so");
    if (kept_.seq > check.head.seq)
      Break(check.head.seq + 1, fmt::format("rows up to {} were there once", kept_.seq));
  }

  AuditCheck check;

 private:
  bool Break(int64_t seq, std::string why) {
    check.broken_seq = seq;
    check.broken = std::move(why);
    return false;
  }

  const AuditHead kept_;
  std::string start_;
  bool anchored_ = false;
};

}  // namespace

std::string AuditHash(const AuditRow& row) {
  const AuditEntry& entry = row.entry;
  const Json json = {{"seq", row.seq},           {"time_ms", entry.time_ms},
                     {"user", entry.user},       {"source", entry.source},
                     {"action", entry.action},   {"target", entry.target},
                     {"package", entry.package}, {"outcome", entry.outcome},
                     {"reason", entry.reason},   {"prev_hash", row.prev_hash}};
  const Result<std::string> text = WriteCanonicalJson(json);
  return text.ok() ? crypto::Sha256Hex(AsBytes(*text)) : std::string();
}

AuditRow ChainAudit(AuditEntry entry, int64_t before_seq, const std::string& before_hash) {
  AuditRow row;
  row.seq = before_seq + 1;
  row.prev_hash = before_hash;
  for (std::string AuditEntry::*text :
       {&AuditEntry::user, &AuditEntry::source, &AuditEntry::action, &AuditEntry::target,
        &AuditEntry::package, &AuditEntry::outcome, &AuditEntry::reason})
    entry.*text = Clean(std::move(entry.*text));
  row.entry = std::move(entry);
  row.hash = AuditHash(row);
  return row;
}

Result<AuditCheck> CheckAudit(Store& store, const AuditHead& kept) {
  Walk walk(kept);
  for (bool more = true; more;) {
    std::vector<AuditRow> rows;
    FERRY_TRY(store.Read([&](Transaction& tx) -> Status {
      FERRY_ASSIGN_OR_RETURN(rows, tx.audit().List({walk.check.head.seq, 0, "", ""}, kCheckedRows));
      return OkStatus();
    }));
    more = rows.size() == kCheckedRows;
    for (const AuditRow& row : rows)
      if (!walk.Next(row)) return walk.check;
  }
  walk.End();
  return walk.check;
}

AuditScope::AuditScope(Store& store, AuditEntry entry, std::function<Status(Transaction&)> also)
    : store_(store), entry_(std::move(entry)), also_(std::move(also)) {
  entry_.outcome = "done";
  t_scope = this;
}

AuditScope::~AuditScope() {
  if (t_scope == this) t_scope = nullptr;
}

Status AuditScope::Finish(const Status& status) {
  if (!status.ok()) {
    t_scope = nullptr;
    entry_.outcome =
        status.code() == Code::kPermissionDenied || status.code() == Code::kUnauthenticated
            ? "refused"
            : "failed";
    entry_.reason = status.ToString();
    return WriteAudit(store_, entry_);
  }
  // An empty body takes the row with it, as any other would.
  Status written = written_ ? OkStatus() : store_.Write([](Transaction&) { return OkStatus(); });
  t_scope = nullptr;
  return written;
}

Result<bool> AuditScope::TakePart(Transaction& tx) {
  if (t_scope == nullptr || t_scope->written_) return false;
  if (t_scope->also_) FERRY_TRY(t_scope->also_(tx));
  FERRY_TRY(AsStatus(tx.audit().Append(t_scope->entry_)));
  return true;
}

void AuditScope::Along(std::function<Status(Transaction&)> also) {
  if (t_scope != nullptr) t_scope->also_ = std::move(also);
}

void AuditScope::Committed() {
  if (t_scope != nullptr) t_scope->written_ = true;
}

Status WriteAudit(Store& store, const AuditEntry& entry) {
  return store.Write([&](Transaction& tx) { return AsStatus(tx.audit().Append(entry)); });
}

}  // namespace ferry::server
