#include <algorithm>
#include <atomic>
#include <charconv>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>
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

// Each For is a round: the workers and the caller take pieces from one counter until none is left.
class ThreadPool : public Parallel {
 public:
  explicit ThreadPool(int threads) {
    for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { Work(); });
  }

  ~ThreadPool() override {
    {
      std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    start_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }

  int width() const override { return static_cast<int>(workers_.size()) + 1; }

  void For(int64_t count, int64_t grain, const Body& body) override {
    if (count <= 0) return;
    grain = std::max<int64_t>(grain, 1);
    // Four pieces a thread even out pieces that take longer; the last piece takes the rest, so that
    // none is under the grain.
    const int64_t wanted = int64_t{width()} * kPiecesPerThread;
    const int64_t piece = std::max(grain, (count + wanted - 1) / wanted);
    const int64_t pieces = std::max<int64_t>(1, count / piece);
    if (pieces == 1 || workers_.empty()) {
      body(0, count);
      return;
    }
    {
      std::lock_guard lock(mutex_);
      body_ = &body;
      count_ = count;
      piece_ = piece;
      pieces_ = pieces;
      next_.store(0, std::memory_order_relaxed);
      busy_ = static_cast<int>(workers_.size());
      ++round_;
    }
    start_.notify_all();
    TakePieces();
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return busy_ == 0; });
  }

 private:
  static constexpr int64_t kPiecesPerThread = 4;

  void TakePieces() {
    for (;;) {
      const int64_t i = next_.fetch_add(1, std::memory_order_relaxed);
      if (i >= pieces_) return;
      (*body_)(i * piece_, i + 1 == pieces_ ? count_ : (i + 1) * piece_);
    }
  }

  void Work() {
    uint64_t seen = 0;
    std::unique_lock lock(mutex_);
    for (;;) {
      start_.wait(lock, [&] { return stopping_ || round_ != seen; });
      if (stopping_) return;
      seen = round_;
      lock.unlock();
      TakePieces();
      lock.lock();
      if (--busy_ == 0) done_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable start_, done_;
  bool stopping_ = false;
  uint64_t round_ = 0;
  int busy_ = 0;  // workers that have not finished this round
  const Body* body_ = nullptr;
  int64_t count_ = 0, piece_ = 0, pieces_ = 0;
  std::atomic<int64_t> next_{0};
  std::vector<std::thread> workers_;
};

constexpr int kMaxThreads = 256;

int DefaultThreads() {
  int threads = static_cast<int>(std::thread::hardware_concurrency());
  if (const char* text = std::getenv("FERRY_THREADS")) {
    std::from_chars(text, text + std::strlen(text), threads);
  }
  return threads;
}

}  // namespace

Parallel& SerialParallel() {
  static Serial serial;
  return serial;
}

std::unique_ptr<Parallel> StartThreadPool(int threads) {
  if (threads <= 0) threads = DefaultThreads();
  return std::make_unique<ThreadPool>(std::clamp(threads, 1, kMaxThreads));
}

}  // namespace ferry::sys
