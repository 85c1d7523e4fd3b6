#include "pipeline/operator/window/pane.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "pipeline/operator/operator.h"
#include "pipeline/operator/value.h"

namespace ferry::operators {
namespace {

constexpr size_t kMinTracked = 64;  // changed panes that are listed before the list is tidied

size_t RoundUp(size_t bytes) {
  return (bytes + kAggregateAlign - 1) / kAggregateAlign * kAggregateAlign;
}

size_t TextBytes(const Json& value) {
  if (const auto* text = value.get_ptr<const std::string*>()) return text->size();
  return value.is_structured() ? WriteJson(value).size() : 0;
}

}  // namespace

Inputs::Inputs(const std::vector<AggregateSpec>& specs) {
  for (const AggregateSpec& spec : specs) {
    const Takes takes = FindAggregate(spec.op)->takes;
    if (takes == Takes::kNothing) {
      slots_.push_back(-1);
      continue;
    }
    const auto found = std::find_if(inputs_.begin(), inputs_.end(), [&](const Input& input) {
      return input.field.name() == spec.field;
    });
    slots_.push_back(static_cast<int>(found - inputs_.begin()));
    if (found == inputs_.end()) {
      inputs_.push_back({FieldRef(spec.field), takes == Takes::kNumber, spec.op});
    } else if (takes == Takes::kNumber && !found->number) {
      found->number = true;
      found->first = spec.op;
    }
  }
  scratch_.resize(inputs_.size());
  values_.resize(inputs_.size());
}

Status Inputs::Read(const Row& row) {
  for (size_t k = 0; k < inputs_.size(); ++k) {
    const Json& value = inputs_[k].field.Of(row, &scratch_[k]);
    values_[k] = &value;
    if (value.is_number() || value.is_null()) continue;
    if (inputs_[k].number)
      return Status::Of(Code::kInvalidArgument, "{} of field {} does not take {}", inputs_[k].first,
                        inputs_[k].field.name(), value.type_name());
    if (const size_t bytes = TextBytes(value); bytes > kMaxValueBytes)
      return Status::Of(Code::kLimitExceeded,
                        "{} of field {}: a value of {} bytes, the limit is {}", inputs_[k].first,
                        inputs_[k].field.name(), bytes, kMaxValueBytes);
  }
  return OkStatus();
}

Panes::Panes(const std::vector<AggregateSpec>* specs) : specs_(specs) {
  block_bytes_ = RoundUp(sizeof(Pane));
  for (const AggregateSpec& spec : *specs) {
    kinds_.push_back(FindAggregate(spec.op));
    offsets_.push_back(block_bytes_);
    block_bytes_ += RoundUp(kinds_.back()->size);
  }
  scratch_ = Make();
}

Panes::~Panes() {
  for (Pane* pane : all_) {
    for (size_t k = 0; k < kinds_.size(); ++k) at(pane, k)->~Aggregate();
    pane->~Pane();
    ::operator delete (pane, std::align_val_t{kAggregateAlign});
  }
}

Pane* Panes::Make() {
  void* block = ::operator new (block_bytes_, std::align_val_t{kAggregateAlign});
  Pane* pane = new (block) Pane;
  for (size_t k = 0; k < kinds_.size(); ++k) {
    Aggregate* made = kinds_[k]->make((*specs_)[k], static_cast<std::byte*>(block) + offsets_[k]);
    CHECK(static_cast<void*>(made) == static_cast<std::byte*>(block) + offsets_[k]);
  }
  all_.push_back(pane);
  return pane;
}

Pane* Panes::New() {
  if (free_.empty()) free_.push_back(Make());
  Pane* pane = free_.back();
  free_.pop_back();
  pane->id = next_id_++;
  ++open_;
  return pane;
}

void Panes::Free(Pane* pane) {
  if (pane->saved) gone_.push_back(pane->id);
  Reset(pane);
  pane->id = 0;
  pane->start_ms = pane->last_ms = pane->rows = 0;
  pane->next = nullptr;
  pane->dirty = pane->saved = false;
  free_.push_back(pane);
  --open_;
}

void Panes::Mark(Pane* pane) {
  pane->dirty = true;
  // Where nobody writes the state, the list of changes stays as short as that of panes.
  if (dirty_.size() >= 2 * open_ + kMinTracked)
    std::erase_if(dirty_,
                  [](const auto& one) { return one.first->id != one.second || !one.first->dirty; });
  dirty_.emplace_back(pane, pane->id);
}

void Panes::Add(Pane* pane, const Inputs& inputs, int64_t time_ms) {
  static const Json kNothing;
  for (size_t k = 0; k < offsets_.size(); ++k) {
    const Json* value = inputs.of(k);
    if (value == nullptr)
      at(pane, k)->Add(kNothing, time_ms);
    else if (!value->is_null())
      at(pane, k)->Add(*value, time_ms);
  }
  Touch(pane);
}

void Panes::Merge(Pane* pane, const Pane* from) {
  for (size_t k = 0; k < offsets_.size(); ++k) at(pane, k)->Merge(*at(from, k));
}

void Panes::Reset(Pane* pane) {
  for (size_t k = 0; k < offsets_.size(); ++k) at(pane, k)->Reset();
}

void Panes::FillErrors(const Pane* pane, Json* fields) const {
  for (size_t k = 0; k < offsets_.size(); ++k)
    if (const double error = at(pane, k)->error(); error > 0)
      (*fields)[(*specs_)[k].as + "_error"] = error;
}

std::string Panes::Bytes(const Pane* pane) const {
  std::string bytes;
  ByteWriter out(&bytes);
  out.I64(pane->start_ms);
  out.I64(pane->last_ms);
  out.I64(pane->rows);
  out.Text(pane->text);
  for (size_t k = 0; k < offsets_.size(); ++k) at(pane, k)->Save(&out);
  return bytes;
}

void Panes::SaveChanges(event::StateWriter& out) {
  for (const uint64_t id : gone_) out.Delete("p" + OrderedBytes(id));
  gone_.clear();
  for (const auto& [pane, id] : dirty_) {
    if (pane->id != id || !pane->dirty) continue;
    out.Put("p" + OrderedBytes(id), Bytes(pane));
    pane->dirty = false;
    pane->saved = true;
  }
  dirty_.clear();
}

Pane* Panes::Load(std::string_view key, std::string_view value) {
  if (key.size() != 9) return nullptr;
  uint64_t id = 0;
  for (const char c : key.substr(1)) id = id << 8 | static_cast<uint8_t>(c);
  Pane* pane = New();
  ByteReader in(value);
  pane->start_ms = in.I64();
  pane->last_ms = in.I64();
  pane->rows = in.I64();
  pane->text = std::string(in.Text());
  for (size_t k = 0; k < offsets_.size(); ++k) at(pane, k)->Load(&in);
  auto parsed = ParseJson(pane->text);
  if (id == 0 || id == UINT64_MAX || !in.Done() || !parsed.ok() || !parsed->is_array()) {
    Free(pane);
    return nullptr;
  }
  pane->key = std::move(*parsed);
  pane->code.clear();
  for (const Json& item : pane->key) AppendCode(item, &pane->code);
  pane->hash = HashCode(pane->code);
  pane->id = id;
  pane->saved = true;
  next_id_ = std::max(next_id_, id + 1);
  return pane;
}

uint64_t HashCode(std::string_view code) {
  return HashBytes(code, 1);
}

void PaneTable::Insert(Pane* pane) {
  if (size_ * 2 >= slots_.size()) Grow();
  size_t at = pane->hash & mask_;
  while (slots_[at].pane != nullptr) at = (at + 1) & mask_;
  slots_[at] = {pane->hash, pane};
  ++size_;
}

size_t PaneTable::IndexOf(const Pane* pane) const {
  size_t at = pane->hash & mask_;
  while (slots_[at].pane != pane) {
    CHECK(slots_[at].pane != nullptr);
    at = (at + 1) & mask_;
  }
  return at;
}

void PaneTable::Push(Pane* pane) {
  pane->next = Find(pane);
  if (pane->next != nullptr)
    Replace(pane->next, pane);
  else
    Insert(pane);
}

void PaneTable::Replace(Pane* old, Pane* with) {
  slots_[IndexOf(old)].pane = with;
}

void PaneTable::Erase(const Pane* pane) {
  size_t hole = IndexOf(pane);
  slots_[hole] = {};
  --size_;
  // What stands behind in the same run moves up unless its own place lies behind the hole.
  for (size_t at = (hole + 1) & mask_; slots_[at].pane != nullptr; at = (at + 1) & mask_) {
    const size_t wanted = slots_[at].hash & mask_;
    if (((at - wanted) & mask_) < ((at - hole) & mask_)) continue;
    slots_[hole] = slots_[at];
    slots_[at] = {};
    hole = at;
  }
}

void PaneTable::Clear() {
  std::fill(slots_.begin(), slots_.end(), Slot{});
  size_ = 0;
}

void PaneTable::Grow() {
  const std::vector<Slot> old = std::move(slots_);
  slots_.assign(std::max<size_t>(16, old.size() * 2), Slot{});
  mask_ = slots_.size() - 1;
  size_ = 0;
  for (const Slot& slot : old)
    if (slot.pane != nullptr) Insert(slot.pane);
}

}  // namespace ferry::operators
