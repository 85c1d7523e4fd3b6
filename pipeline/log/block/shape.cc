#include "pipeline/log/block/shape.h"

#include "pipeline/log/block/bytes.h"

namespace ferry::log {
namespace {

class Flattener {
 public:
  // False when there are too many leaves.
  bool Add(const Json& value, int depth) {
    if (value.is_object() && depth < kMaxShapeDepth) {
      shape_.U8('{');
      shape_.Varint(value.size());
      for (const auto& [name, member] : value.items()) {
        shape_.Text(name);
        bytes_ += name.size();
        if (!Add(member, depth + 1)) return false;
      }
      bytes_ += kLeafCharge;
      return true;
    }
    if (leaves_.size() == kMaxShapeLeaves) return false;
    AddLeaf(value);
    return true;
  }

  void AddText(const Json& value) { AddLeaf(value, true); }

  Flat Take() { return {shape_.Take(), std::move(leaves_), bytes_}; }

 private:
  void AddLeaf(const Json& value, bool as_text = false) {
    LeafValue leaf;
    char type = kJsonText;
    if (as_text || value.is_structured()) {
      leaf.text = WriteJson(value);
    } else if (value.is_string()) {
      type = kText;
      leaf.text = value.get_ref<const std::string&>();
    } else if (value.is_boolean()) {
      type = kBool;
      leaf.number = value.get<bool>() ? 1 : 0;
    } else if (value.is_number_unsigned() && value.get<uint64_t>() > uint64_t{INT64_MAX}) {
      type = kUnsigned;
      leaf.number = static_cast<int64_t>(value.get<uint64_t>());
    } else if (value.is_number_integer()) {
      type = kInt;
      leaf.number = value.get<int64_t>();
    } else if (value.is_number_float()) {
      type = kDouble;
      leaf.real = value.get<double>();
    } else {
      type = kNull;
    }
    shape_.U8(static_cast<uint8_t>(type));
    bytes_ += kLeafCharge + leaf.text.size();
    leaves_.push_back(std::move(leaf));
  }

  ByteWriter shape_;
  std::vector<LeafValue> leaves_;
  size_t bytes_ = 0;
};

Status BadShape() {
  return Status(Code::kMalformed, "a bad shape of an event");
}

Status Check(ByteReader* in, int depth, Shape* out) {
  const char type = static_cast<char>(in->U8());
  if (type != '{') {
    if (!in->ok() || std::string_view("nbiudsj").find(type) == std::string_view::npos ||
        out->leaves.size() == kMaxShapeLeaves)
      return BadShape();
    out->leaves.push_back(type);
    return OkStatus();
  }
  const uint64_t members = in->Varint();
  if (depth == kMaxShapeDepth || members > in->left()) return BadShape();
  out->other_bytes += kLeafCharge;
  for (uint64_t k = 0; k < members; ++k) {
    out->other_bytes += in->Text().size();
    if (!in->ok()) return BadShape();
    FERRY_TRY(Check(in, depth + 1, out));
  }
  return OkStatus();
}

Result<Json> MakeLeaf(char type, const LeafValue& leaf) {
  switch (type) {
    case kBool:
      return Json(leaf.number != 0);
    case kInt:  // as the parser gives it
      return leaf.number >= 0 ? Json(static_cast<uint64_t>(leaf.number)) : Json(leaf.number);
    case kUnsigned:
      return Json(static_cast<uint64_t>(leaf.number));
    case kDouble:
      return Json(leaf.real);
    case kText:
      return Json(leaf.text);
    case kJsonText:
      return ParseJson(leaf.text);
    default:
      return Json();
  }
}

// The shape was checked.
Result<Json> Build(ByteReader* in, const std::vector<LeafValue>& leaves, size_t* next) {
  const char type = static_cast<char>(in->U8());
  if (type != '{') return MakeLeaf(type, leaves[(*next)++]);
  Json object = Json::object();
  for (uint64_t members = in->Varint(); members > 0; --members) {
    const std::string_view name = in->Text();
    FERRY_ASSIGN_OR_RETURN(object[std::string(name)], Build(in, leaves, next));
  }
  return object;
}

}  // namespace

Flat Flatten(const Json& data) {
  Flattener columns;
  if (columns.Add(data, 0)) return columns.Take();
  Flattener text;
  text.AddText(data);
  return text.Take();
}

Result<Shape> ParseShape(std::string_view text) {
  Shape shape;
  shape.text = text;
  ByteReader in(text);
  FERRY_TRY(Check(&in, 0, &shape));
  if (!in.ok() || !in.at_end()) return BadShape();
  return shape;
}

Result<Json> Assemble(const Shape& shape, const std::vector<LeafValue>& leaves) {
  ByteReader in(shape.text);
  size_t next = 0;
  return Build(&in, leaves, &next);
}

}  // namespace ferry::log
