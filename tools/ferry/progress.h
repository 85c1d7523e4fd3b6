// One line on standard error for work that takes longer than a second.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace ferry::cli {

// "sealing digits 1.0.0: 42 % of 12.3 MB": the same line again and again on a terminal, a line
// every other second elsewhere. Nothing when the work is done within a second. One thread.
class Progress {
 public:
  explicit Progress(const std::string& what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void Show(uint64_t done, uint64_t all);
  // "scoring: window 3 of 20": the same with words for how far it is.
  void Say(const std::string& how_far);

 private:
  bool Due();

  std::string what_;
  int64_t next_ns_;
  bool terminal_;
  bool shown_ = false;
};

// "converting resnet50.onnx: 3 s" for work whose share is not known: from the first second until it
// is destroyed, by a thread of its own.
class Working {
 public:
  explicit Working(const std::string& what);
  ~Working();
  Working(const Working&) = delete;
  Working& operator=(const Working&) = delete;

 private:
  void Run();

  std::string what_;
  std::mutex mutex_;  // guards done_
  std::condition_variable wake_;
  bool done_ = false;
  std::thread thread_;
};

// "12.3 MB" (decimal units), "812 bytes".
std::string SizeText(uint64_t bytes);

}  // namespace ferry::cli
