// Runs of functions as state: begun ones, which are done again after a kill, and outcomes that were
// not yet handed on. Keys begin with a part's own letter, beside those of pipeline/flow.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "pipeline/flow/start.h"

namespace ferry::task {

struct TaskOutcome;

inline constexpr char kBegunKey[] = "p/";    // and the run's number
inline constexpr char kOutcomeKey[] = "o/";  // and the run's number

// A key of a run; numbers sort as they count.
std::string RunKey(std::string_view part, uint64_t run);
// nullopt: no key of a run.
std::optional<uint64_t> RunOfKey(std::string_view part, std::string_view key);

std::string TextOfStart(const flow::Start& start);
// The start gives its function the same argument. kMalformed.
Result<flow::Start> StartFromText(std::string_view text);

// "" for one over kMaxKeptOutcome.
std::string TextOfOutcome(const TaskOutcome& outcome);
// Its outcome is `fired` and `again`. kMalformed.
Result<std::unique_ptr<TaskOutcome>> OutcomeFromKeptText(std::string_view text);

}  // namespace ferry::task
