#include "pipeline/log/block/block.h"

#include "pipeline/log/block/column.h"

namespace ferry::log {
namespace {

Status BadBlock(std::string_view what) {
  return Status::Of(Code::kMalformed, "a block of events: {}", what);
}

// One kind of event while a block is read.
struct DecodedKind {
  std::string_view id;
  Shape shape;
  size_t count = 0, next = 0;
  struct Column {
    std::vector<int64_t> numbers;
    std::vector<double> reals;
    DecodedTexts texts;
  };
  std::vector<Column> columns;
};

class Decoder {
 public:
  Decoder(std::string_view payload, const HeadNames& head) : in_(payload) {
    for (const std::string& name : head.all()) names_.push_back(name);
  }

  Result<std::vector<Entry>> Decode(uint64_t first, size_t count) {
    if (count == 0 || count > kMaxBlockCharge / kEventCharge) return BadBlock("its count");
    FERRY_TRY(ReadNames());
    FERRY_TRY(ReadKinds());
    const std::vector<int64_t> kinds = DecodeInts(count, &in_);
    const std::vector<int64_t> arrivals = DecodeInts(count, &in_);
    const std::vector<int64_t> behind = DecodeInts(count, &in_);
    DecodedTexts pages;
    DecodeTexts(count, names_, 4 * kMaxBlockCharge, &in_, &pages);
    if (!in_.ok()) return BadBlock("its columns");
    FERRY_TRY(ReadColumns(kinds));
    std::vector<Entry> out;
    for (size_t k = 0; k < count; ++k) {
      Entry entry;
      entry.arrival_ms = arrivals[k];
      event::Event& event = entry.event;
      event.number = first + k;
      event.time_ms = static_cast<int64_t>(static_cast<uint64_t>(arrivals[k]) -
                                           static_cast<uint64_t>(behind[k]));
      event.page = pages.views[k];
      FERRY_TRY(Take(&kinds_[static_cast<size_t>(kinds[k])], &event));
      out.push_back(std::move(entry));
    }
    return out;
  }

 private:
  Status ReadNames() {
    const uint64_t own = in_.Varint();
    if (own > in_.left()) return BadBlock("its names");
    for (uint64_t k = 0; k < own; ++k) names_.push_back(in_.Text());
    return in_.ok() ? OkStatus() : BadBlock("its names");
  }

  Status ReadKinds() {
    const uint64_t kinds = in_.Varint();
    if (kinds > in_.left()) return BadBlock("its kinds");
    for (uint64_t k = 0; k < kinds; ++k) {
      const uint64_t at = in_.Varint();
      if (!in_.ok() || at >= names_.size()) return BadBlock("its kinds");
      const std::string_view name = names_[at];
      const size_t zero = name.find('\0');
      if (zero == name.npos) return BadBlock("its kinds");
      DecodedKind& kind = kinds_.emplace_back();
      kind.id = name.substr(0, zero);
      FERRY_ASSIGN_OR_RETURN(kind.shape, ParseShape(name.substr(zero + 1)));
    }
    return OkStatus();
  }

  // Before a column is read, what all of its values take at least is charged.
  Status ReadColumns(const std::vector<int64_t>& kinds) {
    for (const int64_t kind : kinds) {
      if (static_cast<uint64_t>(kind) >= kinds_.size()) return BadBlock("an event's kind");
      DecodedKind& one = kinds_[static_cast<size_t>(kind)];
      ++one.count;
      FERRY_TRY(Charge(kEventCharge + one.id.size() + one.shape.other_bytes +
                       kLeafCharge * one.shape.leaves.size()));
    }
    for (DecodedKind& kind : kinds_) {
      for (const char leaf : kind.shape.leaves) {
        DecodedKind::Column& column = kind.columns.emplace_back();
        if (IsNumber(leaf)) column.numbers = DecodeInts(kind.count, &in_);
        if (leaf == kDouble) column.reals = DecodeDoubles(kind.count, &in_);
        if (IsText(leaf)) DecodeTexts(kind.count, names_, 4 * kMaxBlockCharge, &in_, &column.texts);
        if (!in_.ok()) return BadBlock("a column");
      }
    }
    return in_.at_end() ? OkStatus() : BadBlock("bytes behind its end");
  }

