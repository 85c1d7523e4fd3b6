#include "tools/fleetsim/world/checker.h"

#include "common/trust/envelope.h"

namespace ferry::fleetsim {

Checker::Checker(int threads) {
  for (int i = 1; i < threads; ++i) threads_.emplace_back([this] { Work(); });
}

Checker::~Checker() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

Checker::Ticket Checker::Begin(server::UnsignedAnswer answer, Bytes document,
                               bool check_signature) {
  auto ticket = std::make_shared<Check>();
  ticket->answer = std::move(answer);
  ticket->document = std::move(document);
  ticket->check_signature = check_signature;
  if (threads_.empty()) return ticket;
  {
    std::lock_guard lock(mutex_);
    waiting_.push_back(ticket);
  }
  changed_.notify_all();
  return ticket;
}

Checker::Ticket Checker::Unsigned(server::UnsignedAnswer answer) const {
  auto ticket = std::make_shared<Check>();
  if (auto* desired = std::get_if<trust::Desired>(&answer)) {
    ticket->desired = std::move(*desired);
    ticket->named = Named(ticket->desired);
    ticket->is_signed = true;
  } else {
    ticket->status = Status(Code::kInternal, "a small device reads desired states alone");
  }
  ticket->state = Check::State::kDone;
  return ticket;
}

void Checker::Finish(const Ticket& ticket) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ticket->state != Check::State::kTaken; });
    if (ticket->state == Check::State::kDone) return;
    ticket->state = Check::State::kTaken;  // a thread that comes to it passes it over
  }
  Do(*ticket);
  std::lock_guard lock(mutex_);
  ticket->state = Check::State::kDone;
}

void Checker::Work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
    if (stopping_) return;
    const Ticket ticket = std::move(waiting_.front());
    waiting_.pop_front();
    if (ticket->state != Check::State::kWaiting) continue;
    ticket->state = Check::State::kTaken;
    lock.unlock();
    Do(*ticket);
    lock.lock();
    ticket->state = Check::State::kDone;
    changed_.notify_all();
  }
}

// By the text, so that no mistake of who reads the document hides one of who wrote it.
uint32_t Checker::Named(const Bytes& document) const {
  uint32_t named = 0;
  for (size_t i = 0; i < versions_.size(); ++i) {
    const std::string text = "\"version\":\"" + versions_[i] + "\"";
    if (AsText(document).find(text) != std::string_view::npos) named |= uint32_t{1} << i;
  }
  return named;
}

uint32_t Checker::Named(const trust::Desired& desired) const {
  uint32_t named = 0;
  for (const auto& [name, package] : desired.packages)
    for (size_t i = 0; i < versions_.size(); ++i)
      if (package.version == versions_[i]) named |= uint32_t{1} << i;
  return named;
}

void Checker::Do(Check& check) const {
  const auto read = [&]() -> Status {
    if (check.document.empty()) {
      FERRY_ASSIGN_OR_RETURN(check.document, server::Rollout::Sign(check.answer, *director_));
      check.named = Named(check.document);
    }
    FERRY_ASSIGN_OR_RETURN(const trust::Envelope envelope, trust::ParseEnvelope(check.document));
    const Status verified =
        trust::VerifyEnvelope(envelope, root_.keys, root_.director, "desired state");
    check.is_signed = verified.ok();
    if (check.check_signature) FERRY_TRY(verified);
    FERRY_ASSIGN_OR_RETURN(check.desired, trust::DesiredFromJson(envelope.signed_part));
    return OkStatus();
  };
  check.status = read();
  check.answer = {};
  check.document.clear();
  check.document.shrink_to_fit();
}

}  // namespace ferry::fleetsim
