// A list of fields that rules have as `per`, and the key that they give for an event: made once an
// event, however many rules ask. Internal to the room.
#pragma once

#include <string>
#include <vector>

#include "pipeline/rule/match/runs.h"

namespace ferry::rule {

struct PerList {
  std::vector<std::string> fields;
  uint64_t read_seq = 0;
  std::string key;

  const std::string& Of(const Arrival& now) {
    if (read_seq != now.seq) {
      read_seq = now.seq;
      key = KeyText(fields, *now.event);
    }
    return key;
  }
};

}  // namespace ferry::rule
