#include "tools/ferry/stream/run/log_events.h"

namespace ferry::cli {
namespace {

constexpr uint64_t kPieceEvents = 256;
constexpr size_t kMaxPieces = 256;

}  // namespace

rule::EventPtr LogEvents::Find(uint64_t number) {
  const uint64_t piece = number / kPieceEvents;
  auto found = pieces_.find(piece);
  if (found == pieces_.end()) {
    if (pieces_.size() >= kMaxPieces) pieces_.clear();
    found = pieces_.try_emplace(piece).first;
    std::vector<rule::EventPtr>& events = found->second;
    // What cannot be read is gone, as what is damaged.
    (void)log_.ForEach(piece * kPieceEvents, piece * kPieceEvents + kPieceEvents - 1,
                       [&events](const log::Entry& entry) {
                         events.push_back(std::make_shared<const event::Event>(entry.event));
                         return true;
                       });
  }
  for (const rule::EventPtr& event : found->second)
    if (event->number == number) return event;
  return nullptr;
}

}  // namespace ferry::cli
