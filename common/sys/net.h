// The network as an interface, at the level of messages: ordered frames between two ends, and
// ranges of content. common/net implements it with TLS over sockets, sim/ in one process with
// delays, losses and cuts.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/sys/filesystem.h"

namespace ferry::sys {

inline constexpr size_t kMaxFrameBytes = 4 << 20;  // one frame; a larger one closes the channel
inline constexpr size_t kMaxQueuedSendBytes = 16 << 20;  // waiting to be sent on one channel

struct Endpoint {
  std::string host;
  uint16_t port = 0;
  // Who is there, for Fetch; Dial takes a server alone.
  enum class Kind : uint8_t {
    kServer,    // over TLS, under the authorities that are believed
    kWeb,       // over TLS, under those of the system: content that anybody may have
    kPlainWeb,  // without TLS: the same
  };
  Kind kind = Kind::kServer;
};

// What a channel tells its user, always on the executor that the channel was made for, never from
// within a call to the channel. After OnClose nothing follows.
struct ChannelEvents {
  std::function<void(ByteView frame)> on_frame;     // the view lives until it returns
  std::function<void(const Status& why)> on_close;  // also after the peer's end; ok() never
};

// An open two-way channel of frames. Dropping it closes it, without events. Use it on its executor
// only.
class FrameChannel {
 public:
  virtual ~FrameChannel() = default;
  // Sets who listens; frames that came before wait for it. Call once.
  virtual void Start(ChannelEvents events) = 0;
  // Queues one frame. kLimitExceeded past kMaxFrameBytes or kMaxQueuedSendBytes, kUnavailable once
  // closed.
  virtual Status Send(ByteView frame) = 0;
  // Sends what is queued, then closes. on_close is called with kCancelled.
  virtual void Close() = 0;
  virtual std::string peer() const = 0;  // for logs
  // The other side has proved who it is. Before, a server's channel takes small frames only and
  // may be closed for another; without effect on other channels.
  virtual void Admit() {}
};

// Opens channels and fetches content; the executor that callbacks run on is given when the
// implementation is made.
class Dialer {
 public:
  using OnDial = std::function<void(Result<std::unique_ptr<FrameChannel>>)>;
  // Receives a piece of a body; an error ends the fetch with that error.
  using OnData = std::function<Status(uint64_t offset, ByteView piece)>;
  using OnDone = std::function<void(Status)>;
  // Told before the first piece that comes from elsewhere: who gives it, as "https://host".
  using OnMoved = std::function<void(const std::string& place)>;
  virtual ~Dialer() = default;
  // From now on servers of these authorities are believed and no others; what is open stays open.
  // kInvalidArgument for one that is none, and all is as before. Without effect where servers need
  // no authority.
  virtual Status Believe(const std::vector<std::string>& authorities) {
    (void)authorities;
    return OkStatus();
  }
  // Errors: kUnavailable, kUntrustedServer (its certificate is not of the pinned authority),
  // kDeadlineExceeded.
  virtual void Dial(const Endpoint& to, OnDial done) = 0;
  // GET `path` from byte `offset` to the end. kNotFound, kOutOfRange, kTruncatedContent (the line
  // broke; resume from the last offset), and those of Dial. `authorization`, when not empty, goes
  // into that header as it is, to a server alone. A server that is asked with kMayRedirectQuery
  // may send the fetch on to a web server, once, which is told no authorization; `moved` (may be
  // empty) hears of it.
  virtual void Fetch(const Endpoint& to, const std::string& path, uint64_t offset,
                     const std::string& authorization, OnData data, OnDone done, OnMoved moved) = 0;
};

// Behind a path: who asks goes to where it is sent on to.
inline constexpr char kMayRedirectQuery[] = "?redirect";

// What a GET answers with: `file` from byte 0 to `size`.
struct Content {
  std::unique_ptr<ReadableFile> file;
  uint64_t size = 0;
};

// Content that a server serves, by path and the value of the Authorization header ("" when there is
// none). Called from several threads at once. Errors: kNotFound, kUnauthenticated (401) and others
// by their HTTP status in common/base/errors.inc.
class ContentSource {
 public:
  virtual ~ContentSource() = default;
  virtual Result<Content> Open(const std::string& path, const std::string& authorization) = 0;
  // The URL at which who may follow it finds the same; empty: it is here alone. Errors as of Open.
  virtual Result<std::string> Elsewhere(const std::string& /*path*/,
                                        const std::string& /*authorization*/) {
    return std::string();
  }
};

}  // namespace ferry::sys
