// The inside of Flow, for its files only.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <unordered_map>

#include "pipeline/flow/flow.h"
#include "pipeline/operator/table_reader.h"

namespace ferry::flow {

struct OwnRule {
  RuleUse use;      // as the task wrote it
  rule::Rule seen;  // as the matcher has it: streams by their public names
  bool reads_rows = false;
  uint32_t number = 0;  // in its matcher
};

struct Owner;

// Rows of a task's streams on their way into tables: those behind them see them.
class IntoTables : public operators::TableWriter {
 public:
  IntoTables(table::Batch* batch, Owner* owner) : batch_(batch), owner_(owner) {}
  void Put(std::string_view stream, std::string_view table, const Json& row) override;
  // The first error since this was asked last.
  Status TakeError() { return std::exchange(error_, OkStatus()); }

 private:
  table::Batch* const batch_;  // null: there are no tables
  Owner* const owner_;
  Status error_;
};

// One task.
struct Owner {
  std::string name;
  std::shared_ptr<const Definition> definition;
  std::unique_ptr<IntoTables> into;
  std::unique_ptr<graph::Graph> graph;
  std::vector<OwnRule> rules;
  std::optional<size_t> trigger;
  int64_t table_errors = 0, cascades = 0;
  std::string last_error;
};

// A matcher with what belongs to its rules' numbers.
struct RuleSet {
  struct Use {
    Owner* owner = nullptr;
    std::shared_ptr<const rule::Rule> rule;
    std::string to;
    bool app = false;
    bool is_source = false;  // a stream takes its matches
  };
  rule::Matcher matcher;
  std::vector<Use> uses;             // by number
  std::vector<rule::Match> matches;  // scratch
};

// Lookups of streams: what is committed, under what is not yet.
class BatchReader : public operators::TableReader {
 public:
  explicit BatchReader(table::Batch& batch) : batch_(batch) {}
  Result<Json> Get(std::string_view table, const Json& key) const override;

 private:
  table::Batch& batch_;
};

struct Flow::Impl {
  // A row on its way: into streams of its owner under `name`, or, when it left the stream `name`,
  // to rules.
  struct Step {
    Owner* owner = nullptr;
    std::string name;
    event::Row row;
    bool is_row = false;
  };

  explicit Impl(const FlowOptions& given);
  void Fail(Owner& owner, const Status& status, Effects* out);
  void TakeMatch(RuleSet& set, rule::Match&& match, Effects* out);
  void TakeOutput(Owner& owner, graph::Output output, Effects* out);
  void TakeOutputs(Owner& owner, Effects* out);
  void PushRow(Owner& owner, std::string_view source, const event::Row& row, Effects* out);
  void MatchEvent(RuleSet& set, const EventPtr& event, Effects* out);
  void Drain(Effects* out);
  static std::string PublicName(std::string_view owner, std::string_view stream);

  // ---- owners.cc
  // Pairs whose keys begin with `prefix`, without it.
  std::vector<rule::StatePair> Stored(std::string_view prefix) const;
  Status UseRules(Owner* owner, const Definition& definition);
  Status UseTrigger(Owner* owner, const Definition& definition);
  void RemoveRule(const OwnRule& rule);
  void RemoveTrigger(Owner* owner);
  void Index();  // what owners read, after one has changed

  // ---- ticks.cc
  // Gives the events of the clock that have come.
  void Tick(int64_t now_ms, const std::function<void(const EventPtr&)>& give);
  void SaveTicks(event::StateWriter& out);

  FlowOptions options;
  std::unique_ptr<table::Batch> batch;
  std::unique_ptr<BatchReader> reader;
  std::map<std::string, std::unique_ptr<Owner>, std::less<>> owners;
  trigger::Matcher triggers;
  std::vector<const std::string*> trigger_owners;  // by number
  std::vector<trigger::Match> triggered;           // scratch
  RuleSet plain, rows;  // of rules that name no stream, and those that do
  std::set<std::string, std::less<>> wanted_rows;  // public names of streams that rules read
  std::unordered_map<std::string, std::vector<Owner*>> sources;  // by event id: whose streams
  struct Clock {
    int64_t last_ms = -1;  // of the last event; below 0: none yet
    bool changed = false;
  };
  std::map<int64_t, Clock> clocks;             // by period
  std::set<std::string, std::less<>> deletes;  // keys of state, with the next commit
  // While an entry runs.
  std::deque<Step> queue;
  std::vector<graph::Output> outputs;
  int64_t arrival_ms = 0, host_ms = 0;
  uint64_t number = 0;
};

}  // namespace ferry::flow
