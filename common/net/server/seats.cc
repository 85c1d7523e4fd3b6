#include "common/net/server/seats.h"

#include <algorithm>

#include "common/net/io/watchdog.h"

namespace ferry::net {
namespace {

constexpr size_t kNetworkBytes = 8;  // of an IPv6 address

}  // namespace

Seat::~Seat() {
  seats_->Leave(id_);
}

void Seat::Admit() {
  seats_->Admit(id_);
}

void Seat::Reenter() {
  seats_->Reenter(*this);
}

void Seat::NoteRefusal(const std::string& kind, const std::string& text) {
  seats_->NoteRefusal(id_, kind, text);
}

std::shared_ptr<Seat> Seats::Take(const std::shared_ptr<Stream>& stream,
                                  const std::string& address) {
  auto seat = std::make_shared<Seat>(shared_from_this());
  Status room;
  {
    std::lock_guard lock(mutex_);
    if (closed_) return nullptr;
    room = MakeRoom(address);
    if (room.ok()) Sit(*seat, stream, address);
  }
  if (room.ok()) return seat;
  refusals_.Note("connection", address, room.message());
  return nullptr;
}

// What is counted already when memory runs out is counted back by the seat's end.
void Seats::Sit(Seat& seat, const std::shared_ptr<Stream>& stream, const std::string& address) {
  const auto at = addresses_.try_emplace(address).first;
  lines_.emplace(next_id_, Line{stream, at, Clock::now()});
  seat.id_ = next_id_++;
  ++at->second.lines;
  at->second.strangers.insert(seat.id_);
  strangers_.insert(seat.id_);
}

Status Seats::MakeRoom(const std::string& address) {
  if (lines_.size() >= static_cast<size_t>(limits_.max_connections)) {
    return Status::Of(Code::kLimitExceeded, "a connection: {} are open", lines_.size());
  }
  const auto at = addresses_.find(address);
  if (at != addresses_.end()) {
    const Address& own = at->second;
    if (own.lines >= static_cast<size_t>(limits_.max_connections_per_address)) {
      return Status::Of(Code::kLimitExceeded, "a connection: {} of this address are open",
                        own.lines);
    }
    if (own.strangers.size() >= static_cast<size_t>(limits_.max_strangers_per_address) &&
        !CloseOldest(own.strangers)) {
      return Status::Of(Code::kLimitExceeded,
                        "a connection: {} of this address have not proved who they are",
                        own.strangers.size());
    }
  }
  if (strangers_.size() >= static_cast<size_t>(limits_.max_strangers) && !CloseOldest(strangers_)) {
    return Status::Of(Code::kLimitExceeded, "a connection: {} have not proved who they are",
                      strangers_.size());
  }
  return OkStatus();
}

bool Seats::CloseOldest(const std::set<uint64_t>& strangers) {
  const uint64_t oldest = *strangers.begin();
  const Line& line = lines_.at(oldest);
  if (Clock::now() - line.since < std::chrono::milliseconds(limits_.stranger_grace_ms))
    return false;
  refusals_.Note("stranger", line.address->first,
                 "a connection that did not prove who it is makes room for a newer one");
  if (const auto stream = line.stream.lock()) {
    asio::post(stream->get_executor(), [stream] { CloseSocket(*stream); });
  }
  ForgetStranger(oldest);
  return true;
}

void Seats::ForgetStranger(uint64_t id) {
  strangers_.erase(id);
  lines_.at(id).address->second.strangers.erase(id);
}

void Seats::Admit(uint64_t id) {
  std::lock_guard lock(mutex_);
  ForgetStranger(id);
}

// Strangers make room by age, so that it gets a new number. Where memory runs out it stays what it
// is.
void Seats::Reenter(Seat& seat) {
  std::lock_guard lock(mutex_);
  auto node = lines_.extract(seat.id_);
  seat.id_ = node.key() = next_id_++;
  Line& line = lines_.insert(std::move(node)).position->second;
  line.since = Clock::now();
  line.address->second.strangers.insert(seat.id_);
  strangers_.insert(seat.id_);
}

void Seats::NoteRefusal(uint64_t id, const std::string& kind, const std::string& text) {
  std::string address;
  {
    std::lock_guard lock(mutex_);
    address = lines_.at(id).address->first;
  }
  refusals_.Note(kind, address, text);
}

void Seats::Leave(uint64_t id) {
  if (id == 0) return;
  std::lock_guard lock(mutex_);
  ForgetStranger(id);
  const auto at = lines_.find(id);
  if (--at->second.address->second.lines == 0) addresses_.erase(at->second.address);
  lines_.erase(at);
}

void Seats::Close() {
  std::lock_guard lock(mutex_);
  closed_ = true;
  for (const auto& [id, line] : lines_) {
    if (const auto stream = line.stream.lock()) {
      asio::post(stream->get_executor(), [stream] { CloseSocket(*stream); });
    }
  }
}

size_t Seats::count() const {
  std::lock_guard lock(mutex_);
  return lines_.size();
}

std::string AddressKey(const asio::ip::address& address) {
  if (address.is_v4()) return address.to_string();
  const auto v6 = address.to_v6();
  if (v6.is_v4_mapped()) return asio::ip::make_address_v4(asio::ip::v4_mapped, v6).to_string();
  auto bytes = v6.to_bytes();
  std::fill(bytes.begin() + kNetworkBytes, bytes.end(), 0);
  return asio::ip::address_v6(bytes).to_string() + "/64";
}

}  // namespace ferry::net
