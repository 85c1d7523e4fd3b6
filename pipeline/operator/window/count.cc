#include <algorithm>

#include "pipeline/operator/window/held.h"
#include "pipeline/operator/window/window.h"

namespace ferry::operators {
namespace {

constexpr int64_t kMaxWindowRows = 1'000'000;

// Windows of `size` rows of a key, one after the other. Without lateness rows count as they come;
// with it they wait for the watermark and count in order of event time. Start and end are the
// times of the first and the last row, which is also the time of the row out. A flush closes what
// is open with fewer rows.
class CountWindow : public WindowOperator {
 public:
  CountWindow(WindowSpec spec, int64_t size) : WindowOperator(std::move(spec)), size_(size) {}

  Status Push(const Row& row, std::vector<Row>* out) override {
    if (spec().allowed_lateness_ms == 0) return Take(row, out);
    if (row.time_ms < watermark_ms()) {
      ++mutable_losses().late;
      return OkStatus();
    }
    FERRY_TRY(Read(row));  // its errors belong to this call
    if (held_.size() >= kMaxHeldRows) {
      ++mutable_losses().refused;
      return Status::Of(Code::kLimitExceeded, "{} rows wait for their turn, the limit",
                        kMaxHeldRows);
    }
    held_.Add(row);
    return OkStatus();
  }

  Status Flush(std::vector<Row>* out) override {
    FERRY_TRY(Close(-kLongAgo, out));
    std::vector<Pane*> open;
    table_.ForEach([&open](Pane* pane) { open.push_back(pane); });
    std::sort(open.begin(), open.end(), PaneTextLess);
    for (Pane* pane : open) {
      if (!spec().updates) EmitFinal(pane->rows, RowOf(pane), out);
      table_.Erase(pane);
      panes().Free(pane);
    }
    return OkStatus();
  }

 protected:
  Status Close(int64_t watermark_ms, std::vector<Row>* out) override {
    Status first;
    for (const Row& row : held_.TakeBefore(watermark_ms)) {
      const Status status = Take(row, out);
      if (first.ok()) first = status;
    }
    return first;
  }
  bool Adopt(Pane* pane) override {
    if (table_.Find(pane) != nullptr) return false;
    table_.Insert(pane);
    return true;
  }
  void SaveMore(event::StateWriter& out) override { held_.SaveChanges(out); }
  Status LoadMore(std::string_view key, std::string_view value) override {
    if (key.starts_with("h") && held_.Load(key, value)) return OkStatus();
    return Operator::Load(key, value);  // NOLINT(bugprone-parent-virtual-call): it asked
  }

 private:
  Status Take(const Row& row, std::vector<Row>* out) {
    FERRY_TRY(Read(row));
    Pane* pane = table_.Find(hash(), code());
    if (pane == nullptr) {
      FERRY_ASSIGN_OR_RETURN(pane, NewPane());
      pane->start_ms = pane->last_ms = row.time_ms;
      table_.Insert(pane);
    } else if (spec().updates) {
      EmitUpdate("-", RowOf(pane), out);
    }
    panes().Add(pane, inputs(), row.time_ms);
    pane->start_ms = std::min(pane->start_ms, row.time_ms);
    pane->last_ms = std::max(pane->last_ms, row.time_ms);
    ++pane->rows;
    if (spec().updates) EmitUpdate("+", RowOf(pane), out);
    if (pane->rows < size_) return OkStatus();
    if (!spec().updates) EmitFinal(pane->rows, RowOf(pane), out);
    table_.Erase(pane);
    panes().Free(pane);
    return OkStatus();
  }
  Row RowOf(const Pane* pane) const {
    return MakeRow(pane, pane->start_ms, pane->last_ms, pane->last_ms);
  }

  int64_t size_;
  PaneTable table_;
  HeldRows held_;
};

}  // namespace

Result<std::unique_ptr<Operator>> MakeCountWindow(const Json& spec) {
  FERRY_ASSIGN_OR_RETURN(const int64_t size, GetInt(spec, "size"));
  if (size < 1 || size > kMaxWindowRows)
    return Status::Of(Code::kMalformed, "size {} is not from 1 to {}", size, kMaxWindowRows);
  FERRY_ASSIGN_OR_RETURN(WindowSpec window, ReadWindow(spec, {"size"}, {}));
  return std::unique_ptr<Operator>(std::make_unique<CountWindow>(std::move(window), size));
}

}  // namespace ferry::operators
