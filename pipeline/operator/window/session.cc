#include <algorithm>
#include <functional>

#include "pipeline/operator/window/window.h"

namespace ferry::operators {
namespace {

// A session is the rows of a key with less than gap_ms from one to the next: from the first row to
// gap_ms after the last. A row between two sessions makes one of them. A session closes when the
// watermark reaches its end; a row before the watermark is late unless it falls into a session
// that is open.
class Session : public WindowOperator {
 public:
  Session(WindowSpec spec, int64_t gap_ms) : WindowOperator(std::move(spec)), gap_ms_(gap_ms) {}

  Status Push(const Row& row, std::vector<Row>* out) override {
    FERRY_TRY(Read(row));
    Pane* first = table_.Find(hash(), code());
    const int64_t time_ms = row.time_ms;
    Pane *before = nullptr, *at = first;  // the key's sessions stand in order of time
    while (at != nullptr && at->last_ms + gap_ms_ <= time_ms) {
      before = at;
      at = at->next;
    }
    const bool joins = at != nullptr && time_ms > at->start_ms - gap_ms_;
    const bool inside = joins && time_ms >= at->start_ms;
    if (time_ms < watermark_ms() && !inside) {
      ++mutable_losses().late;
      return OkStatus();
    }
    if (!joins) {
      FERRY_ASSIGN_OR_RETURN(Pane * fresh, NewPane());
      fresh->start_ms = fresh->last_ms = time_ms;
      Link(fresh, before, first);
      LookAgain(fresh);
      Count(fresh, time_ms);
      if (spec().updates) EmitUpdate("+", RowOf(fresh), out);
      return OkStatus();
    }
    if (spec().updates) EmitUpdate("-", RowOf(at), out);
    at->start_ms = std::min(at->start_ms, time_ms);
    at->last_ms = std::max(at->last_ms, time_ms);
    Count(at, time_ms);
    if (Pane* next = at->next; next != nullptr && next->start_ms - at->last_ms < gap_ms_) {
      if (spec().updates) EmitUpdate("-", RowOf(next), out);
      panes().Merge(at, next);
      at->rows += next->rows;
      at->last_ms = next->last_ms;
      at->next = next->next;
      panes().Free(next);
    }
    if (spec().updates) EmitUpdate("+", RowOf(at), out);
    return OkStatus();
  }

  Status Flush(std::vector<Row>* out) override {
    int64_t last_ms = kLongAgo;
    ForEach([&](Pane* pane) { last_ms = std::max(last_ms, EndOf(pane)); });
    return Advance(last_ms, out);
  }

  int64_t next_close_ms() const override {
    int64_t next_ms = 0;
    ForEach([&](Pane* pane) {
      if (next_ms == 0 || EndOf(pane) < next_ms) next_ms = EndOf(pane);
    });
    return next_ms;
  }

 protected:
  Status Close(int64_t watermark_ms, std::vector<Row>* out) override {
    std::vector<Pane*> done;
    while (!looks_.empty() && looks_.front().at_ms <= watermark_ms) {
      std::pop_heap(looks_.begin(), looks_.end(), std::greater<>());
      const Look look = looks_.back();
      looks_.pop_back();
      if (look.pane->id != look.id) continue;  // it became part of another
      if (EndOf(look.pane) <= watermark_ms)
        done.push_back(look.pane);
      else
        LookAgain(look.pane);
    }
    std::sort(done.begin(), done.end(), [](const Pane* a, const Pane* b) {
      return a->last_ms != b->last_ms ? a->last_ms < b->last_ms : a->text < b->text;
    });
    for (Pane* pane : done) {
      if (!spec().updates) EmitFinal(pane->rows, RowOf(pane), out);
      // It is the first of its key: the others are later.
      if (pane->next == nullptr)
        table_.Erase(pane);
      else
        table_.Replace(pane, pane->next);
      panes().Free(pane);
    }
    return OkStatus();
  }

  bool Adopt(Pane* pane) override {
    Pane* first = table_.Find(pane);
    Pane *before = nullptr, *at = first;
    while (at != nullptr && at->start_ms < pane->start_ms) {
      before = at;
      at = at->next;
    }
    Link(pane, before, first);
    LookAgain(pane);
    return true;
  }

 private:
  // When to see whether a session has ended; it may have gone on since.
  struct Look {
    int64_t at_ms;
    uint64_t id;
    Pane* pane;
    bool operator>(const Look& other) const { return at_ms > other.at_ms; }
  };

  int64_t EndOf(const Pane* pane) const { return pane->last_ms + gap_ms_; }
  void LookAgain(Pane* pane) {
    looks_.push_back({EndOf(pane), pane->id, pane});
    std::push_heap(looks_.begin(), looks_.end(), std::greater<>());
  }
  template <typename F>
  void ForEach(F&& f) const {
    table_.ForEach([&f](Pane* pane) {
      for (; pane != nullptr; pane = pane->next) f(pane);
    });
  }
  // Puts `pane` behind `before`, or first where that is null; `first` is the key's first so far.
  void Link(Pane* pane, Pane* before, Pane* first) {
    if (before != nullptr) {
      pane->next = before->next;
      before->next = pane;
      return;
    }
    pane->next = first;
    if (first == nullptr)
      table_.Insert(pane);
    else
      table_.Replace(first, pane);
  }
  void Count(Pane* pane, int64_t time_ms) {
    panes().Add(pane, inputs(), time_ms);
    ++pane->rows;
  }
  Row RowOf(const Pane* pane) const {
    return MakeRow(pane, pane->start_ms, EndOf(pane), EndOf(pane) - 1);
  }

  int64_t gap_ms_;
  PaneTable table_;          // the first session of each key; the others hang on `next`
  std::vector<Look> looks_;  // a heap; one of each open session
};

}  // namespace

Result<std::unique_ptr<Operator>> MakeSessionWindow(const Json& spec) {
  FERRY_ASSIGN_OR_RETURN(const int64_t gap_ms, ReadDuration(spec, "gap_ms", 1));
  FERRY_ASSIGN_OR_RETURN(WindowSpec window, ReadWindow(spec, {"gap_ms"}, {}));
  return std::unique_ptr<Operator>(std::make_unique<Session>(std::move(window), gap_ms));
}

}  // namespace ferry::operators
