// What goes wrong between a whole agent and the server. Its line is ordered, as TLS is: a message
// that is lost takes the line with it, one that is late holds up those behind it, and what comes
// twice or turned around is what the agent says again over the next line. What is wrong with a
// download is a mirror's, whom the server sent the agent on to.
// ---- faulty_line.cc
#pragma once

#include <memory>
#include <string>

#include "common/sys/executor.h"
#include "common/sys/net.h"

namespace ferry::fleetsim {

class Sim;

// `device`: its number in the fleet, at `host`. All but `inner` is borrowed.
std::unique_ptr<sys::Dialer> MakeFaultyDialer(Sim& sim, int64_t device, std::string host,
                                              sys::Executor& executor,
                                              std::unique_ptr<sys::Dialer> inner);

}  // namespace ferry::fleetsim