  Status Take(DecodedKind* kind, event::Event* event) {
    FERRY_TRY(Charge(event->page.size()));
    event->id = kind->id;
    std::vector<LeafValue> leaves(kind->columns.size());
    for (size_t k = 0; k < leaves.size(); ++k) {
      const DecodedKind::Column& column = kind->columns[k];
      const char leaf = kind->shape.leaves[k];
      if (IsNumber(leaf)) leaves[k].number = column.numbers[kind->next];
      if (leaf == kDouble) leaves[k].real = column.reals[kind->next];
      if (!IsText(leaf)) continue;
      FERRY_TRY(Charge(column.texts.views[kind->next].size()));
      leaves[k].text = column.texts.views[kind->next];
    }
    ++kind->next;
    FERRY_ASSIGN_OR_RETURN(event->data, Assemble(kind->shape, leaves));
    return OkStatus();
  }

  Status Charge(size_t bytes) {
    charge_ += bytes;
    return charge_ > kMaxBlockCharge ? BadBlock("more than a block may hold") : OkStatus();
  }

  ByteReader in_;
  std::vector<std::string_view> names_;
  std::vector<DecodedKind> kinds_;
  size_t charge_ = 0;
};

}  // namespace

Prepared Prepare(const event::Event& event, int64_t arrival_ms) {
  Prepared out;
  out.flat = Flatten(event.data);
  out.kind = event.id;
  out.kind += '\0';
  out.kind += out.flat.shape;
  out.page = event.page;
  out.time_ms = event.time_ms;
  out.arrival_ms = arrival_ms;
  out.charge = kEventCharge + event.id.size() + event.page.size() + out.flat.bytes;
  return out;
}

void BlockBuilder::Add(Prepared event) {
  charge_ += event.charge;
  const auto [at, is_new] = by_name_.emplace(event.kind, all_.size());
  if (is_new) {
    Kind& kind = all_.emplace_back();
    kind.name = std::move(event.kind);
    const std::string_view shape = std::string_view(kind.name).substr(kind.name.find('\0') + 1);
    kind.leaves = ParseShape(shape).value().leaves;
    kind.columns.resize(kind.leaves.size());
  }
  Kind& kind = all_[at->second];
  for (size_t k = 0; k < kind.leaves.size(); ++k) {
    Column& column = kind.columns[k];
    LeafValue& leaf = event.flat.leaves[k];
    if (IsNumber(kind.leaves[k])) column.numbers.push_back(leaf.number);
    if (kind.leaves[k] == kDouble) column.reals.push_back(leaf.real);
    if (IsText(kind.leaves[k])) column.texts.push_back(std::move(leaf.text));
  }
  kinds_.push_back(static_cast<int64_t>(at->second));
  arrivals_.push_back(event.arrival_ms);
  behind_.push_back(static_cast<int64_t>(static_cast<uint64_t>(event.arrival_ms) -
                                         static_cast<uint64_t>(event.time_ms)));
  pages_.push_back(std::move(event.page));
}

std::string BlockBuilder::Encode(const HeadNames& head, NameCounts* counts) const {
  BlockNames names(head);
  ByteWriter body;
  body.Varint(all_.size());
  for (const Kind& kind : all_) body.Varint(static_cast<uint64_t>(names.Ref(kind.name)));
  EncodeInts(kinds_, &body);
  EncodeInts(arrivals_, &body);
  EncodeInts(behind_, &body);
  EncodeTexts(pages_, &names, &body);
  for (const Kind& kind : all_) {
    for (size_t k = 0; k < kind.leaves.size(); ++k) {
      const Column& column = kind.columns[k];
      if (IsNumber(kind.leaves[k])) EncodeInts(column.numbers, &body);
      if (kind.leaves[k] == kDouble) EncodeDoubles(column.reals, &body);
      if (IsText(kind.leaves[k])) EncodeTexts(column.texts, &names, &body);
    }
  }
  ByteWriter out;
  out.Varint(names.own().size());
  for (const std::string_view name : names.own()) out.Text(name);
  out.Raw(body.out());
  counts->Add(names.used());
  return out.Take();
}

Result<std::vector<Entry>> DecodeBlock(std::string_view payload, const HeadNames& head,
                                       uint64_t first, size_t count) {
  return Decoder(payload, head).Decode(first, count);
}

}  // namespace ferry::log
