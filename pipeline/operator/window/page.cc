#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "pipeline/operator/value.h"
#include "pipeline/operator/window/held.h"
#include "pipeline/operator/window/window.h"

namespace ferry::operators {
namespace {

constexpr size_t kMaxOpenPages = 1024;
constexpr int64_t kDefaultVisitMs = 30 * 60 * 1000;

struct PageSpec {
  std::string enter, exit;
  int64_t timeout_ms = kDefaultVisitMs;
};

// One visit of a page: from an enter event to the exit that belongs to it. The aggregates are of
// the rows between the two on the same page and with the same key; enter and exit are not among
// them. README.md states how visits nest and what becomes of those without an exit.
class PageWindow : public WindowOperator {
 public:
  PageWindow(WindowSpec spec, PageSpec page)
      : WindowOperator(std::move(spec)), page_(std::move(page)) {}

  Status Push(const Row& row, std::vector<Row>* out) override {
    if (spec().allowed_lateness_ms == 0) {
      FERRY_TRY(Read(row));
      ReadPlace(row);
      if (event_ == page_.enter) return Enter(row.time_ms, out);
      if (event_ == page_.exit) return Exit(row.time_ms, out);
      return Inside(row.time_ms, out);
    }
    if (row.time_ms < watermark_ms()) {
      ++mutable_losses().late;
      return OkStatus();
    }
    FERRY_TRY(Read(row));
    if (held_.size() >= kMaxHeldRows) {
      ++mutable_losses().refused;
      return Status::Of(Code::kLimitExceeded, "{} rows wait for their turn, the limit",
                        kMaxHeldRows);
    }
    held_.Add(row);
    if (IsExit(row)) exits_.insert(row.time_ms);
    return OkStatus();
  }

  Status Flush(std::vector<Row>* out) override {
    FERRY_TRY(Close(-kLongAgo, out));
    while (!open_.empty()) GiveUp(open_.begin()->second, watermark_ms(), out);
    return OkStatus();
  }

  // A visit also ends with an exit that is held.
  int64_t next_close_ms() const override {
    const int64_t by_exit = exits_.empty() ? 0 : *exits_.begin() + 1;
    if (open_.empty()) return by_exit;
    const int64_t by_time = NextTimeOut();
    return by_exit == 0 ? by_time : std::min(by_time, by_exit);
  }

 protected:
  Status Close(int64_t watermark_ms, std::vector<Row>* out) override {
    const std::vector<Row> rows = held_.TakeBefore(watermark_ms);
    exits_.erase(exits_.begin(), exits_.lower_bound(watermark_ms));
    Status first;
    for (size_t at = 0; at < rows.size();) {
      size_t end = at;
      while (end < rows.size() && rows[end].time_ms == rows[at].time_ms) ++end;
      TimeOut(rows[at].time_ms, out);
      const Status status = TakeMoment({rows.data() + at, end - at}, out);
      if (first.ok()) first = status;
      at = end;
    }
    TimeOut(watermark_ms, out);
    return first;
  }
  bool Adopt(Pane* pane) override {
    if (pane->key.size() != key().size() + 1) return false;
    Pane* top = table_.Find(pane);
    Pane* above = nullptr;
    for (Pane* at = top; at != nullptr && at->id > pane->id; at = at->next) above = at;
    Link(pane, above, top);
    open_.emplace(std::make_pair(pane->start_ms, pane->id), pane);
    return true;
  }
  void SaveMore(event::StateWriter& out) override { held_.SaveChanges(out); }
  Status LoadMore(std::string_view key, std::string_view value) override {
    const Row* row = key.starts_with("h") ? held_.Load(key, value) : nullptr;
    if (row == nullptr)
      return Operator::Load(key, value);  // NOLINT(bugprone-parent-virtual-call): it asked
    if (IsExit(*row)) exits_.insert(row->time_ms);
    return OkStatus();
  }

 private:
  bool IsExit(const Row& row) const {
    Json scratch;
    const auto* text = event_field_.Of(row, &scratch).get_ptr<const std::string*>();
    return text != nullptr && *text == page_.exit;
  }
  int64_t NextTimeOut() const { return open_.begin()->first.first + page_.timeout_ms; }

  // Event, page and code of the row that was read.
  void ReadPlace(const Row& row) {
    Json scratch;
    const Json& event = event_field_.Of(row, &scratch);
    const auto* text = event.get_ptr<const std::string*>();
    event_ = text == nullptr ? std::string() : *text;
    page_value_ = Canonical(page_field_.Of(row, &scratch));
    place_ = code();
    AppendCode(page_value_, &place_);
  }
  // The innermost open visit of the page; nullptr: there is none.
  Pane* Top() const { return table_.Find(HashCode(place_), place_); }

  // The rows of one millisecond, in an order that does not depend on that of arrival: what belongs
  // to open visits, their exits, enters, what belongs to these, their exits.
  Status TakeMoment(std::span<const Row> rows, std::vector<Row>* out) {
    Status first;
    std::vector<bool> done(rows.size(), false);
    for (int pass = 0; pass < 5; ++pass) {
      for (size_t k = 0; k < rows.size(); ++k) {
        if (done[k]) continue;
        Status status = Read(rows[k]);
        ReadPlace(rows[k]);
        const bool enter = event_ == page_.enter, exit = event_ == page_.exit;
        const bool inside = !enter && !exit;
        const bool last_chance = pass == (inside ? 3 : 4);
        const bool turn = enter    ? pass == 2
                          : inside ? pass == 0 || pass == 3
                                   : pass == 1 || pass == 4;
        if (!turn || (!enter && !last_chance && Top() == nullptr)) continue;
        done[k] = true;
        if (status.ok() && enter) status = Enter(rows[k].time_ms, out);
        if (status.ok() && exit) status = Exit(rows[k].time_ms, out);
        if (status.ok() && inside) status = Inside(rows[k].time_ms, out);
        if (first.ok()) first = status;
      }
    }
    return first;
  }

