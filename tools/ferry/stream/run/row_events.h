// The rows of streams that rules see as events.
#pragma once

#include <memory>
#include <vector>

#include "device-runtime/task/rehearse/alone.h"
#include "pipeline/flow/definition.h"
#include "tools/ferry/stream/definition_file.h"

namespace ferry::cli {

// Whether some step of the rule takes rows of a stream: of its own task or, as TASK/STREAM, of
// another.
bool ReadsRows(const rule::Rule& rule, const flow::Definition& own);

// Gives each event and behind it the rows that it led to in the streams which rules of these tasks
// name, under the event's number. Functions of the tasks do not run: what they would emit is not
// there.
class RowEvents {
 public:
  static Result<std::unique_ptr<RowEvents>> Make(std::shared_ptr<const flow::Definition> own,
                                                 const std::vector<NamedTask>& others);
  void Add(const flow::EventPtr& event, std::vector<flow::EventPtr>* out);

 private:
  std::unique_ptr<task::Alone> tasks_;
  std::vector<std::string> wanted_;  // sorted
};

}  // namespace ferry::cli
