#include "tools/ferry/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "common/sys/clock.h"
#include "tools/ferry/text/visible.h"

namespace ferry::cli {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;

}  // namespace

Progress::Progress(const std::string& what)
    : what_(Visible(what)),
      next_ns_(sys::SystemClock().MonotonicNs() + kSecondNs),
      terminal_(::isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
  if (shown_ && terminal_) std::fputs("\n", stderr);
}

bool Progress::Due() {
  const int64_t now = sys::SystemClock().MonotonicNs();
  if (now < next_ns_) return false;
  next_ns_ = now + (terminal_ ? kSecondNs / 10 : 2 * kSecondNs);
  return true;
}

void Progress::Show(uint64_t done, uint64_t all) {
  const double percent =
      all == 0 ? 100.0 : 100.0 * static_cast<double>(done) / static_cast<double>(all);
  Say(fmt::format("{:.0f} % of {}", percent, SizeText(all)));
}

void Progress::Say(const std::string& how_far) {
  if (!Due()) return;
  shown_ = true;
  const std::string line = fmt::format("{}: {}", what_, how_far);
  std::fputs((terminal_ ? "\r" + line + "\x1b[K" : line + "\n").c_str(), stderr);
}

Working::Working(const std::string& what) : what_(Visible(what)), thread_([this] { Run(); }) {}

Working::~Working() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Working::Run() {
  const bool terminal = ::isatty(STDERR_FILENO) != 0;
  bool shown = false;
  int seconds = 0;
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, std::chrono::seconds(1), [this] { return done_; })) {
    ++seconds;
    // Elsewhere than on a terminal the second, fourth, eighth ... is enough.
    if (!terminal && (seconds & (seconds - 1)) != 0) continue;
    const std::string line = fmt::format("{}: {} s", what_, seconds);
    std::fputs((terminal ? "\r" + line + "\x1b[K" : line + "\n").c_str(), stderr);
    shown = true;
  }
  if (shown && terminal) std::fputs("\n", stderr);
}

std::string SizeText(uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} bytes", bytes);
  const double value = static_cast<double>(bytes);
  if (bytes < 1000 * 1000) return fmt::format("{:.1f} kB", value / 1e3);
  if (bytes < 1000 * 1000 * 1000) return fmt::format("{:.1f} MB", value / 1e6);
  return fmt::format("{:.2f} GB", value / 1e9);
}

}  // namespace ferry::cli
