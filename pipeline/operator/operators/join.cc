#include <map>

#include "pipeline/operator/fields.h"
#include "pipeline/operator/operators/make.h"
#include "pipeline/operator/value.h"
#include "pipeline/operator/window/held.h"
#include "pipeline/operator/window/window.h"

namespace ferry::operators {
namespace {

struct JoinSpec {
  std::string with, as;
  std::vector<std::string> key;
  int64_t lower_ms = 0, upper_ms = 0, allowed_lateness_ms = 0;
};

struct JoinRow {
  Row row;
  Json key;
  uint64_t id = 0;
  bool saved = false;
};

// Pairs of a row l of the stream's source and a row r of the second one with equal keys and
// l.time + lower <= r.time <= l.time + upper: l's fields with r's under "as", at the later time of
// the two. Each side keeps its rows for as long as the other may bring a partner. A key with a
// null in it has no partner.
class Join : public Operator {
 public:
  explicit Join(JoinSpec spec) : spec_(std::move(spec)), key_(spec_.key) {}

  std::string_view second_source() const override { return spec_.with; }
  Status Push(const Row& row, std::vector<Row>* out) override { return Take(row, 0, out); }
  Status PushSecond(const Row& row, std::vector<Row>* out) override { return Take(row, 1, out); }

  Status Advance(int64_t watermark_ms, std::vector<Row>*) override {
    if (watermark_ms <= watermark_ms_) return OkStatus();
    watermark_ms_ = watermark_ms;
    for (int side = 0; side < 2; ++side)
      while (!sides_[side].by_time.empty() &&
             LastPartner(side, sides_[side].by_time.begin()->first) < watermark_ms_)
        Drop(side);
    return OkStatus();
  }
  Status Flush(std::vector<Row>*) override {
    for (int side = 0; side < 2; ++side)
      while (!sides_[side].by_time.empty()) Drop(side);
    return OkStatus();
  }
  int64_t allowed_lateness_ms() const override { return spec_.allowed_lateness_ms; }
  Losses losses() const override { return losses_; }

  void SaveChanges(event::StateWriter& out) override {
    std::string bytes;
    ByteWriter writer(&bytes);
    writer.I64(watermark_ms_);
    writer.I64(losses_.late);
    writer.I64(losses_.refused);
    if (bytes != saved_) out.Put("w", bytes);
    saved_ = std::move(bytes);
    for (int side = 0; side < 2; ++side) {
      Side& one = sides_[side];
      for (const uint64_t id : one.gone) out.Delete(StateKey(side, id));
      one.gone.clear();
      for (auto at = one.rows.upper_bound(one.saved_id); at != one.rows.end(); ++at) {
        std::string row;
        ByteWriter row_writer(&row);
        SaveRow(at->second.row, &row_writer);
        out.Put(StateKey(side, at->first), row);
        at->second.saved = true;
      }
      one.saved_id = one.next_id - 1;
    }
  }
  Status Load(std::string_view key, std::string_view value) override {
    ByteReader in(value);
    if (key == "w") {
      watermark_ms_ = in.I64();
      losses_.late = in.I64();
      losses_.refused = in.I64();
      saved_ = value;
      return in.Done() ? OkStatus() : Status(Code::kMalformed, "a watermark's state is damaged");
    }
    if (key.size() != 9 || (key[0] != 'l' && key[0] != 'r')) return Operator::Load(key, value);
    const int side = key[0] == 'l' ? 0 : 1;
    uint64_t id = 0;
    for (const char c : key.substr(1)) id = id << 8 | static_cast<uint8_t>(c);
    Row row = LoadRow(&in);
    if (!in.Done() || id == UINT64_MAX) return Status(Code::kMalformed, "a row's state is damaged");
    key_.Read(row);
    Keep(side, id, row, true);
    return OkStatus();
  }

 private:
  struct Side {
    std::map<uint64_t, JoinRow> rows;  // by id
    std::multimap<int64_t, uint64_t> by_time;
    std::multimap<std::pair<uint64_t, int64_t>, uint64_t> by_key;  // (hash of the key, time) -> id
    std::vector<uint64_t> gone;
    uint64_t next_id = 1, saved_id = 0;
  };

  static std::string StateKey(int side, uint64_t id) {
    return (side == 0 ? "l" : "r") + OrderedBytes(id);
  }
  // The times of partners of a row of this side.
  int64_t FirstPartner(int side, int64_t time_ms) const {
    return side == 0 ? time_ms + spec_.lower_ms : time_ms - spec_.upper_ms;
  }
  int64_t LastPartner(int side, int64_t time_ms) const {
    return side == 0 ? time_ms + spec_.upper_ms : time_ms - spec_.lower_ms;
  }

