// Fetches one sealed file, going on where it stopped: the part that came stays on the disk over
// losses and restarts. Source: HTTP ranges, RFC 9110.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/sys/executor.h"
#include "common/sys/filesystem.h"
#include "common/sys/net.h"
#include "common/trust/documents/mirror.h"
#include "common/trust/targets.h"
#include "device-runtime/agent/alive.h"
#include "device-runtime/agent/line/backoff.h"

namespace ferry::agent {

// Tries in a row that brought no byte, after which a download gives up with kUnavailable.
inline constexpr int kMaxFruitlessTries = 5;

// One download; lives on the executor of the dialer.
class Download {
 public:
  // Where the server gives content, and the bearer token for it.
  struct Origin {
    sys::Endpoint at;
    std::string token;
  };
  struct Options {
    sys::Executor* executor = nullptr;  // borrowed, as all below
    sys::FileSystem* fs = nullptr;
    sys::Dialer* dialer = nullptr;
    sys::Random* random = nullptr;
    BackoffOptions backoff;
    // Asked before each try: the line may lead to another node of the server by then.
    std::function<Origin()> from;
    std::string path;  // of the partial file; its directory exists
    trust::TargetEntry entry;
    // Tried before `from`, beginning with any of them, without the token: what they give is sealed,
    // and is checked as what the server gives. One that fails in any way is left for the next.
    std::vector<trust::Mirror> mirrors{};
  };
  // On success the whole file lies at options.path with the entry's length and SHA-256. A file
  // that has the length but not the hash is fetched once more from its start; then
  // kCorruptContent. More bytes than signed are refused as they come. Other errors: kDiskFull,
  // kIo, kNotFound, kUnauthenticated, kUnavailable.
  using OnDone = std::function<void(Status)>;
  Download(Options options, OnDone done);
  ~Download();

  void Start();
  uint64_t bytes_pulled() const { return pulled_; }  // over the network, by this object
  // Of whom a file that proved wrong came, beside the server: a mirror or where the server sent it
  // on to, or those that gave parts of it.
  const std::vector<std::string>& wrong_mirrors() const { return wrong_mirrors_; }

 private:
  void Try();
  bool at_mirror() const { return source_ < options_.mirrors.size(); }
  void LeaveMirror(const Status& why);
  std::string Url() const;
  Status OnData(uint64_t offset, ByteView piece);
  void OnEnd(const Status& end);
  void Check();
  void Again(const Status& why);
  void Finish(const Status& status);

  Options options_;
  OnDone done_;
  Backoff backoff_;
  std::unique_ptr<sys::WritableFile> file_;
  uint64_t have_ = 0;
  uint64_t pulled_ = 0;
  uint64_t pulled_before_ = 0;  // this try
  int fruitless_ = 0;
  bool restarted_ = false;
  size_t source_ = 0;              // a mirror, or behind them the server
  bool may_redirect_ = true;       // the server may send it on, as long as that brings something
  std::string sent_to_;            // where the server sent this try on to
  std::vector<std::string> used_;  // mirrors and the like that some of the file came from
  std::vector<std::string> wrong_mirrors_;
  sys::Executor::TimerId timer_ = 0;
  Alive alive_;
};

}  // namespace ferry::agent
