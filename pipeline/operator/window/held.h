// Rows that wait for the watermark, to be taken in order of event time. Rows of one time leave in
// the order of their texts, so that the order of arrival does not matter.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "pipeline/event/event.h"
#include "pipeline/event/state.h"
#include "pipeline/operator/state_bytes.h"

namespace ferry::operators {

using event::Row;

void SaveRow(const Row& row, ByteWriter* out);
Row LoadRow(ByteReader* in);

class HeldRows {
 public:
  void Add(Row row);
  size_t size() const { return rows_.size(); }
  // The rows with times below this, taken out.
  std::vector<Row> TakeBefore(int64_t time_ms);
  // Pairs "h" id -> row.
  void SaveChanges(event::StateWriter& out);
  // The row, or null where the pair is none of these.
  const Row* Load(std::string_view key, std::string_view value);

 private:
  struct Held {
    Row row;
    uint64_t id;
    bool saved;
  };
  std::multimap<std::pair<int64_t, std::string>, Held> rows_;  // by time and text
  std::vector<uint64_t> gone_;
  uint64_t next_id_ = 1;
  uint64_t saved_id_ = 0;  // rows up to this were written
};

}  // namespace ferry::operators
