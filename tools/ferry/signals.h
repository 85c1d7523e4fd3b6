// Ctrl-C and SIGTERM as something to wait for, instead of an end. Source: the self-pipe trick after
// D. J. Bernstein.
#pragma once

#include <initializer_list>
#include <memory>
#include <vector>

#include "common/base/status.h"

namespace ferry::cli {

// While it lives, these signals are counted and do nothing else. One at a time in a process.
class Signals {
 public:
  static Result<std::unique_ptr<Signals>> Catch(std::initializer_list<int> signals);
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  // How many came since Catch or Reset; any thread.
  int count() const;
  // The one that came last; 0 before the first.
  int last() const;
  void Reset();
  // Readable after a signal, for poll; Drain makes it unreadable again and keeps the count.
  int descriptor() const;
  void Drain();
  // Returns when count() is not 0.
  void Wait();

 private:
  Signals() = default;
  struct Saved;
  std::vector<Saved> saved_;
};

}  // namespace ferry::cli
