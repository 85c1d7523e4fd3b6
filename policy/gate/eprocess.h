// The failure test that may be looked at after every report: a mixture e-process on Bernoulli
// outcomes of distinct devices. Pure. Source: Ville's inequality; likelihood ratio of p against p0
// averaged over p uniform on [p0, 1] (a test supermartingale for every failure rate up to p0), as
// in Ramdas et al., "Game-theoretic statistics and safe anytime-valid inference", 2023.
#pragma once

#include <cstdint>

namespace ferry::gate {

inline constexpr double kToleratedRate = 0.012;  // p0: 1.2 percent of devices may fail
inline constexpr double kAlpha = 0.01;           // chance that a healthy release is ever stopped

// log of 1/(1-p0) * integral over [p0,1] of p^failed (1-p)^healthy / (p0^failed (1-p0)^healthy).
// Counts are of distinct devices, not negative; p0 in (0, 1). Time O(sqrt(failed + healthy)).
double LogEValue(int64_t failed, int64_t healthy, double p0);

// Whether the evidence reaches 1/alpha.
bool EvidenceStops(int64_t failed, int64_t healthy, double p0, double alpha);

}  // namespace ferry::gate
