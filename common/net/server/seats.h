// Who holds a server's connections: how many there may be in all, of one address, and of strangers,
// which are those that have not proved who they are. For this room only.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "common/net/io/stream.h"
#include "common/net/server.h"
#include "common/sys/refusals.h"

namespace ferry::net {

class Seats;

// One connection, counted for as long as someone holds this. Any thread.
class Seat {
 public:
  explicit Seat(std::shared_ptr<Seats> seats) : seats_(std::move(seats)) {}
  Seat(const Seat&) = delete;
  ~Seat();
  // It is no stranger any more; until Reenter.
  void Admit();
  // A stranger again, as if it had come now: what it was admitted for is over.
  void Reenter();
  // Something of it was refused: for the log.
  void NoteRefusal(const std::string& kind, const std::string& text);

 private:
  const std::shared_ptr<Seats> seats_;
  uint64_t id_ = 0;  // 0: counted nowhere
  friend class Seats;
};

// Any thread.
class Seats : public std::enable_shared_from_this<Seats> {
 public:
  explicit Seats(const ServerLimits& limits) : limits_(limits) {}

  // A new connection, a stranger yet. Where there are too many strangers the oldest is closed,
  // unless its grace lasts. Null: there is no room, which the log says; throws what new throws.
  std::shared_ptr<Seat> Take(const std::shared_ptr<Stream>& stream, const std::string& address);
  // Closes all; no further one is taken.
  void Close();
  size_t count() const;

 private:
  friend class Seat;
  using Clock = std::chrono::steady_clock;
  struct Address {
    size_t lines = 0;
    std::set<uint64_t> strangers;  // by age
  };
  struct Line {
    std::weak_ptr<Stream> stream;
    std::map<std::string, Address>::iterator address;
    Clock::time_point since;
  };

  void Sit(Seat& seat, const std::shared_ptr<Stream>& stream, const std::string& address);
  Status MakeRoom(const std::string& address);
  // False when even the oldest's grace lasts.
  bool CloseOldest(const std::set<uint64_t>& strangers);
  void Admit(uint64_t id);
  void Reenter(Seat& seat);
  void NoteRefusal(uint64_t id, const std::string& kind, const std::string& text);
  void Leave(uint64_t id);
  void ForgetStranger(uint64_t id);

  const ServerLimits limits_;
  sys::RefusalLog refusals_{"net"};
  mutable std::mutex mutex_;  // of all below
  bool closed_ = false;
  uint64_t next_id_ = 1;
  std::map<uint64_t, Line> lines_;
  std::map<std::string, Address> addresses_;
  std::set<uint64_t> strangers_;  // by age
};

// What counts as one address: all of it in IPv4, the first 64 bits in IPv6, of which one subscriber
// has all that begin alike.
std::string AddressKey(const asio::ip::address& address);

}  // namespace ferry::net
