// Reports to the gateway.
#pragma once

#include "device-runtime/agent/parts.h"

namespace ferry::agent {

// Numbers the report, keeps it until it is acknowledged, and sends it when there is a line. A disk
// that does not take it is logged; the report still goes out.
void AddReport(const Parts& parts, Report report);
// Says that what this device is held back from (Journal::Observed) has begun for a package.
void ReportObserving(const Parts& parts, const std::string& package, const std::string& version);
// Sends all that wait: the line is new.
void SendWaiting(const Parts& parts);

}  // namespace ferry::agent
