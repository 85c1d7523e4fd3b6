// One connection: proves its device, then carries up to llm::kMaxStreams sessions.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "common/proto/split.pb.h"
#include "device-runtime/llm/speculative/frames.h"
#include "device-runtime/llm/speculative/link.h"

namespace ferry::server {

inline constexpr int64_t kMaxBadFrames = 256;  // garbage and vain opens of one connection

inline constexpr int64_t kLogEveryMs = 1'000;
inline constexpr int64_t kAllowedMs = 5'000;  // a blocked device is cut off within

class VerifyService;
class VerifySession;

class Peer : public std::enable_shared_from_this<Peer> {
 public:
  Peer(VerifyService& service, std::unique_ptr<llm::SplitLink> link, std::string device,
       std::string name);
  ~Peer();
  void Start();

  const std::string& device() const { return device_; }
  double round_trip_ms() const { return round_trip_ms_; }
  // Bytes on the wire.
  int64_t Send(const llm::SplitFrame& frame, int64_t vocabulary);
  int64_t Send(uint8_t stream, const proto::SplitControl& control);
  void Refuse(uint8_t stream, const Status& why, int64_t retry_ms);
  // The session of a stream; null: none. The one before is detached.
  void Seat(uint8_t stream, const std::shared_ptr<VerifySession>& session);
  // Whether one more line about its sessions may be logged: one in kLogEveryMs.
  bool MayLog();
  void Bad();  // a frame that is none; too many end the connection
  // Ends it, since its device has more than `most` connections.
  void MakeRoom(int64_t most);
  // Ends it, for its server is about to go.
  void SendAway();
  bool at_rest() const;                      // nothing runs in any of its sessions
  uint64_t order() const { return order_; }  // of connections: later ones are greater
  bool ended() const { return ended_; }
  // Every now and then: measures the round trip, closes who never said hello.
  void Tick(int64_t now_ms);

 private:
  void OnFrame(ByteView frame);
  void OnControl(uint8_t stream, ByteView bytes);
  void OnHello(const proto::SplitHello& hello);
  void OnRound(ByteView frame, llm::FrameKind kind, uint8_t stream);
  void OnPong(uint32_t value);
  void End();  // tells sessions and service

  VerifyService& service_;
  std::unique_ptr<llm::SplitLink> link_;
  std::string device_;
  std::string name_;
  std::array<std::shared_ptr<VerifySession>, llm::kMaxStreams> streams_;
  const uint64_t order_;
  int64_t since_ms_;
  int64_t allowed_ms_;  // when its device was last seen not to be blocked
  int64_t logged_ms_ = INT64_MIN;
  int64_t bad_frames_ = 0;
  int64_t pinged_ms_ = -1;
  int64_t ping_ns_ = 0;  // when the last ping was sent
  uint32_t ping_ = 0;
  double round_trip_ms_ = -1;
  bool ended_ = false;
};

}  // namespace ferry::server
