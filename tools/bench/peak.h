// Loops of independent fused multiply-adds in registers: what one core can do at most.
#pragma once

namespace ferry::bench {

inline constexpr int kPeakSteps = 10000;

// Each runs kPeakSteps rounds and returns a number that keeps the work alive; *flops is the work.
float PeakAvx2(double* flops);
float PeakAvx512(double* flops);

}  // namespace ferry::bench
