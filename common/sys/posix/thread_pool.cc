#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "common/sys/executor.h"

namespace ferry::sys {
namespace {

using Body = std::function<void(int64_t, int64_t)>;

class Serial : public Parallel {
 public:
  int width() const override { return 1; }
  void For(int64_t count, int64_t, const Body& body) override {
    if (count > 0) body(0, count);
  }
};

// How long a thread looks for work before it sleeps: longer than what lies between two steps of a
// model, far below what a person or a battery notices.
constexpr int64_t kSpinNs = 100'000;
constexpr int kLooksPerClock = 16;

int64_t NowNs() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Looks until ready() or, when `spins`, kSpinNs have passed; returns whether it is ready.
template <typename Ready>
bool Spin(bool spins, const Ready& ready) {
  if (ready()) return true;
  if (!spins) return false;
  const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(kSpinNs);
  do {
    for (int i = 0; i < kLooksPerClock; ++i) {
      if (ready()) return true;
      Pause();
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

// The processors that this thread may run on, in order.
std::vector<int> AllowedProcessors() {
  std::vector<int> allowed;
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return allowed;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) allowed.push_back(cpu);
  }
  return allowed;
}

// Each For is a round. Every thread has a share of the pieces of its own, the same part of each
// round, so that what a thread wrote in one round lies in its cache in the next; one that is done
// takes from others that are far behind. Threads that have not joined when all pieces are taken are
// not waited for: on a busy machine they may not run for milliseconds. No lock, no allocation.
class ThreadPool : public Parallel {
 public:
  ThreadPool(int threads, bool pin) : shares_(std::make_unique<Share[]>(Size(threads))) {
    // More threads than processors: one that spins would keep another from its work.
    spins_ = threads <= static_cast<int>(std::thread::hardware_concurrency());
    const std::vector<int> allowed = pin ? AllowedProcessors() : std::vector<int>();
    for (int i = 1; i < threads; ++i) {
      workers_.emplace_back([this, i] { Work(i); });
      if (!allowed.empty()) Pin(workers_.back(), allowed[Size(i) % allowed.size()]);
    }
  }

  ~ThreadPool() override {
    stopping_.store(true);
    epoch_.fetch_add(1);
    epoch_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }

  int width() const override { return static_cast<int>(workers_.size()) + 1; }

  void For(int64_t count, int64_t grain, const Body& body) override {
    if (count <= 0) return;
    grain = std::max<int64_t>(grain, 1);
    // Four pieces a thread even out pieces that take longer; none is under the grain.
    const int64_t wanted = int64_t{width()} * kPiecesPerThread;
    const int64_t pieces = std::clamp<int64_t>(count / grain, 1, std::min(wanted, count));
    if (pieces == 1 || workers_.empty()) {
      body(0, count);
      return;
    }
    body_ = &body;
    count_ = count;
    pieces_ = pieces;
    for (int i = 0; i < width(); ++i) {
      shares_[Size(i)].next.store(FirstOf(i), std::memory_order_relaxed);
    }
    gate_.store(kOpen);  // publishes the above
    epoch_.fetch_add(1);
    if (sleepers_.load() > 0) epoch_.notify_all();
    TakePieces(0);
    gate_.fetch_and(~kOpen);
    const auto done = [this] { return gate_.load() == 0; };
    if (Spin(spins_, done)) return;
    for (uint32_t joined = gate_.load(); joined != 0; joined = gate_.load()) gate_.wait(joined);
  }

 private:
  static constexpr int64_t kPiecesPerThread = 4;
  static constexpr int64_t kLeftPieces = 2;
  static constexpr int64_t kMaxPatienceNs = 20'000;
  static constexpr uint32_t kOpen = 1u << 31;  // of gate_; the rest counts threads that joined

  struct alignas(64) Share {
    std::atomic<int64_t> next{0};  // the first piece that nobody has taken
  };

  static size_t Size(int i) { return static_cast<size_t>(i); }
  int64_t FirstOf(int thread) const { return pieces_ * thread / width(); }
  // Where a piece begins: all have count_ / pieces_ indices or one more, and those spread evenly.
  int64_t BeginOf(int64_t piece) const {
    return count_ / pieces_ * piece + count_ % pieces_ * piece / pieces_;
  }

  static void Pin(std::thread& thread, int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    // Not being allowed to is no error: it runs where the system puts it.
    (void)::pthread_setaffinity_np(thread.native_handle(), sizeof set, &set);
  }

  // The share of `thread`, then what others are late with. A piece that changes hands costs more
  // than its work when its memory lies in its owner's cache: the last pieces are left to a thread
  // that is about to take them, for as long as that may last.
  void TakePieces(int thread) {
    const int64_t start = NowNs();
    TakeFrom(thread, 0);
    const int64_t end = NowNs();
    const int64_t patience = std::min(kMaxPatienceNs, (end - start) / 2);
    for (int i = 1; i < width(); ++i) TakeFrom((thread + i) % width(), kLeftPieces);
    for (int i = 1; i < width(); ++i) {
      const int of = (thread + i) % width();
      while (IsLeft(of) && NowNs() - end < patience) {
        for (int k = 0; k < kLooksPerClock && IsLeft(of); ++k) Pause();
      }
      TakeFrom(of, 0);
    }
  }

  bool IsLeft(int share) const {
    return shares_[Size(share)].next.load(std::memory_order_relaxed) < FirstOf(share + 1);
  }

  // All pieces of a share but the last `leave`.
  void TakeFrom(int share, int64_t leave) {
    const int64_t end = FirstOf(share + 1);
    std::atomic<int64_t>& next = shares_[Size(share)].next;
    while (next.load(std::memory_order_relaxed) < end - leave) {
      const int64_t at = next.fetch_add(1, std::memory_order_relaxed);
      if (at >= end) break;
      (*body_)(BeginOf(at), BeginOf(at + 1));
    }
  }

  // Joins the round if it is open. Joining one round twice is harmless: its pieces are taken.
  bool Join() {
    uint32_t gate = gate_.load();
    while ((gate & kOpen) != 0) {
      if (gate_.compare_exchange_weak(gate, gate + 1)) return true;
    }
    return false;
  }

  void Work(int thread) {
    int seen = 0;
    for (;;) {
      if (!Spin(spins_, [&] { return epoch_.load() != seen; })) {
        sleepers_.fetch_add(1);
        epoch_.wait(seen);
        sleepers_.fetch_sub(1);
      }
      seen = epoch_.load();
      if (stopping_.load()) return;
      if (!Join()) continue;
      TakePieces(thread);
      if (gate_.fetch_sub(1) == 1) gate_.notify_one();
    }
  }

  std::unique_ptr<Share[]> shares_;  // by thread; 0 is the caller
  bool spins_ = true;
  std::atomic<bool> stopping_{false};
  // Written by For while the gate is closed and empty.
  const Body* body_ = nullptr;
  int64_t count_ = 0, pieces_ = 0;
  alignas(64) std::atomic<int> epoch_{0};  // rounds begun; what sleeping workers wait on
  std::atomic<int> sleepers_{0};
  alignas(64) std::atomic<uint32_t> gate_{0};
  std::vector<std::thread> workers_;  // last: they use all above
};

constexpr int kMaxThreads = 256;

int DefaultThreads() {
  int threads = static_cast<int>(std::thread::hardware_concurrency());
  if (const char* text = std::getenv("FERRY_THREADS")) {
    std::from_chars(text, text + std::strlen(text), threads);
  }
  return threads;
}

bool PinByDefault() {
  const char* text = std::getenv("FERRY_PIN");
  return text != nullptr && std::string_view(text) == "1";
}

}  // namespace

Parallel& SerialParallel() {
  static Serial serial;
  return serial;
}

std::unique_ptr<Parallel> StartThreadPool(int threads, Pinning pinning) {
  if (threads <= 0) threads = DefaultThreads();
  const bool pin = pinning == Pinning::kPin || (pinning == Pinning::kDefault && PinByDefault());
  return std::make_unique<ThreadPool>(std::clamp(threads, 1, kMaxThreads), pin);
}

}  // namespace ferry::sys
