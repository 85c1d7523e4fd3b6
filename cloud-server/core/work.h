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
  // What differs from the rows that Make got. CHECKs the invariants: counters and stages only grow,
  // members never leave, counts are not negative.
  Changes Finish();

  const ReleaseRows& rows;  // as they were
  const int64_t now_ms;
  stage::Plan plan;
  gate::Settings settings;
  ReleaseRow release;
  std::vector<StageRow> stages;
  std::map<std::string, MemberRow> members;          // by device
  std::map<std::string, AssignmentRow> assignments;  // by device
  std::map<std::string, SliceRow> slices;            // by slice
  bool run_simulation = false;
  bool completed = false;

  void AddEvent(std::string kind, std::string text);
  void AddEvent(std::string kind, std::string text, Json numbers);
  const stage::Stage& present_stage() const;
  // Gives the device a new assignment with the next counter, and wakes it.
  void Assign(const std::string& device, std::string action, std::vector<std::string> targets,
              std::vector<std::string> exclusive);
  // Whether another package's release still waits for the device's answer.
  bool IsBusyElsewhere(const std::string& device) const;
  // Whether that answer is to a rollback.
  bool GoesBackElsewhere(const std::string& device) const;
  // Whether the device's present assignment is this release's.
  bool HoldsAssignment(const std::string& device) const;

 private:
  Work(const ReleaseRows& from, int64_t now);
  std::vector<EventRow> events_;
  std::vector<std::string> wake_;
};

// stages.cc: moves the release into stage `index` (or completes it past the last one).
void EnterStage(Work& work, int64_t index);
// intake.cc: offers the package to the devices that the present stage takes.
void TakeIn(Work& work);
// back.cc: the release turns round (or stops, without a fallback); SendBack assigns the fallback to
// every member and finishes when all have answered.
void BeginRollback(Work& work, const std::string& kind, const std::string& why, Json numbers);
void SendBack(Work& work);
// gates.cc
void RecountSlices(Work& work);
// Who confirmed and was heard from a while later (min_healthy_ms of the stage) is healthy: a
// device that dies as soon as it runs the version does not speak again.
void MarkHeard(Work& work);
void MarkOverdue(Work& work, int64_t hearing_since_ms);
// Adds or removes one member in the counts of its slices.
void CountMember(Work& work, const MemberRow& member, int64_t by);
// Asks the gates of the present stage; null state: kPass with no verdicts.
gate::Judgement Judge(const Work& work);
Json NumbersOf(const gate::Judgement& judgement);
// report.cc
void ApplyReport(Work& work, const ReportRow& report);

// The slices that a member counts in, by the profile it was offered with.
std::vector<std::string> SlicesOfMember(const MemberRow& member);

}  // namespace ferry::server
