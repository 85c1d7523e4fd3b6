// Splitting work over threads without allocating.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "common/sys/executor.h"

namespace ferry::kernels {

// Of one piece: half a microsecond, as long as it takes to tell a thread that looks for work. Work
// that would hardly be split for its own sake is too: a step that runs on one thread alone moves
// what the others wrote to its cache, and they pay for that in the next steps.
inline constexpr int64_t kMinPieceSteps = 2048;

// Of a thread: with fewer it takes columns instead.
inline constexpr int64_t kLeastThreadRows = 32;

// Whether the threads of a product take rows, and all columns of them: what a thread writes it then
// reads in the next product, and no cache line lies with two threads (to write one that two have
// read costs more than what is computed of it). Few rows go to all threads, a part of the columns
// to each.
constexpr bool SplitsRows(int64_t rows, int64_t threads) {
  return threads == 1 || rows >= kLeastThreadRows * threads;
}

// body(begin, end) over [0, count); `steps` is the work of one index in elementary steps (a
// vectorised float operation counts 1/8 or so). No allocation: std::function of a reference.
template <typename Body>
void ForPieces(sys::Parallel& parallel, int64_t count, int64_t steps, const Body& body) {
  if (count <= 0) return;
  const int64_t grain = std::max<int64_t>(1, kMinPieceSteps / std::max<int64_t>(1, steps));
  if (parallel.width() == 1 || grain >= count) {
    body(int64_t{0}, count);
    return;
  }
  parallel.For(count, grain, std::cref(body));
}

}  // namespace ferry::kernels
