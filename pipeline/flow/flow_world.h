// A flow with a place for its state and its tables, for the tests of the room: it can be stopped
// after any event and taken up again, and says in text what happened.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "pipeline/flow/flow.h"
#include "pipeline/store/outbox.h"

namespace ferry::flow {

class FlowWorld {
 public:
  FlowWorld() { Begin(); }

  Status Use(const std::string& owner, const Json& task) {
    FERRY_ASSIGN_OR_RETURN(Definition definition, DefinitionFromJson(task));
    auto shared = std::make_shared<const Definition>(std::move(definition));
    FERRY_TRY(flow_->Use(owner, shared));
    definitions_[owner] = std::move(shared);
    return OkStatus();
  }
  void Remove(const std::string& owner) {
    flow_->Remove(owner);
    definitions_.erase(owner);
  }

  // Events get the numbers 1, 2, ..
  void OnEvent(event::Event event) {
    event.number = events_.size() + 1;
    latest_ms_ = std::max(latest_ms_, event.time_ms);
    events_.push_back(std::make_shared<const event::Event>(std::move(event)));
    effects_.Clear();
    flow_->OnEvent(events_.back(), latest_ms_, 0, &effects_);
    Tell();
  }
  void Emit(const std::string& owner, const std::string& source, int64_t time_ms, Json fields) {
    effects_.Clear();
    const Status status =
        flow_->Emit(owner, source, {time_ms, std::move(fields)}, time_ms, 0, &effects_);
    if (!status.ok()) told_.push_back("error " + status.message());
    Tell();
  }
  void Advance(int64_t now_ms) {
    effects_.Clear();
    flow_->Advance(now_ms, now_ms, &effects_);
    Tell();
  }
  void AdvanceEventTime(int64_t time_ms) {
    effects_.Clear();
    flow_->AdvanceEventTime(time_ms, &effects_);
    Tell();
  }
  void Flush() {
    effects_.Clear();
    flow_->Flush(&effects_);
    Tell();
  }

  // State and tables as a commit takes them.
  void Commit() {
    store::StateChanges changes;
    flow_->SaveChanges(changes);
    for (const auto& [key, value] : changes.changes()) {
      if (value)
        pairs_[key] = *value;
      else
        pairs_.erase(key);
    }
    table::Batch* const tables[] = {&flow_->batch()};
    const Status status = outbox_->Commit({.tables = tables, .now_ms = 1});
    EXPECT_TRUE(status.ok()) << status.ToString();
    flow_->batch().Clear();
  }
  // What was not committed is gone.
  void Restart() {
    const auto definitions = definitions_;
    Begin();
    for (const auto& [owner, definition] : definitions) {
      const Status status = flow_->Use(owner, definition);
      EXPECT_TRUE(status.ok()) << status.ToString();
    }
    flow_->DropUnclaimed();
  }

  std::deque<std::string>& told() { return told_; }
  const std::map<std::string, std::string>& pairs() const { return pairs_; }
  Flow& flow() { return *flow_; }

 private:
  void Begin() {
    flow_ = nullptr;
    if (outbox_ == nullptr)
      outbox_ = std::move(*store::OpenOutbox(":memory:", sys::SystemRandom()));
    FlowOptions options;
    options.tables = &outbox_->tables();
    options.all_rows = options.all_matches = true;
    options.stored = [this](std::string_view prefix) {
      std::vector<rule::StatePair> out;
      for (auto at = pairs_.lower_bound(std::string(prefix));
           at != pairs_.end() && at->first.starts_with(prefix); ++at)
        out.push_back(*at);
      return out;
    };
    options.resolver = [this](uint64_t number) {
      return number == 0 || number > events_.size() ? nullptr : events_[number - 1];
    };
    flow_ = std::make_unique<Flow>(options);
  }

  static std::string Named(const std::string& owner, const std::string& name) {
    return owner.empty() ? name : owner + "/" + name;
  }

  void Tell() {
    size_t row = 0;
    const auto tell_rows = [&](uint32_t before) {
      for (; row < effects_.rows.size() && effects_.rows[row].place < before; ++row) {
        const LeavingRow& one = effects_.rows[row];
        told_.push_back(fmt::format("row {} {} {}", Named(one.owner, one.output.stream),
                                    one.output.row.time_ms, WriteJson(one.output.row.fields)));
      }
    };
    for (const LeavingMatch& match : effects_.matches) {
      tell_rows(match.place);
      Json steps = Json::object();
      for (size_t k = 0; k < match.match.steps(); ++k)
        for (const EventPtr& event : match.match.step(k))
          steps[match.rule->steps[k].name].push_back(event->number);
      told_.push_back(fmt::format("match {} {} {} {}", Named(match.owner, match.rule->name),
                                  match.match.time_ms, match.match.key, WriteJson(steps)));
    }
    tell_rows(UINT32_MAX);
    for (const Start& start : effects_.starts)
      told_.push_back(fmt::format("start {} {}", Named(start.owner, start.function),
                                  WriteJson(ArgumentOf(start))));
    if (!effects_.error.ok()) told_.push_back("error " + effects_.error.message());
  }

  std::unique_ptr<store::Outbox> outbox_;
  std::map<std::string, std::string> pairs_;
  std::vector<EventPtr> events_;
  std::map<std::string, std::shared_ptr<const Definition>> definitions_;
  std::unique_ptr<Flow> flow_;
  Effects effects_;
  int64_t latest_ms_ = 0;
  std::deque<std::string> told_;
};

}  // namespace ferry::flow
