// What may go up the tunnel. The device asks before a record gets a number in its outbox, and the
// server asks for every record that arrives: one function, so that what the one accepts the other
// can store. A record that is refused after it has a number would stand before all later ones.
#pragma once

#include <string_view>

#include "common/base/status.h"

namespace ferry::event {

inline constexpr size_t kMaxRecordBytes = 64 << 10;  // of the stream's name and the JSON text

// `stream` is a name (CheckName); `json` is one JSON value in UTF-8, nested at most kMaxJsonDepth
// deep, with numbers that fit a double; together at most kMaxRecordBytes. kMalformed or
// kLimitExceeded say which, and with what limit.
Status CheckRecord(std::string_view stream, std::string_view json);

}  // namespace ferry::event
