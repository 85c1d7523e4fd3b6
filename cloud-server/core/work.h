// The working copy that one decision changes: rows by key, and what they were. Private to core.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cloud-server/core/apply.h"
#include "common/base/json_fwd.h"
#include "common/base/status.h"

namespace ferry::server {

class Work {
 public:
  static Result<Work> Make(const ReleaseRows& rows, int64_t now_ms);
  // What differs from the rows that Make got. CHECKs the invariants: stages only grow, members
  // never leave.
  Changes Finish();

  const ReleaseRows& rows;  // as they were
  const int64_t now_ms;
  stage::Plan plan;
  gate::Settings settings;
  ReleaseRow release;
  std::vector<StageRow> stages;
  std::map<std::string, MemberRow> members;  // by device: those that came with the rows
  bool look = false;
  bool run_simulation = false;
  bool completed = false;
  bool taken_back = false;

  void AddEvent(std::string kind, std::string text);
  void AddEvent(std::string kind, std::string text, Json numbers);
  const stage::Stage& present_stage() const;
  // As they are after what changed here.
  Tallies TalliesNow() const;
  Measured MeasuredNow() const;

 private:
  Work(const ReleaseRows& from, int64_t now);
  Tallies Increments() const;
  MetricTallies MetricIncrements() const;
  std::vector<EventRow> events_;
};

// stages.cc: moves the release into stage `index` (or completes it past the last one).
void EnterStage(Work& work, int64_t index);
// stages.cc: takes the judgement's slice out of the release, which goes on without it.
void StopSlice(Work& work, const gate::Judgement& judgement);
// back.cc: the release turns round (or stops, without a fallback or with nobody to send back);
// FinishRollback ends it when all have answered that can.
void BeginRollback(Work& work, const std::string& kind, const std::string& why, Json numbers);
void FinishRollback(Work& work);
// gates.cc
// Who confirmed and was heard from a while later (min_healthy_ms of the stage) is healthy: a
// device that dies as soon as it runs the version does not speak again.
void MarkHeard(Work& work);
void MarkOverdue(Work& work, int64_t hearing_since_ms);
// Ends the windows that are over: cohorts are compared by them.
void CloseWindows(Work& work);
// Asks the gates of the present stage; null state: kPass with no verdicts.
gate::Judgement Judge(const Work& work);
Json NumbersOf(const gate::Judgement& judgement);
// report.cc
void ApplyReport(Work& work, const ReportRow& report);

}  // namespace ferry::server
