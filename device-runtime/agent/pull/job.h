// Asks what this device shall have and verifies the answer: roots -> poll -> document -> timestamp,
// snapshot, targets. What it wants is then the Reconciler's.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "device-runtime/agent/parts.h"
#include "device-runtime/agent/pull/refresh.h"

namespace ferry::agent {

class Job {
 public:
  struct Asks {
    // The document was asked for: what else there is may be sent.
    std::function<void()> on_polled;
    // What is wanted, verified. `one`: it is an assignment, which is about one package only.
    // Packages that are `held` wait: metadata has expired, and they would bring in what is new.
    std::function<void(trust::Desired desired, bool one, std::set<std::string> held)> on_desired;
    // How it ended; ok also when the server has nothing newer. May drop the job.
    std::function<void(const Status&)> on_end;
  };
  Job(const Parts& parts, bool by_push, Asks asks);

  void Start();
  bool polled() const { return polled_; }

 private:
  void Poll();
  void OnDocument(const std::string& document);
  Status Check(ByteView document);
  // A root that came between two answers makes the later one look forged: begins again, once, when
  // there is a newer root, and fails with `error` otherwise. False: it began again before, or
  // `error` is no wrong signature.
  bool BeginAgain(const Status& error);
  void OnChain(const Status& status);
  // Packages that must wait although `expired` does not stop a way back or a removal.
  std::set<std::string> HeldOf(const trust::Desired& desired) const;
  // The document of this device's own files first; one that is refused is reported once and holds
  // up no package.
  void TakePersonal();
  void OnPersonal(const Status& status);
  void LeaveAbsent(trust::Desired* desired) const;
  void ReportWoken();
  void ReportFailure(const Status& error);
  void HandOver();
  // Signed metadata that is too old or not whole may be put right by the server at any time: only
  // what fails `for_good` ends the document.
  void Fail(const Status& error, bool for_good = false);
  Status CauseOf(const Status& error) const;
  void End(const Status& status);

  Parts parts_;
  bool by_push_;
  Asks asks_;
  std::unique_ptr<Refresh> refresh_;
  bool polled_ = false;
  bool began_again_ = false;
  bool woken_ = false;   // and reported so
  int64_t counter_ = 0;  // of the document; 0: none yet
  // The document is one of these.
  std::optional<trust::Assignment> assignment_;
  std::optional<trust::Desired> desired_;
  Alive alive_;
};

}  // namespace ferry::agent
