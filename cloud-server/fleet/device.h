// One device as lists show it: what rules see of it, and what the server knows beside.
// ---- device.cc
#pragma once

#include <map>
#include <optional>
#include <string>

#include "cloud-server/core/rows.h"
#include "cloud-server/fleet/parts.h"
#include "cloud-server/list/row.h"
#include "common/base/json_fwd.h"

namespace ferry::server::fleet {

struct Device : list::Row {
  bool blocked = false;
  int64_t enrolled_ms = 0;
  int64_t last_seen_ms = 0;
  int64_t root_version = 0;                    // 0: it never said
  std::map<std::string, std::string> running;  // version by package
  std::string state;                           // of its state directory; empty: nothing was noted
  int64_t state_ms = 0;
  Codes codes{};  // what PartCodes gave; no part of what is shown

  list::Value At(size_t column) const override;
};

// What the row says; `running` and `state` stay empty.
Device DeviceFrom(const DeviceRow& row);
// As GET /api/v1/devices shows it.
Json ToJson(const Device& device);

// What filters over devices know: all names of rules, the columns that devices are sorted by, and
// runs("digits") == "1.0.0".
const list::Vocabulary& DeviceVocabulary();
// text("berlin"): a part of the id or of any other word of the device.
const target::Predicate* DeviceTextPredicate();
// The part that a column of DeviceVocabulary shows; none where it is no part.
std::optional<Part> PartOfColumn(size_t column);
// Whether a word of that part has `text` in it, letters of ASCII in either case.
bool PartHasText(const Device& device, size_t part, std::string_view text);

}  // namespace ferry::server::fleet
