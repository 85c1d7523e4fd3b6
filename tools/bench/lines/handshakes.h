// How many TLS handshakes a second one client and a server manage, one after another.
#pragma once

#include "common/net/client.h"
#include "common/trust/join.h"

namespace ferry::lines {

struct HandshakeFigures {
  int64_t count = 0;
  double per_second = 0;
  double cpu_us = 0;  // of this process, for each
};

// kUnavailable and what else a dial may end with.
Result<HandshakeFigures> MeasureHandshakes(const trust::JoinToken& token, int64_t count,
                                           bool resume);

}  // namespace ferry::lines
