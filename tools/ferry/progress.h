// One line on standard error for work that takes longer than a second. Source: own.
#pragma once

#include <cstdint>
#include <string>

namespace ferry::cli {

// "sealing digits 1.0.0: 42 % of 12.3 MB": the same line again and again on a terminal, a line
// every other second elsewhere. Nothing when the work is done within a second. One thread.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void Show(uint64_t done, uint64_t all);

 private:
  std::string what_;
  int64_t next_ns_;
  bool terminal_;
  bool shown_ = false;
};

// "12.3 MB" (decimal units), "812 bytes".
std::string SizeText(uint64_t bytes);

}  // namespace ferry::cli
