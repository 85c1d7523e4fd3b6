#include <cstdlib>
#include <map>
#include <set>

#include "pipeline/operator/fields.h"
#include "pipeline/operator/operators/make.h"
#include "pipeline/operator/state_bytes.h"

namespace ferry::operators {
namespace {

constexpr int64_t kMaxDedupeKeys = 100'000;
constexpr int64_t kDefaultDedupeKeys = 10'000;

// Drops a row when one of the same key passed less than within_ms before or after it, in event
// time; of two the one that comes first passes. Beyond max_keys keys the one whose row is oldest
// is forgotten. A row that is within_ms or more before the one that is remembered passes, and is
// not remembered itself.
class Dedupe : public Gate {
 public:
  Dedupe(const std::vector<std::string>& key, int64_t within_ms, size_t max_keys)
      : key_(key), within_ms_(within_ms), max_keys_(max_keys) {}

  Result<bool> Admit(const Row& row) override {
    key_.Read(row);
    std::string text = WriteJson(key_.ToCanonical());
    if (text.size() > kMaxKeyBytes) {
      ++losses_.refused;
      return Status::Of(Code::kLimitExceeded, "a key of {} bytes, the limit is {}", text.size(),
                        kMaxKeyBytes);
    }
    const auto found = passed_.find(text);
    if (found != passed_.end()) {
      if (std::abs(row.time_ms - found->second) < within_ms_) return false;
      if (row.time_ms < found->second) return true;  // the later one stays remembered
      by_time_.erase({found->second, text});
      found->second = row.time_ms;
    } else {
      passed_.emplace(text, row.time_ms);
    }
    by_time_.emplace(row.time_ms, text);
    changed_.insert(std::move(text));
    if (passed_.size() > max_keys_) ForgetOldest();
    return true;
  }
  Status Advance(int64_t watermark_ms, std::vector<Row>*) override {
    while (!by_time_.empty() && by_time_.begin()->first + within_ms_ <= watermark_ms)
      ForgetOldest();
    return OkStatus();
  }
  Losses losses() const override { return losses_; }

  void SaveChanges(event::StateWriter& out) override {
    for (const std::string& text : changed_) {
      const auto found = passed_.find(text);
      if (found == passed_.end()) {
        if (saved_.erase(text) > 0) out.Delete("k" + text);
        continue;
      }
      std::string bytes;
      ByteWriter(&bytes).I64(found->second);
      out.Put("k" + text, bytes);
      saved_.insert(text);
    }
    changed_.clear();
  }
  Status Load(std::string_view key, std::string_view value) override {
    if (!key.starts_with("k")) return Operator::Load(key, value);
    ByteReader in(value);
    const int64_t time_ms = in.I64();
    std::string text(key.substr(1));
    if (!in.Done()) return Status(Code::kMalformed, "a key's time is damaged");
    passed_[text] = time_ms;
    by_time_.emplace(time_ms, text);
    saved_.insert(std::move(text));
    return OkStatus();
  }

 private:
  void ForgetOldest() {
    const std::string& text = by_time_.begin()->second;
    // Where nobody writes the state, what was never written need not be deleted.
    if (saved_.contains(text))
      changed_.insert(text);
    else
      changed_.erase(text);
    passed_.erase(text);
    by_time_.erase(by_time_.begin());
  }

  KeyFields key_;
  int64_t within_ms_;
  size_t max_keys_;
  std::map<std::string, int64_t> passed_;  // key -> time of its latest row that passed
  std::set<std::pair<int64_t, std::string>> by_time_;
  std::set<std::string> changed_, saved_;
  Losses losses_;
};

}  // namespace

Result<std::unique_ptr<Operator>> MakeDedupe(const Json& spec, const Surroundings&) {
  FERRY_TRY(CheckMembers(spec, {"op", "key", "within_ms", "max_keys"}));
  FERRY_ASSIGN_OR_RETURN(const std::vector<std::string> key, ReadKeyNames(spec));
  if (key.empty()) return Status(Code::kMalformed, "key is empty");
  FERRY_ASSIGN_OR_RETURN(const int64_t within_ms, GetInt(spec, "within_ms"));
  if (within_ms < 1 || within_ms > kMaxWindowMs)
    return Status::Of(Code::kMalformed, "within_ms {} is not from 1 to {}", within_ms,
                      kMaxWindowMs);
  FERRY_ASSIGN_OR_RETURN(const int64_t max_keys, GetIntOr(spec, "max_keys", kDefaultDedupeKeys));
  if (max_keys < 1 || max_keys > kMaxDedupeKeys)
    return Status::Of(Code::kMalformed, "max_keys {} is not from 1 to {}", max_keys,
                      kMaxDedupeKeys);
  return std::unique_ptr<Operator>(
      std::make_unique<Dedupe>(key, within_ms, static_cast<size_t>(max_keys)));
}

}  // namespace ferry::operators
