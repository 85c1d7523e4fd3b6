// Live events for all readers at once: one thread looks at what changed, and each reader is pushed
// what it has not heard. Readers cost no thread.
// ---- hub.cc log.cc
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "cloud-server/admin/admin.h"
#include "cloud-server/admin/http.h"
#include "cloud-server/admin/rights/rights.h"
#include "common/base/json.h"

namespace ferry::server {

inline constexpr size_t kMaxLiveStreams = 256;     // in all
inline constexpr size_t kMaxSessionStreams = 8;    // of one session: a browser needs one
inline constexpr size_t kMaxLiveReleases = 256;    // that are final and remembered
inline constexpr int64_t kLiveLookMs = 1'000;      // how soon a stream notices that it shall end
inline constexpr int64_t kLivePauseMs = 200;       // between two looks, however much changes
inline constexpr int64_t kLiveSilenceMs = 15'000;  // then a comment says that the line is alive

// What readers were told, with numbers; whoever names a number is told what changed since.
class LiveLog {
 public:
  // `boot` names this start of the server: ids of another are of no use.
  explicit LiveLog(std::string boot) : boot_(std::move(boot)) {}

  // Notes all of one thing; `fresh` gains the event that tells what is new of it.
  void Tell(const std::string& kind, const std::string& key, Json data, bool is_final,
            std::string* fresh);
  // What a reader hears first: with the id that it heard last what changed since, or where that is
  // not known any more "reset"; with none, all that may still change.
  std::string Greeting(const std::string& last_id) const;

 private:
  struct Told {
    std::string kind;
    Json data;
    uint64_t number = 0;  // of its last event
    bool is_final = false;
  };
  bool Knows(const std::string& id, uint64_t* number) const;
  std::string TextSince(uint64_t number, bool with_final) const;
  std::string IdOf(uint64_t number) const;
  void ForgetFinal();

  const std::string boot_;
  uint64_t number_ = 0;  // of the last event
  uint64_t floor_ = 0;   // what changed before is not all remembered
  std::map<std::string, Told> told_;
};

// Any thread; what `admin` names outlives it.
class LiveHub {
 public:
  explicit LiveHub(const AdminOptions& admin);
  ~LiveHub();

  // The answer to `request` of `who`, which ends with who's session; kUnavailable when there are
  // too many.
  HttpResponse Open(const HttpRequest& request, const Identity& who);
  size_t streams() const;

 private:
  struct Reader {
    std::shared_ptr<void> seat;
    HttpRequest caller;  // what says who calls
    std::shared_ptr<Push> push;
    int64_t told_ns = 0;
  };
  using ReaderPtr = std::shared_ptr<Reader>;

  std::shared_ptr<void> TakeSeat(const std::string& session);  // null: there is none
  void Greet(ReaderPtr reader, const std::string& last_id);
  void Run();
  void LetGo();
  // With mutex_ held.
  Status Look(std::string* fresh);
  Status LookAtReleases(Transaction& tx, std::string* fresh);
  void TellVerify(std::string* fresh);
  void SendAll(const std::string& fresh);

  const AdminOptions& admin_;
  mutable std::mutex seats_mutex_;
  std::multiset<std::string> seats_;  // of each stream its session
  std::mutex mutex_;                  // guards the rest
  std::condition_variable joined_;
  bool stopping_ = false;
  bool first_ = true;    // nobody has looked yet
  uint64_t looked_ = 0;  // the rollout's count of changes at the last look
  LiveLog log_;
  std::set<std::string> final_;  // releases that change no more, and were told or are old
  std::vector<ReaderPtr> readers_;
  std::thread thread_;  // starts with the first reader
};

}  // namespace ferry::server
