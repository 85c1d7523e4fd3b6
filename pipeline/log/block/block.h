// Events of one write, in columns. Internal to the room.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "pipeline/log/block/names.h"
#include "pipeline/log/block/shape.h"
#include "pipeline/log/log.h"

namespace ferry::log {

// What one event may be charged, so that all of event::kMaxEventBytes fit; and a block.
inline constexpr size_t kMaxEventCharge = event::kMaxEventBytes + (4 << 10);
inline constexpr size_t kMaxBlockCharge = kGroupBytes + kMaxEventCharge;
inline constexpr size_t kMaxPayloadBytes = 4 << 20;  // encoded, before zstd

// An event taken apart, ready to be added.
struct Prepared {
  std::string kind;  // its id, a zero byte, its shape
  Flat flat;
  std::string page;
  int64_t time_ms = 0, arrival_ms = 0;
  size_t charge = 0;
};
Prepared Prepare(const event::Event& event, int64_t arrival_ms);

// Collects events, then writes them once.
class BlockBuilder {
 public:
  void Add(Prepared event);
  // The payload; what it names is counted in `names`.
  std::string Encode(const HeadNames& head, NameCounts* names) const;

  size_t count() const { return kinds_.size(); }
  size_t charge() const { return charge_; }
  int64_t last_arrival_ms() const { return arrivals_.empty() ? 0 : arrivals_.back(); }

  uint64_t first = 0;    // number of the first event
  int64_t since_ns = 0;  // when the first came, by the clock

 private:
  struct Column {
    std::vector<int64_t> numbers;
    std::vector<double> reals;
    std::vector<std::string> texts;
  };
  struct Kind {
    std::string name;
    std::string leaves;
    std::vector<Column> columns;
  };
  std::unordered_map<std::string, size_t> by_name_;
  std::vector<Kind> all_;
  std::vector<int64_t> kinds_, arrivals_, behind_;  // of each event; behind: arrival - time
  std::vector<std::string> pages_;
  size_t charge_ = 0;
};

// The events of a payload, numbered from `first`. kMalformed for all that no builder writes; never
// more than kMaxBlockCharge.
Result<std::vector<Entry>> DecodeBlock(std::string_view payload, const HeadNames& head,
                                       uint64_t first, size_t count);

}  // namespace ferry::log