  Status Enter(int64_t time_ms, std::vector<Row>* out) {
    if (open_.size() >= kMaxOpenPages) GiveUp(open_.begin()->second, watermark_ms(), out);
    FERRY_ASSIGN_OR_RETURN(Pane * pane, NewPane(&page_value_));
    pane->start_ms = pane->last_ms = time_ms;
    Link(pane, nullptr, table_.Find(pane));
    open_.emplace(std::make_pair(time_ms, pane->id), pane);
    panes().Touch(pane);
    if (spec().updates) EmitUpdate("+", RowOf(pane, "open"), out);
    return OkStatus();
  }
  Status Inside(int64_t time_ms, std::vector<Row>* out) {
    Pane* pane = Top();
    if (pane == nullptr) return OkStatus();
    if (spec().updates) EmitUpdate("-", RowOf(pane, "open"), out);
    panes().Add(pane, inputs(), time_ms);
    ++pane->rows;
    pane->last_ms = std::max(pane->last_ms, time_ms);
    if (spec().updates) EmitUpdate("+", RowOf(pane, "open"), out);
    return OkStatus();
  }
  Status Exit(int64_t time_ms, std::vector<Row>* out) {
    Pane* pane = Top();
    if (pane == nullptr) {
      ++mutable_losses().missing_enters;
      return OkStatus();
    }
    if (spec().updates) EmitUpdate("-", RowOf(pane, "open"), out);
    pane->last_ms = std::max(pane->last_ms, time_ms);
    Leave(pane, "event", time_ms, out);
    return OkStatus();
  }
  // A visit whose exit did not come ends with its last row; the row out is of the time when it was
  // given up.
  void GiveUp(Pane* pane, int64_t time_ms, std::vector<Row>* out) {
    ++mutable_losses().missing_exits;
    if (spec().updates) EmitUpdate("-", RowOf(pane, "open"), out);
    Leave(pane, "missing", time_ms, out);
  }
  void TimeOut(int64_t watermark_ms, std::vector<Row>* out) {
    while (!open_.empty() && NextTimeOut() <= watermark_ms)
      GiveUp(open_.begin()->second, NextTimeOut(), out);
  }
  void Leave(Pane* pane, const char* exit, int64_t time_ms, std::vector<Row>* out) {
    Row row = RowOf(pane, exit);
    row.time_ms = std::max(row.time_ms, time_ms);
    if (spec().updates)
      EmitUpdate("+", std::move(row), out);
    else
      EmitFinal(pane->rows, std::move(row), out);
    open_.erase({pane->start_ms, pane->id});
    Pane* top = table_.Find(pane);
    if (top == pane && pane->next == nullptr) {
      table_.Erase(pane);
    } else if (top == pane) {
      table_.Replace(pane, pane->next);
    } else {
      while (top->next != pane) top = top->next;
      top->next = pane->next;
    }
    panes().Free(pane);
  }
  // Puts `pane` below `above` in the stack of its page, on top where that is null.
  void Link(Pane* pane, Pane* above, Pane* top) {
    if (above != nullptr) {
      pane->next = above->next;
      above->next = pane;
      return;
    }
    pane->next = top;
    if (top == nullptr)
      table_.Insert(pane);
    else
      table_.Replace(top, pane);
  }
  Row RowOf(const Pane* pane, const char* exit) const {
    Row row = MakeRow(pane, pane->start_ms, pane->last_ms, pane->last_ms);
    row.fields["page"] = pane->key[key().size()];
    row.fields["exit"] = exit;
    return row;
  }

  PageSpec page_;
  FieldRef event_field_{"_event"}, page_field_{"_page"};
  std::string event_;
  Json page_value_;
  std::string place_;  // the code of key and page
  PaneTable table_;    // the innermost visit of each key and page; the outer ones hang on `next`
  std::map<std::pair<int64_t, uint64_t>, Pane*> open_;  // by start, then id
  HeldRows held_;
  std::multiset<int64_t> exits_;  // times of the exits that are held
};

}  // namespace

Result<std::unique_ptr<Operator>> MakePageWindow(const Json& spec) {
  PageSpec page;
  FERRY_ASSIGN_OR_RETURN(page.enter, GetStringOr(spec, "enter", "page_enter"));
  FERRY_ASSIGN_OR_RETURN(page.exit, GetStringOr(spec, "exit", "page_exit"));
  if (page.enter == page.exit)
    return Status::Of(Code::kMalformed, "enter and exit are both \"{}\"", page.enter);
  if (spec.contains("timeout_ms")) {
    FERRY_ASSIGN_OR_RETURN(page.timeout_ms, ReadDuration(spec, "timeout_ms", 1));
  }
  FERRY_ASSIGN_OR_RETURN(WindowSpec window,
                         ReadWindow(spec, {"enter", "exit", "timeout_ms"}, {"page", "exit"}));
  return std::unique_ptr<Operator>(
      std::make_unique<PageWindow>(std::move(window), std::move(page)));
}

}  // namespace ferry::operators