  Status Take(const Row& row, int side, std::vector<Row>* out) {
    if (row.time_ms < watermark_ms_) {
      ++losses_.late;
      return OkStatus();
    }
    key_.Read(row);
    if (key_.has_null()) return OkStatus();
    const bool waits = LastPartner(side, row.time_ms) >= watermark_ms_;
    if (waits && sides_[side].rows.size() >= kMaxHeldRows) {
      ++losses_.refused;
      return Status::Of(Code::kLimitExceeded, "{} rows wait for their partners, the limit",
                        kMaxHeldRows);
    }
    const uint64_t hash = key_.Hash();
    const Side& other = sides_[1 - side];
    auto at = other.by_key.lower_bound({hash, FirstPartner(side, row.time_ms)});
    const auto end = other.by_key.upper_bound({hash, LastPartner(side, row.time_ms)});
    for (; at != end; ++at) {
      const JoinRow& partner = other.rows.find(at->second)->second;
      if (!key_.Equals(partner.key)) continue;
      const Row& left = side == 0 ? row : partner.row;
      const Row& right = side == 0 ? partner.row : row;
      Row pair = left;
      pair.time_ms = std::max(left.time_ms, right.time_ms);
      pair.fields[spec_.as] = right.fields;
      out->push_back(std::move(pair));
    }
    if (waits) Keep(side, sides_[side].next_id, row, false);
    return OkStatus();
  }
  // Of the row that key_ has read.
  void Keep(int side, uint64_t id, const Row& row, bool saved) {
    Side& one = sides_[side];
    one.rows.insert_or_assign(id, JoinRow{row, key_.ToCanonical(), id, saved});
    one.by_time.emplace(row.time_ms, id);
    one.by_key.emplace(std::make_pair(key_.Hash(), row.time_ms), id);
    one.next_id = std::max(one.next_id, id + 1);
    if (saved) one.saved_id = std::max(one.saved_id, id);
  }
  // The oldest row of a side goes.
  void Drop(int side) {
    Side& one = sides_[side];
    const uint64_t id = one.by_time.begin()->second;
    const auto row = one.rows.find(id);
    key_.Read(row->second.row);
    const auto [first, last] = one.by_key.equal_range({key_.Hash(), row->second.row.time_ms});
    for (auto at = first; at != last; ++at)
      if (at->second == id) {
        one.by_key.erase(at);
        break;
      }
    if (row->second.saved) one.gone.push_back(id);
    one.by_time.erase(one.by_time.begin());
    one.rows.erase(row);
  }

  JoinSpec spec_;
  KeyFields key_;
  Side sides_[2];
  int64_t watermark_ms_ = kLongAgo;
  Losses losses_;
  std::string saved_;  // the pair "w" as the state has it
};

}  // namespace

Result<std::unique_ptr<Operator>> MakeJoin(const Json& spec, const Surroundings&) {
  FERRY_TRY(CheckMembers(
      spec, {"op", "with", "as", "key", "lower_ms", "upper_ms", "allowed_lateness_ms"}));
  JoinSpec out;
  FERRY_ASSIGN_OR_RETURN(out.with, GetString(spec, "with"));
  FERRY_TRY(event::CheckName("with", out.with));
  FERRY_ASSIGN_OR_RETURN(out.as, GetStringOr(spec, "as", out.with));
  FERRY_ASSIGN_OR_RETURN(out.key, ReadKeyNames(spec));
  FERRY_ASSIGN_OR_RETURN(out.lower_ms, ReadDuration(spec, "lower_ms", -kMaxWindowMs));
  FERRY_ASSIGN_OR_RETURN(out.upper_ms, ReadDuration(spec, "upper_ms", -kMaxWindowMs));
  if (out.lower_ms > out.upper_ms)
    return Status::Of(Code::kMalformed, "lower_ms {} is above upper_ms {}", out.lower_ms,
                      out.upper_ms);
  if (spec.contains("allowed_lateness_ms")) {
    FERRY_ASSIGN_OR_RETURN(out.allowed_lateness_ms, ReadDuration(spec, "allowed_lateness_ms", 0));
  }
  return std::unique_ptr<Operator>(std::make_unique<Join>(std::move(out)));
}

}  // namespace ferry::operators
