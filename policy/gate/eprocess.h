// Tests that may be looked at after every report: mixture e-processes on Bernoulli outcomes of
// distinct devices. Pure. Source: Ville's inequality; likelihood ratio of p against p0 averaged
// over p uniform on [p0, 1] (a test supermartingale for every failure rate up to p0), as in Ramdas
// et al., "Game-theoretic statistics and safe anytime-valid inference", 2023.
#pragma once

#include <cstdint>

namespace ferry::gate {

inline constexpr double kToleratedRate = 0.012;  // p0: 1.2 percent of devices may fail
inline constexpr double kAlpha = 0.01;           // chance that a healthy release is ever stopped

// log of 1/(1-p0) * integral over [p0,1] of p^failed (1-p)^healthy / (p0^failed (1-p0)^healthy).
// Counts are of distinct devices, not negative; p0 in (0, 1). Time O(sqrt(failed + healthy)).
//
// It grows with `failed` where failed + healthy stays, and shrinks with `healthy` where failed
// stays. So it may be asked with the failures known so far among the first n devices in the order
// of their exposure, whatever the delays of reports: that is at most its value with the final
// outcomes of these n devices, which is a supermartingale in n. By Ville's inequality the chance
// that it ever reaches 1/alpha, at any look and for any n, is at most alpha.
double LogEValue(int64_t failed, int64_t healthy, double p0);

// The same bound from another average: half of it as above, which sees a release that fails on most
// devices after a few of them, half over rates of some times p0, which sees those sooner (after 240
// devices instead of 281 at 5 percent). For many devices; LogEValue is better for a few.
double LogBroadEValue(int64_t failed, int64_t healthy, double p0);

// Whether the evidence reaches 1/alpha.
bool EvidenceStops(int64_t failed, int64_t healthy, double p0, double alpha);

// Outcomes of two cohorts that began in the same order and were watched equally long.
struct TwoCohorts {
  int64_t bad = 0;   // treated
  int64_t good = 0;  // treated; those that left before their outcome are among them
  int64_t control_bad = 0;
  int64_t control_good = 0;
};

// Evidence that treated devices are worse than those held back, where each device is held back with
// the chance control_share in (0, 1). As long as they are not worse, a bad device is a treated one
// with a chance of at most 1 - control_share and a good device is a control one with at most
// control_share, on bad days as on good ones: both are bets on the cohort of the next device, and
// their product is a supermartingale. The second pays where failures are many and costs more than
// it brings where they are few, so the bet is half with it and half without.
double LogCohortEValue(const TwoCohorts& counts, double control_share);

}  // namespace ferry::gate
