// The outcome of a run as text beside its mark, for an app that had not got it when the process was
// killed.
#pragma once

#include <string>
#include <string_view>

namespace ferry::task {

struct EventOutcome;

inline constexpr size_t kMaxKeptOutcome = 1 << 20;

// "" for one over kMaxKeptOutcome.
std::string TextOf(const EventOutcome& outcome);
// `fired` and `again`; `unknown` when nothing of it was kept.
EventOutcome OutcomeFromText(std::string_view text);

}  // namespace ferry::task
