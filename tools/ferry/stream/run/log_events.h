// Events of a log by number, for rules that take up their state.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "pipeline/log/log.h"
#include "pipeline/rule/matcher.h"

namespace ferry::cli {

// Reads the events around a number at once: those of one rule lie close together.
class LogEvents {
 public:
  explicit LogEvents(log::Log& log) : log_(log) {}
  // Null when the log has it no more.
  rule::EventPtr Find(uint64_t number);

 private:
  log::Log& log_;
  std::unordered_map<uint64_t, std::vector<rule::EventPtr>> pieces_;
};

}  // namespace ferry::cli
