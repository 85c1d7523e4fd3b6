#include "pipeline/operator/fields.h"
#include "pipeline/operator/operators/make.h"
#include "pipeline/operator/state_bytes.h"

namespace ferry::operators {
namespace {

constexpr int64_t kMaxOneIn = 1'000'000'000;

// One in n: with a key, all rows of those keys whose hash falls to it, the same ones on every
// device and in every run; without, every n-th row, the first one first.
class Sample : public Gate {
 public:
  Sample(int64_t one_in, const std::vector<std::string>& key)
      : one_in_(static_cast<uint64_t>(one_in)), key_(key) {}

  Result<bool> Admit(const Row& row) override {
    if (key_.size() == 0) return rows_++ % one_in_ == 0;
    key_.Read(row);
    return key_.Hash() % one_in_ == 0;
  }
  void SaveChanges(event::StateWriter& out) override {
    if (rows_ == saved_rows_) return;
    std::string bytes;
    ByteWriter(&bytes).U64(rows_ % one_in_);
    out.Put("n", bytes);
    saved_rows_ = rows_;
  }
  Status Load(std::string_view key, std::string_view value) override {
    ByteReader in(value);
    rows_ = saved_rows_ = in.U64();
    return key == "n" && in.Done() ? OkStatus() : Operator::Load(key, value);
  }

 private:
  uint64_t one_in_;
  KeyFields key_;
  uint64_t rows_ = 0, saved_rows_ = 0;
};

}  // namespace

Result<std::unique_ptr<Operator>> MakeSample(const Json& spec, const Surroundings&) {
  FERRY_TRY(CheckMembers(spec, {"op", "one_in", "key"}));
  FERRY_ASSIGN_OR_RETURN(const int64_t one_in, GetInt(spec, "one_in"));
  if (one_in < 1 || one_in > kMaxOneIn)
    return Status::Of(Code::kMalformed, "one_in {} is not from 1 to {}", one_in, kMaxOneIn);
  FERRY_ASSIGN_OR_RETURN(const std::vector<std::string> key, ReadKeyNames(spec));
  return std::unique_ptr<Operator>(std::make_unique<Sample>(one_in, key));
}

}  // namespace ferry::operators
