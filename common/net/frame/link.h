// The socket's side of a channel. For this room only.
#pragma once

#include <atomic>
#include <list>
#include <memory>

#include "common/net/frame/channel.h"
#include "common/net/io/watchdog.h"

namespace ferry::net {

inline constexpr int64_t kWriteStallMs = 30'000;  // a piece that the peer does not take for so long
inline constexpr int64_t kCloseMs = 5'000;        // for what is queued when a channel is closed
inline constexpr size_t kWritePiece = 64 << 10;
inline constexpr size_t kFirstPiece = 1
                                      << 10;  // of a frame; each further one doubles what is there
inline constexpr size_t kMaxUndelivered = 8 << 20;  // frames that the user has not taken yet
inline constexpr size_t kMaxUndeliveredCompact = 512 << 10;  // the same of small frames
inline constexpr size_t kMaxUndeliveredStranger = 64 << 10;  // the same of who is not admitted
inline constexpr size_t kMaxQueuedStranger = 64 << 10;       // frames that it has not taken
// What a frame that waits takes beside its bytes: many small ones are much, too.
inline constexpr size_t kFrameOverhead = 256;
inline constexpr size_t kLengthBytes = 4;  // of a frame at most

// Lives on the strand of its stream, but for what is marked. While nothing happens it waits for one
// byte of a length and holds nothing else.
class Link : public std::enable_shared_from_this<Link> {
 public:
  using OnFrame = std::function<bool(Bytes)>;  // false: the user is gone
  using OnEnd = std::function<void(Status)>;
  Link(std::shared_ptr<Stream> stream, ChannelOptions options);
  ~Link();

  // Any thread, each at most once: begins to read; queues bytes; closes after what is queued.
  void Start(OnFrame on_frame, OnEnd on_end);
  void Send(Bytes framed);
  void Close();
  // Any thread: the other side is no stranger any more.
  void Admit();
  // Any thread: the user took a frame of `bytes`.
  void Taken(size_t bytes);
  // Any thread: bytes sent by the user and not yet on the wire, with kFrameOverhead each.
  std::atomic<size_t> queued{0};
  // Any thread: the most of them.
  size_t most_queued() const;

 private:
  // read.cc
  void Read();
  void OnRead(const ErrorCode& error, size_t got);
  Status Advance(size_t got);
  Status CheckSize(size_t size);
  void Deliver();
  void WaitForRoom();
  size_t most_undelivered() const;

  asio::awaitable<void> WriteLoop();
  asio::awaitable<void> Shut();
  void WakeWriter();
  void End(Status why);

  std::shared_ptr<Stream> stream_;
  ChannelOptions options_;
  std::atomic<bool> admitted_;
  std::shared_ptr<Watchdog> watchdog_;
  std::list<Bytes> queue_;
  bool writing_ = false;
  bool closing_ = false;
  bool ended_ = false;
  OnFrame on_frame_;
  OnEnd on_end_;
  Status end_;  // when it ended before Start
  uint8_t head_[kLengthBytes];
  LengthReader length_;
  Bytes frame_;        // the part of it that is there, and room for the next piece
  size_t filled_ = 0;  // bytes of the length's next piece, or of `frame_`
  std::atomic<size_t> undelivered_{0};
  std::unique_ptr<asio::steady_timer>
      room_;  // made when first needed; cancelled when there is room
};

}  // namespace ferry::net
