#include "pipeline/store/sources.h"

#include <algorithm>

#include "pipeline/store/outbox.h"

namespace ferry::store {

using sqlite::Execute;
using sqlite::Statement;
using sqlite::Transact;

Status Sources::Load(sqlite3* db, Bytes fresh) {
  db_ = db;
  fresh_ = std::move(fresh);
  Statement select;
  FERRY_TRY(select.Prepare(db, "SELECT base, id FROM source ORDER BY base"));
  while (true) {
    FERRY_ASSIGN_OR_RETURN(const bool more, select.Step());
    if (!more) return OkStatus();
    Source& one = all_.emplace_back();
    one.base = static_cast<uint64_t>(select.Int(0));
    one.id = ToBytes(AsBytes(select.Text(1)));
    if (one.id.size() != kOutboxIdBytes) return Status(Code::kMalformed, "the outbox has a bad id");
  }
}

Status Sources::Begin(uint64_t base) {
  Statement insert;
  FERRY_TRY(insert.Prepare(db_, "INSERT INTO source VALUES (?, ?)"));
  insert.Bind(1, static_cast<int64_t>(base));
  insert.BindBlob(2, fresh_);
  return insert.Run();
}

void Sources::Begun(uint64_t base) {
  all_.push_back({base, fresh_});
}

size_t Sources::Done(uint64_t acked_seq) const {
  size_t done = 0;
  while (done + 1 < all_.size() && all_[done + 1].base <= acked_seq) ++done;
  return done;
}

Status Sources::Forget(uint64_t acked_seq) {
  const size_t done = Done(acked_seq);
  if (done == 0) return OkStatus();
  Statement remove;
  FERRY_TRY(remove.Prepare(db_, "DELETE FROM source WHERE base < ?"));
  remove.Bind(1, static_cast<int64_t>(all_[done].base));
  return remove.Run();
}

void Sources::Forgot(uint64_t acked_seq) {
  all_.erase(all_.begin(), all_.begin() + static_cast<ptrdiff_t>(Done(acked_seq)));
}

Status Sources::ForgetAll() {
  return Execute(db_, "DELETE FROM source");
}

void Sources::ForgotAll(Bytes fresh) {
  all_.clear();
  fresh_ = std::move(fresh);
}

const Sources::Source* Sources::Find(uint64_t seq) const {
  const auto above =
      std::find_if(all_.begin(), all_.end(), [seq](const Source& one) { return one.base >= seq; });
  return above == all_.begin() ? nullptr : &*std::prev(above);
}

const Sources::Source* Sources::Find(ByteView id) const {
  for (const Source& one : all_)
    if (AsText(one.id) == AsText(id)) return &one;
  return nullptr;
}

uint64_t Sources::LastOf(const Source& source) const {
  const Source* const next = &source + 1;
  return next < all_.data() + all_.size() ? next->base : UINT64_MAX;
}

}  // namespace ferry::store
