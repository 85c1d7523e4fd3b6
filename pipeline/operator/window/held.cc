#include "pipeline/operator/window/held.h"

#include <algorithm>
#include <limits>

namespace ferry::operators {

void SaveRow(const Row& row, ByteWriter* out) {
  out->I64(row.time_ms);
  out->Value(row.fields);
  out->U64(row.origin != nullptr ? 1 : 0);
  if (row.origin == nullptr) return;
  out->Text(row.origin->event);
  out->Text(row.origin->page);
}

Row LoadRow(ByteReader* in) {
  Row row;
  row.time_ms = in->I64();
  row.fields = in->Value();
  if (in->U64() == 0) return row;
  event::Origin origin;
  origin.event = std::string(in->Text());
  origin.page = std::string(in->Text());
  row.origin = std::make_shared<const event::Origin>(std::move(origin));
  return row;
}

namespace {

std::pair<int64_t, std::string> PlaceOf(const Row& row) {
  std::string text = WriteJson(row.fields);
  if (row.origin != nullptr) text += '\0' + row.origin->event + '\0' + row.origin->page;
  return {row.time_ms, std::move(text)};
}

}  // namespace

void HeldRows::Add(Row row) {
  auto place = PlaceOf(row);
  rows_.emplace(std::move(place), Held{std::move(row), next_id_++, false});
}

std::vector<Row> HeldRows::TakeBefore(int64_t time_ms) {
  std::vector<Row> out;
  while (!rows_.empty() && rows_.begin()->first.first < time_ms) {
    Held& held = rows_.begin()->second;
    if (held.saved) gone_.push_back(held.id);
    out.push_back(std::move(held.row));
    rows_.erase(rows_.begin());
  }
  return out;
}

void HeldRows::SaveChanges(event::StateWriter& out) {
  for (const uint64_t id : gone_) out.Delete("h" + OrderedBytes(id));
  gone_.clear();
  if (saved_id_ + 1 == next_id_) return;
  for (auto& [place, held] : rows_) {
    if (held.saved) continue;
    std::string bytes;
    ByteWriter writer(&bytes);
    SaveRow(held.row, &writer);
    out.Put("h" + OrderedBytes(held.id), bytes);
    held.saved = true;
  }
  saved_id_ = next_id_ - 1;
}

const Row* HeldRows::Load(std::string_view key, std::string_view value) {
  if (key.size() != 9) return nullptr;
  uint64_t id = 0;
  for (const char c : key.substr(1)) id = id << 8 | static_cast<uint8_t>(c);
  ByteReader in(value);
  Row row = LoadRow(&in);
  if (!in.Done() || id == std::numeric_limits<uint64_t>::max()) return nullptr;
  auto place = PlaceOf(row);
  const auto at = rows_.emplace(std::move(place), Held{std::move(row), id, true});
  next_id_ = std::max(next_id_, id + 1);
  saved_id_ = next_id_ - 1;
  return &at->second.row;
}

}  // namespace ferry::operators
