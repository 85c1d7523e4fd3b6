// What all kinds of windows share: the spec, panes by key, rows out, losses, state.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/operator/operator.h"
#include "pipeline/operator/value.h"
#include "pipeline/operator/window/pane.h"

namespace ferry::operators {

// Before every time; far enough from the ends of the type that sums of times do not overflow.
inline constexpr int64_t kLongAgo = -(int64_t{1} << 60);

struct WindowSpec {
  std::vector<std::string> key;
  std::vector<AggregateSpec> aggregates;
  int64_t allowed_lateness_ms = 0;
  bool updates = false;  // "emit": "updates", else "final"
  int64_t min_rows = 0;  // a window of fewer gives no row
};

// The members that all kinds have: op, kind, key, aggregates, allowed_lateness_ms, emit, min_rows.
// `own`: the kind's own members; `fields`: the names that its rows have beside key and aggregates.
Result<WindowSpec> ReadWindow(const Json& spec, std::initializer_list<std::string_view> own,
                              std::initializer_list<std::string_view> fields);
// A duration from `least` to kMaxWindowMs.
Result<int64_t> ReadDuration(const Json& spec, std::string_view name, int64_t least);

// The largest multiple of `step` that is not above `time`.
inline int64_t FloorTo(int64_t time, int64_t step) {
  const int64_t phase = time % step;
  return time - phase - (phase < 0 ? step : 0);
}

class WindowOperator : public Operator {
 public:
  explicit WindowOperator(WindowSpec spec);
  Status Advance(int64_t watermark_ms, std::vector<Row>* out) override;
  int64_t allowed_lateness_ms() const override { return spec_.allowed_lateness_ms; }
  bool makes_updates() const override { return spec_.updates; }
  Losses losses() const override { return losses_; }
  void SaveChanges(event::StateWriter& out) override;
  Status Load(std::string_view key, std::string_view value) override;

 protected:
  // Closes what the watermark has passed; watermark_ms() is still the old one.
  virtual Status Close(int64_t watermark_ms, std::vector<Row>* out) = 0;
  // A pane comes back from the state. False: it cannot be one of this window's.
  virtual bool Adopt(Pane* pane) = 0;
  // More state of the kind: keys that start with neither p nor w.
  virtual void SaveMore(event::StateWriter& out) { (void)out; }
  virtual Status LoadMore(std::string_view key, std::string_view value) {
    return Operator::Load(key, value);
  }

  // Reads key and inputs of a row; what follows is about this row.
  Status Read(const Row& row) {
    FERRY_TRY(inputs_.Read(row));
    key_.Read(row);
    code_.clear();
    for (size_t k = 0; k < key_.size(); ++k) AppendCode(key_.value(k), &code_);
    hash_ = HashCode(code_);
    return OkStatus();
  }
  const KeyFields& key() const { return key_; }
  // Of the key that was read.
  const std::string& code() const { return code_; }
  uint64_t hash() const { return hash_; }
  const Inputs& inputs() const { return inputs_; }
  // A new pane with the key that was read, `more` behind it; kLimitExceeded, counted.
  Result<Pane*> NewPane(const Json* more = nullptr);

  // A row out: key, start, end and aggregates.
  Row MakeRow(const Pane* pane, int64_t start_ms, int64_t end_ms, int64_t time_ms) const {
    return MakeRow(pane->key, pane, start_ms, end_ms, time_ms);
  }
  Row MakeRow(const Json& key, const Pane* pane, int64_t start_ms, int64_t end_ms,
              int64_t time_ms) const;
  // The final row of a window of so many rows leaves, if they are enough.
  void EmitFinal(int64_t rows, Row row, std::vector<Row>* out);
  // Of updates: "+" or "-".
  static void EmitUpdate(const char* sign, Row row, std::vector<Row>* out);

  const WindowSpec& spec() const { return spec_; }
  int64_t watermark_ms() const { return watermark_ms_; }
  void set_watermark_ms(int64_t to_ms) { watermark_ms_ = to_ms; }
  Panes& panes() { return panes_; }
  const Panes& panes() const { return panes_; }
  Losses& mutable_losses() { return losses_; }

 private:
  // Of a row out.
  struct Column {
    std::string name;
    enum { kKey, kStart, kEnd, kAggregate } kind;
    size_t place;
  };

  WindowSpec spec_;
  std::vector<Column> columns_;  // by name
  KeyFields key_;
  std::string code_;
  uint64_t hash_ = 0;
  Inputs inputs_;
  Panes panes_;
  int64_t watermark_ms_ = kLongAgo;
  Losses losses_;
  std::string saved_;  // the pair "w" as the state has it
};

// Orders panes as rows leave: by the key's JSON text.
inline bool PaneTextLess(const Pane* a, const Pane* b) {
  return a->text < b->text;
}

// One a row of window/list.inc: reads its part of the spec.
// ---- none: each is defined in the file of its row of window/list.inc
#define FERRY_WINDOW(Name, text) Result<std::unique_ptr<Operator>> Make##Name##Window(const Json&);
#include "pipeline/operator/window/list.inc"
#undef FERRY_WINDOW

}  // namespace ferry::operators
