#include "device-runtime/llm/template/evaluate/access.h"

#include <algorithm>
#include <charconv>

#include "device-runtime/llm/template/values/python_text.h"

namespace ferry::llm::jinja {
namespace {

Value LoopMember(const Loop& loop, std::string_view name) {
  const List& items = *loop.items.list();
  const int64_t index = static_cast<int64_t>(loop.index);
  const int64_t length = static_cast<int64_t>(items.size());
  if (name == "index") return Value::Int(index + 1);
  if (name == "index0") return Value::Int(index);
  if (name == "revindex") return Value::Int(length - index);
  if (name == "revindex0") return Value::Int(length - index - 1);
  if (name == "first") return Value::Bool(index == 0);
  if (name == "last") return Value::Bool(index + 1 == length);
  if (name == "length") return Value::Int(length);
  if (name == "previtem" && index > 0) return items[index - 1];
  if (name == "nextitem" && index + 1 < length) return items[index + 1];
  return Value();
}

// Where a Python index points, or -1.
int64_t Place(int64_t index, size_t size) {
  const int64_t length = static_cast<int64_t>(size);
  if (index < 0) index += length;
  return index >= 0 && index < length ? index : -1;
}

// A bound of a slice in [low, high].
Result<int64_t> Bound(const Value& bound, int64_t fallback, int64_t length, int64_t low,
                      int64_t high) {
  if (bound.undefined() || bound.none()) return fallback;
  int64_t index = 0;
  if (!bound.AsInteger(&index)) {
    return Status::Of(Code::kInvalidArgument, "{} as a bound of a slice", bound.KindName());
  }
  if (index < 0) index = index < -length ? -1 : index + length;
  return std::clamp(index, low, high);
}

}  // namespace

Result<Value> Attribute(const Value& value, std::string_view name, Budget& budget) {
  FERRY_TRY(budget.Step());
  if (value.undefined()) {
    return Status::Of(Code::kInvalidArgument, "{:?} of an undefined value", name);
  }
  if (value.loop()) return LoopMember(*value.loop(), name);
  if (value.space()) {
    for (const auto& [member, content] : *value.space()) {
      if (member == name) return content;
    }
    return Value();
  }
  const Value* found = value.Find(name);
  return found != nullptr ? *found : Value();
}

Result<Value> Item(const Value& value, const Value& key, Budget& budget) {
  if (key.text()) return Attribute(value, *key.text(), budget);
  FERRY_TRY(budget.Step());
  if (value.undefined()) return Status(Code::kInvalidArgument, "an item of an undefined value");
  if (value.dict()) {
    for (const auto& [name, content] : *value.dict()) {
      FERRY_ASSIGN_OR_RETURN(const bool same, Equal(name, key, budget));
      if (same) return content;
    }
    return Value();
  }
  int64_t index = 0;
  if (!key.AsInteger(&index)) return Value();
  if (value.list()) {
    const int64_t place = Place(index, value.list()->size());
    return place < 0 ? Value() : (*value.list())[place];
  }
  if (value.text()) {
    const std::string& text = *value.text();
    FERRY_TRY(budget.Charge(text.size()));  // counting characters takes that long
    const int64_t place = Place(index, Length(text));
    if (place < 0) return Value();
    const size_t begin = OffsetOf(text, static_cast<size_t>(place));
    return Value::MakeText(text.substr(begin, OffsetOf(std::string_view(text).substr(begin), 1)),
                           budget);
  }
  return Value();
}

Result<Value> AttributePath(const Value& value, std::string_view path, Budget& budget) {
  Value at = value;
  while (true) {
    const size_t dot = std::min(path.find('.'), path.size());
    const std::string_view part = path.substr(0, dot);
    int64_t index = 0;
    const auto read = std::from_chars(part.data(), part.data() + part.size(), index);
    if (!part.empty() && read.ec == std::errc() && read.ptr == part.data() + part.size()) {
      FERRY_ASSIGN_OR_RETURN(at, Item(at, Value::Int(index), budget));
    } else {
      FERRY_ASSIGN_OR_RETURN(at, Attribute(at, part, budget));
    }
    if (dot == path.size()) return at;
    path.remove_prefix(dot + 1);
  }
}

Result<Value> Slice(const Value& value, const Value& start, const Value& stop, const Value& step,
                    Budget& budget) {
  if (!value.list() && !value.text()) {
    return Status::Of(Code::kInvalidArgument, "a slice of {}", value.KindName());
  }
  int64_t stride = 1;
  if (!step.undefined() && !step.none() && !step.AsInteger(&stride)) {
    return Status::Of(Code::kInvalidArgument, "{} as the step of a slice", step.KindName());
  }
  if (stride == 0) return Status(Code::kInvalidArgument, "a slice of step 0");
  FERRY_ASSIGN_OR_RETURN(const List items, Elements(value, budget));
  const int64_t length = static_cast<int64_t>(items.size());
  // Downwards, "before the first" is -1.
  const int64_t low = stride > 0 ? 0 : -1;
  const int64_t high = stride > 0 ? length : length - 1;
  FERRY_ASSIGN_OR_RETURN(const int64_t from,
                         Bound(start, stride > 0 ? 0 : length - 1, length, low, high));
  FERRY_ASSIGN_OR_RETURN(const int64_t to,
                         Bound(stop, stride > 0 ? length : -1, length, low, high));
  stride = std::clamp(stride, -length - 1, length + 1);
  List out;
  for (int64_t i = from; stride > 0 ? i < to : i > to; i += stride) out.push_back(items[i]);
  if (value.list()) return Value::MakeList(std::move(out), budget);
  std::string text;
  for (const Value& letter : out) text += *letter.text();
  return Value::MakeText(std::move(text), budget);
}

}  // namespace ferry::llm::jinja
