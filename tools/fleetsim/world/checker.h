// Signing what devices are told, and their checks of it, which are most of what server and devices
// compute: on other threads where there are some. What comes out depends on the document alone,
// and is taken when the device would have it, so that no run depends on the number of threads.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "cloud-server/rollout/rollout.h"
#include "common/trust/desired.h"
#include "common/trust/root.h"

namespace ferry::fleetsim {

class Checker {
 public:
  struct Check {
    server::UnsignedAnswer answer;  // to be signed
    Bytes document;                 // or signed already
    bool check_signature = true;
    Status status;
    bool is_signed = false;  // by the director, whether that was asked or not
    trust::Desired desired;
    uint32_t named = 0;  // versions that what was signed here names: a set of bits
    enum class State { kWaiting, kTaken, kDone } state = State::kWaiting;  // under the lock
  };
  using Ticket = std::shared_ptr<Check>;

  explicit Checker(int threads);
  ~Checker();
  // By whose keys, and what versions are called; before the first Begin. `director` is borrowed.
  void Use(const trust::Root& root, const trust::SigningKey& director,
           std::vector<std::string> versions) {
    root_ = root;
    director_ = &director;
    versions_ = std::move(versions);
  }
  // `document` empty: `answer` is signed first.
  Ticket Begin(server::UnsignedAnswer answer, Bytes document, bool check_signature);
  // What reading it would give if `answer` were signed; nobody signs or checks it.
  Ticket Unsigned(server::UnsignedAnswer answer) const;
  // Waits for it, or does it here when nobody has begun.
  void Finish(const Ticket& ticket);

 private:
  void Work();
  void Do(Check& check) const;
  uint32_t Named(const Bytes& document) const;
  uint32_t Named(const trust::Desired& desired) const;

  trust::Root root_;
  const trust::SigningKey* director_ = nullptr;
  std::vector<std::string> versions_;
  std::mutex mutex_;  // of the members below, and of Check::state
  std::condition_variable changed_;
  std::deque<Ticket> waiting_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace ferry::fleetsim
