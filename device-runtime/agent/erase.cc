// What is known of who uses the device goes, here first and then at the server, which is told until
// it has said what it removed. The wish and both receipts are in the outbox.
#include <charconv>

#include "common/base/log.h"
#include "common/proto/wire.pb.h"
#include "device-runtime/agent/agent_impl.h"
#include "device-runtime/agent/state/profile.h"

namespace ferry::agent {
namespace {

constexpr std::string_view kServerAsks = "server:";
constexpr size_t kMaxReceiptBytes = 64 << 10;

// The server's number in what AskedBy says; 0: the app asked.
uint64_t RequestOf(std::string_view asked) {
  uint64_t request = 0;
  if (!asked.starts_with(kServerAsks)) return 0;
  asked.remove_prefix(kServerAsks.size());
  std::from_chars(asked.data(), asked.data() + asked.size(), request);
  return request;
}

}  // namespace

void Agent::Impl::OnAskErase(uint64_t request) {
  const std::string asked = std::string(kServerAsks) + std::to_string(request);
  const store::Erasure last = given.outbox->last_erasure();
  // Done before: the answer was lost, or the server was restored. It is told again.
  if (last.asked == asked && !last.device.empty()) return SendErased(last);
  LogInfo("agent", "the server asks for an erasure");
  if (options.on_erase) return options.on_erase(asked);
  const Status erased = [&]() -> Status {
    FERRY_ASSIGN_OR_RETURN(const uint64_t number,
                           given.outbox->BeginErase(asked, given.clock->NowUnixMs()));
    FERRY_TRY(ForgetUser(*given.fs, options.directory));
    FERRY_ASSIGN_OR_RETURN(const store::ErasedCounts counts,
                           tasks.Erase(given.outbox->position().value_or(0)));
    return given.outbox->NoteErased(
        number, WriteJson(store::ErasedToJson(counts, given.clock->NowUnixMs())), "");
  }();
  if (!erased.ok()) {
    journal.NoteError(erased.Context("erasing"), given.clock->NowUnixMs());
    return LogError("agent", "erasing: {}", erased.ToString());
  }
  TellErased();
}

void Agent::Impl::TellErased() {
  const store::Erasure last = given.outbox->last_erasure();
  if (last.number != 0 && !last.device.empty() && last.cloud.empty()) SendErased(last);
}

void Agent::Impl::SendErased(const store::Erasure& last) {
  if (!link.server_erases() || telling_erased) return;
  telling_erased = true;
  proto::Envelope request;
  proto::EraseData* erase = request.mutable_erase_data();
  erase->set_number(last.number);
  erase->set_request(RequestOf(last.asked));
  erase->set_asked_ms(last.asked_ms);
  erase->set_receipt(last.device);
  link.Ask(request, alive.Guard([this](Result<const proto::Envelope*> answer) {
    telling_erased = false;
    if (!answer.ok()) return LogWarn("agent", "erasing: {}", answer.status().ToString());
    const proto::DataErased& erased = (*answer)->data_erased();
    const auto receipt = ParseJson(erased.receipt().substr(0, kMaxReceiptBytes));
    Status noted = receipt.status();
    if (receipt.ok()) noted = given.outbox->NoteErased(erased.number(), "", WriteJson(*receipt));
    if (!noted.ok()) return LogWarn("agent", "erasing: {}", noted.ToString());
    LogInfo("agent", "the server has erased what it had of this device");
  }));
}

Result<store::ErasedCounts> Agent::Erase(uint64_t position) {
  FERRY_TRY(ForgetUser(*impl_->given.fs, impl_->options.directory));
  return impl_->tasks.Erase(position);
}

void Agent::TellErased() {
  impl_->telling_erased = false;
  impl_->TellErased();
}

}  // namespace ferry::agent
