// Windows of one size that start every `step`: tumbling where step and size are one. Rows are
// counted in slices as wide as the greatest common divisor of both, once each; a window is the sum
// of its slices. Source: panes of Li et al., SIGMOD Record 2005.
#pragma once

#include <map>

#include "pipeline/operator/window/window.h"

namespace ferry::operators {

inline constexpr int64_t kMaxSlices = 4096;  // of one window

// A window [k step, k step + size) on event time closes once, when the watermark reaches its end;
// a row whose windows are all closed is late. The time of a row out is the window's last
// millisecond. Windows leave in order of time, then of the key's JSON text.
class Slices : public WindowOperator {
 public:
  Slices(WindowSpec spec, int64_t size_ms, int64_t step_ms);
  Status Push(const Row& row, std::vector<Row>* out) override;
  Status Flush(std::vector<Row>* out) override;
  int64_t next_close_ms() const override;

 protected:
  Status Close(int64_t watermark_ms, std::vector<Row>* out) override;
  bool Adopt(Pane* pane) override;

 private:
  using SliceMap = std::map<int64_t, PaneTable>;  // by start

  Status Update(const Row& row, Pane* pane, std::vector<Row>* out);
  PaneTable& TableOf(int64_t start_ms);
  // The first window that has this time in it and was not closed by `watermark_ms`.
  int64_t FirstWindow(int64_t time_ms, int64_t watermark_ms) const;
  int64_t LastEnd(int64_t time_ms) const { return FloorTo(time_ms, step_ms_) + size_ms_; }
  void CloseWindow(int64_t start_ms, std::vector<Row>* out);
  void DropSlices(int64_t watermark_ms);
  // The row of a sum of `like`'s key.
  Row RowOf(const Pane* sum, const Pane* like, int64_t start_ms) const {
    return MakeRow(like->key, sum, start_ms, start_ms + size_ms_, start_ms + size_ms_ - 1);
  }
  // The sum of a pane and those behind it, in the scratch pane.
  const Pane* SumOfChain(const Pane* first);
  // The sum of the key's slices in a window, in the scratch pane; nullptr: the key has none.
  const Pane* Sum(const Pane* like, int64_t start_ms);

  int64_t size_ms_, step_ms_, width_ms_;
  SliceMap slices_;
  int64_t next_end_ms_ = INT64_MAX;  // no window ends before
  std::vector<PaneTable> spare_;     // empty tables, for their memory
  PaneTable heads_;                  // empty but while a window closes
  // The slice of the last row.
  int64_t near_start_ms_ = 0, near_last_end_ms_ = 0;
  PaneTable* near_ = nullptr;
};

}  // namespace ferry::operators
