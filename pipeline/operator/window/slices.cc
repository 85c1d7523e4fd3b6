#include "pipeline/operator/window/slices.h"

#include <algorithm>
#include <numeric>

namespace ferry::operators {

Slices::Slices(WindowSpec spec, int64_t size_ms, int64_t step_ms)
    : WindowOperator(std::move(spec)),
      size_ms_(size_ms),
      step_ms_(step_ms),
      width_ms_(std::gcd(size_ms, step_ms)) {}

Status Slices::Push(const Row& row, std::vector<Row>* out) {
  if (near_ == nullptr || row.time_ms < near_start_ms_ ||
      row.time_ms >= near_start_ms_ + width_ms_) {
    near_ = nullptr;
    near_start_ms_ = FloorTo(row.time_ms, width_ms_);
    near_last_end_ms_ = LastEnd(near_start_ms_);
  }
  if (near_last_end_ms_ <= watermark_ms()) {
    ++mutable_losses().late;
    return OkStatus();
  }
  FERRY_TRY(Read(row));
  Pane* pane = near_ == nullptr ? nullptr : near_->Find(hash(), code());
  if (pane == nullptr) {
    const auto slice = slices_.find(near_start_ms_);
    if (near_ == nullptr && slice != slices_.end()) pane = slice->second.Find(hash(), code());
    if (pane == nullptr) {
      FERRY_ASSIGN_OR_RETURN(pane, NewPane());
      pane->start_ms = near_start_ms_;
      TableOf(near_start_ms_).Insert(pane);
    }
    near_ = &slices_.find(near_start_ms_)->second;
  }
  if (spec().updates) return Update(row, pane, out);
  panes().Add(pane, inputs(), row.time_ms);
  ++pane->rows;
  return OkStatus();
}

Status Slices::Update(const Row& row, Pane* pane, std::vector<Row>* out) {
  const int64_t first = FirstWindow(row.time_ms, watermark_ms());
  const int64_t last = FloorTo(row.time_ms, step_ms_);
  std::vector<Row> before;
  for (int64_t start = first; start <= last; start += step_ms_) {
    const Pane* sum = Sum(pane, start);
    before.push_back(sum == nullptr ? Row{start, nullptr} : RowOf(sum, pane, start));
  }
  panes().Add(pane, inputs(), row.time_ms);
  ++pane->rows;
  for (Row& old : before) {
    const int64_t start = old.fields.is_null() ? old.time_ms : old.time_ms + 1 - size_ms_;
    if (!old.fields.is_null()) EmitUpdate("-", std::move(old), out);
    EmitUpdate("+", RowOf(Sum(pane, start), pane, start), out);
  }
  return OkStatus();
}

Status Slices::Close(int64_t watermark_ms, std::vector<Row>* out) {
  if (watermark_ms < next_end_ms_) return OkStatus();
  next_end_ms_ = INT64_MAX;
  int64_t closed_ms = this->watermark_ms();
  while (!slices_.empty()) {
    const int64_t start = FirstWindow(slices_.begin()->first, closed_ms);
    if (start + size_ms_ > watermark_ms) {
      next_end_ms_ = start + size_ms_;
      break;
    }
    if (!spec().updates) CloseWindow(start, out);
    closed_ms = start + size_ms_;
    DropSlices(closed_ms);
  }
  return OkStatus();
}

Status Slices::Flush(std::vector<Row>* out) {
  if (slices_.empty()) return OkStatus();
  return Advance(LastEnd(slices_.rbegin()->first), out);
}

int64_t Slices::next_close_ms() const {
  if (slices_.empty()) return 0;
  return FirstWindow(slices_.begin()->first, watermark_ms()) + size_ms_;
}

bool Slices::Adopt(Pane* pane) {
  if (pane->start_ms != FloorTo(pane->start_ms, width_ms_)) return false;
  PaneTable& table = TableOf(pane->start_ms);
  if (table.Find(pane) != nullptr) return false;
  table.Insert(pane);
  return true;
}

PaneTable& Slices::TableOf(int64_t start_ms) {
  const auto [slice, fresh] = slices_.try_emplace(start_ms);
  if (fresh && !spare_.empty()) {
    slice->second = std::move(spare_.back());
    spare_.pop_back();
  }
  if (fresh)
    next_end_ms_ = std::min(next_end_ms_, FirstWindow(start_ms, watermark_ms()) + size_ms_);
  return slice->second;
}

int64_t Slices::FirstWindow(int64_t time_ms, int64_t watermark_ms) const {
  return FloorTo(std::max(time_ms, watermark_ms) - size_ms_, step_ms_) + step_ms_;
}

void Slices::CloseWindow(int64_t start_ms, std::vector<Row>* out) {
  // A pane of each key, that of its first slice; those of its other slices hang behind it.
  std::vector<const Pane*> order;
  const auto begin = slices_.lower_bound(start_ms);
  auto slice = slices_.lower_bound(start_ms + size_ms_);
  if (width_ms_ == size_ms_) {
    if (begin != slice) begin->second.ForEach([&](Pane* pane) { order.push_back(pane); });
  } else {
    while (slice != begin) (--slice)->second.ForEach([this](Pane* pane) { heads_.Push(pane); });
    heads_.ForEach([&](Pane* pane) { order.push_back(pane); });
    heads_.Clear();
  }
  std::sort(order.begin(), order.end(), PaneTextLess);
  for (const Pane* pane : order) {
    const Pane* sum = pane;
    if (width_ms_ != size_ms_) sum = SumOfChain(pane);
    EmitFinal(sum->rows, RowOf(sum, pane, start_ms), out);
  }
}

const Pane* Slices::SumOfChain(const Pane* first) {
  Pane* sum = panes().scratch();
  panes().Reset(sum);
  sum->rows = 0;
  for (const Pane* part = first; part != nullptr; part = part->next) {
    panes().Merge(sum, part);
    sum->rows += part->rows;
  }
  return sum;
}

void Slices::DropSlices(int64_t watermark_ms) {
  while (!slices_.empty() && LastEnd(slices_.begin()->first) <= watermark_ms) {
    PaneTable& table = slices_.begin()->second;
    table.ForEach([this](Pane* pane) { panes().Free(pane); });
    table.Clear();
    if (spare_.size() < 4) spare_.push_back(std::move(table));
    slices_.erase(slices_.begin());
    near_ = nullptr;
  }
}

const Pane* Slices::Sum(const Pane* like, int64_t start_ms) {
  if (width_ms_ == size_ms_) return like->rows > 0 ? like : nullptr;
  Pane* sum = panes().scratch();
  panes().Reset(sum);
  sum->rows = 0;
  const auto end = slices_.lower_bound(start_ms + size_ms_);
  for (auto slice = slices_.lower_bound(start_ms); slice != end; ++slice) {
    const Pane* part = slice->second.Find(like);
    if (part == nullptr || part->rows == 0) continue;
    panes().Merge(sum, part);
    sum->rows += part->rows;
  }
  return sum->rows > 0 ? sum : nullptr;
}

}  // namespace ferry::operators
