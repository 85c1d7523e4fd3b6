// What the door of `ferry serve` holds of its clients, and what it says of those that it refuses.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>

namespace ferry::cli {

inline constexpr size_t kMaxServeConnections = 256;  // more are closed at once
// Bodies that are read or answered at the same time, those below kFreeBodyBytes left out.
inline constexpr uint64_t kMaxServeBodiesBytes = 64 << 20;
inline constexpr uint64_t kFreeBodyBytes = 64 << 10;

// Any thread.
class DoorLimits {
 public:
  // A connection of `peer`; false: it is one too many, which is said in the log.
  bool Connect(const std::string& peer);
  void Disconnect(const std::string& peer);
  // A body of so many bytes; false: there is no room for it now.
  bool TakeBody(uint64_t bytes, const std::string& peer);
  void GiveBody(uint64_t bytes);
  // On standard error, at most once a minute for each kind and peer.
  void Note(const std::string& kind, const std::string& peer, const std::string& text);

 private:
  std::mutex mutex_;  // guards all
  std::multiset<std::string> peers_;
  uint64_t bodies_ = 0;
  std::map<std::string, std::chrono::steady_clock::time_point> told_;
};

// Room for a body while it lives.
class BodyRoom {
 public:
  BodyRoom(DoorLimits& limits, uint64_t bytes, const std::string& peer)
      : limits_(limits), bytes_(bytes), taken_(limits.TakeBody(bytes, peer)) {}
  ~BodyRoom() {
    if (taken_) limits_.GiveBody(bytes_);
  }
  BodyRoom(const BodyRoom&) = delete;
  BodyRoom& operator=(const BodyRoom&) = delete;
  bool taken() const { return taken_; }

 private:
  DoorLimits& limits_;
  const uint64_t bytes_;
  const bool taken_;
};

}  // namespace ferry::cli
