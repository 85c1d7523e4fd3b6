// Works off what this device shall have: each package apart from the others, several at once. One
// that fails or waits holds up no other but those that require it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "device-runtime/agent/parts.h"
#include "device-runtime/agent/pull/held.h"
#include "device-runtime/agent/pull/install.h"

namespace ferry::agent {

inline constexpr size_t kMaxInstallsAtOnce = 4;

class Reconciler {
 public:
  struct Ended {
    Status status;             // as Install::Asks::on_end says
    uint64_t room_needed = 0;  // where it is kDiskFull
    bool finished = false;     // every package of the document is settled, well or badly
  };
  // `on_ended` after each install; what it calls here begins a new round.
  Reconciler(const Parts& parts, std::function<void(const Ended&)> on_ended);

  // The gateway has a document with this counter. When it is newer than the one that is carried
  // out, no install of that switches any more.
  void Announce(int64_t counter);
  // It was asked for what was announced, and gave what it has.
  void Answered() { announced_ = 0; }
  // `desired` is what is to be carried out from now on: installs that it wants as they are go on,
  // others end; what is unsettled begins. `one`: it speaks of one package only, and what is known
  // of others stays known. Packages that are `held` do not begin, and the document is not finished.
  void Take(trust::Desired desired, bool one, bool by_push, const std::set<std::string>& held);
  // Drops all installs.
  void Stop();
  // What waits for its conditions, and why.
  const std::map<std::string, std::string>& held() const { return held_.reasons(); }

 private:
  void KeepWanted();
  void BeginOutcomes(bool one);
  void ObserveWanted();
  // Reports once more how a wish ended that the server has no answer to.
  void AnswerAgain(const std::string& package);
  bool Settled(const std::string& package) const;
  // Whether it may be queued: its conditions hold. What can never begin is noted and reported.
  bool MayBegin(const std::string& package);
  void LookAtHeld();
  void StartSome();
  void StartOne(const std::string& package);
  void OnEnd(const std::string& package, const Status& status);
  void NoteEnd(const std::string& package, const Status& status);
  bool Finish();
  // Lets go on those whose needs are settled, or that wait for each other.
  void LookAtParked();
  bool MayGoOn(const std::string& package) const;
  size_t active() const;

  Parts parts_;
  std::function<void(const Ended&)> on_ended_;
  trust::Desired desired_;
  int64_t announced_ = 0;
  bool by_push_ = false;
  std::map<std::string, std::unique_ptr<Install>> installs_;
  Held held_;
  std::vector<std::string> queue_;  // to be started in this round, first first
  // How often the server left a question of each unanswered, which breaks the line for all: who did
  // so least is started first.
  std::map<std::string, int> unanswered_;
  Alive alive_;
};

}  // namespace ferry::agent
