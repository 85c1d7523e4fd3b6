// Filters on lists, dicts and other things with elements.
#include <algorithm>

#include "device-runtime/llm/template/evaluate/access.h"
#include "device-runtime/llm/template/filters/filters.h"
#include "device-runtime/llm/template/values/python_text.h"

namespace ferry::llm::jinja {
namespace {

Result<std::string> PathOf(const Value& attribute, Budget& budget) {
  return attribute.undefined() || attribute.none() ? Result<std::string>(std::string())
                                                   : ToText(attribute, budget);
}

// The item, or what `path` names in it.
Result<Value> Part(const Value& item, const std::string& path, Budget& budget) {
  return path.empty() ? Result<Value>(item) : AttributePath(item, path, budget);
}

// Text compares without case unless asked for, as Jinja sorts.
Result<int> LooseOrder(const Value& a, const Value& b, Budget& budget) {
  if (!a.text() || !b.text()) return Order(a, b, budget);
  FERRY_TRY(budget.Charge(a.text()->size() + b.text()->size()));
  return Lower(*a.text()).compare(Lower(*b.text()));
}

// Stable merge sort that stops at the first error.
template <typename Compare>
Status SortItems(std::vector<std::pair<Value, Value>>& items, Compare compare) {
  std::vector<std::pair<Value, Value>> other(items.size());
  for (size_t width = 1; width < items.size(); width *= 2) {
    for (size_t begin = 0; begin < items.size(); begin += 2 * width) {
      const size_t middle = std::min(begin + width, items.size());
      const size_t end = std::min(begin + 2 * width, items.size());
      size_t left = begin;
      size_t right = middle;
      for (size_t out = begin; out < end; ++out) {
        bool take_left = right == end;
        if (!take_left && left < middle) {
          FERRY_ASSIGN_OR_RETURN(const int order, compare(items[right].first, items[left].first));
          take_left = order >= 0;
        }
        other[out] = items[take_left ? left++ : right++];
      }
    }
    items.swap(other);
  }
  return OkStatus();
}

Result<Value> Extreme(const FilterCall& call, int sign) {
  FERRY_ASSIGN_OR_RETURN(const List items, Elements(call.input, call.budget));
  const Value* best = nullptr;
  for (const Value& item : items) {
    int order = 1;
    if (best != nullptr) {
      FERRY_ASSIGN_OR_RETURN(order, LooseOrder(item, *best, call.budget));
      order *= sign;
    }
    if (order > 0) best = &item;
  }
  return best != nullptr ? *best : Value();
}

}  // namespace

Result<Value> LengthFilter(const FilterCall& call) {
  if (call.input.text()) {
    FERRY_TRY(call.budget.Charge(call.input.text()->size()));
    return Value::Int(static_cast<int64_t>(Length(*call.input.text())));
  }
  if (call.input.list()) return Value::Int(static_cast<int64_t>(call.input.list()->size()));
  if (call.input.dict()) return Value::Int(static_cast<int64_t>(call.input.dict()->size()));
  if (call.input.undefined()) return Value::Int(0);
  return Status::Of(Code::kInvalidArgument, "{} has no length", call.input.KindName());
}

Result<Value> CountFilter(const FilterCall& call) {
  return LengthFilter(call);
}

Result<Value> DefaultFilter(const FilterCall& call) {
  const bool use = call.input.undefined() || (call.arguments[1].Truth() && !call.input.Truth());
  if (!use) return call.input;
  return call.arguments[0].undefined() ? Value::Text("") : call.arguments[0];
}

Result<Value> DFilter(const FilterCall& call) {
  return DefaultFilter(call);
}

Result<Value> FirstFilter(const FilterCall& call) {
  FERRY_ASSIGN_OR_RETURN(const List items, Elements(call.input, call.budget));
  return items.empty() ? Value() : items.front();
}

Result<Value> LastFilter(const FilterCall& call) {
  FERRY_ASSIGN_OR_RETURN(const List items, Elements(call.input, call.budget));
  return items.empty() ? Value() : items.back();
}

Result<Value> ListFilter(const FilterCall& call) {
  FERRY_ASSIGN_OR_RETURN(List items, Elements(call.input, call.budget));
  return Value::MakeList(std::move(items), call.budget);
}

Result<Value> ReverseFilter(const FilterCall& call) {
  FERRY_ASSIGN_OR_RETURN(List items, Elements(call.input, call.budget));
  std::reverse(items.begin(), items.end());
  if (!call.input.text()) return Value::MakeList(std::move(items), call.budget);
  std::string text;
  for (const Value& letter : items) text += *letter.text();
  return Value::MakeText(std::move(text), call.budget);
}

Result<Value> ItemsFilter(const FilterCall& call) {
  List out;
  if (!call.input.dict() && !call.input.undefined()) {
    return Status::Of(Code::kInvalidArgument, "items of {}", call.input.KindName());
  }
  for (const auto& [key, value] : call.input.dict() ? *call.input.dict() : Dict()) {
    FERRY_ASSIGN_OR_RETURN(Value pair, Value::MakeList({key, value}, call.budget));
    out.push_back(std::move(pair));
  }
  return Value::MakeList(std::move(out), call.budget);
}

Result<Value> DictsortFilter(const FilterCall& call) {
  if (!call.input.dict()) {
    return Status::Of(Code::kInvalidArgument, "dictsort of {}", call.input.KindName());
  }
  FERRY_TRY(call.budget.Charge(call.input.dict()->size() * 4 * sizeof(Value)));
  Dict sorted = *call.input.dict();
  FERRY_TRY(SortItems(
      sorted, [&](const Value& a, const Value& b) { return LooseOrder(a, b, call.budget); }));
  FERRY_ASSIGN_OR_RETURN(const Value dict, Value::MakeDict(std::move(sorted), call.budget));
  return ItemsFilter({call.budget, dict, call.arguments, call.named});
}

Result<Value> JoinFilter(const FilterCall& call) {
  FERRY_ASSIGN_OR_RETURN(const List items, Elements(call.input, call.budget));
  FERRY_ASSIGN_OR_RETURN(const std::string between, ToText(call.arguments[0], call.budget));
  FERRY_ASSIGN_OR_RETURN(const std::string path, PathOf(call.arguments[1], call.budget));
  std::string out;
  for (size_t i = 0; i < items.size(); ++i) {
    FERRY_TRY(call.budget.Charge(between.size()));
    FERRY_ASSIGN_OR_RETURN(const Value part, Part(items[i], path, call.budget));
    FERRY_ASSIGN_OR_RETURN(const std::string text, ToText(part, call.budget));
    if (i > 0) out += between;
    out += text;
  }
  return Value::MakeText(std::move(out), call.budget);
}

Result<Value> MaxFilter(const FilterCall& call) {
  return Extreme(call, 1);
}

Result<Value> MinFilter(const FilterCall& call) {
  return Extreme(call, -1);
}

Result<Value> SortFilter(const FilterCall& call) {
  FERRY_ASSIGN_OR_RETURN(const List items, Elements(call.input, call.budget));
  FERRY_ASSIGN_OR_RETURN(const std::string path, PathOf(call.arguments[2], call.budget));
  const bool reverse = call.arguments[0].Truth();
  const bool exact = call.arguments[1].Truth();
  FERRY_TRY(call.budget.Charge(items.size() * 4 * sizeof(Value)));
  std::vector<std::pair<Value, Value>> keyed;
  for (const Value& item : items) {
    FERRY_ASSIGN_OR_RETURN(Value key, Part(item, path, call.budget));
    keyed.emplace_back(std::move(key), item);
  }
  FERRY_TRY(SortItems(keyed, [&](const Value& a, const Value& b) -> Result<int> {
    FERRY_ASSIGN_OR_RETURN(const int order,
                           exact ? Order(a, b, call.budget) : LooseOrder(a, b, call.budget));
    return reverse ? -order : order;
  }));
  List out;
  for (auto& [key, item] : keyed) out.push_back(std::move(item));
  return Value::MakeList(std::move(out), call.budget);
}

Result<Value> SumFilter(const FilterCall& call) {
  FERRY_ASSIGN_OR_RETURN(const List items, Elements(call.input, call.budget));
  FERRY_ASSIGN_OR_RETURN(const std::string path, PathOf(call.arguments[0], call.budget));
  Value total = call.arguments[1].undefined() ? Value::Int(0) : call.arguments[1];
  for (const Value& item : items) {
    FERRY_ASSIGN_OR_RETURN(const Value part, Part(item, path, call.budget));
    FERRY_ASSIGN_OR_RETURN(total, Binary("+", total, part, call.budget));
  }
  return total;
}

Result<Value> UniqueFilter(const FilterCall& call) {
  FERRY_ASSIGN_OR_RETURN(const List items, Elements(call.input, call.budget));
  List out;
  for (const Value& item : items) {
    bool seen = false;
    for (size_t i = 0; i < out.size() && !seen; ++i) {
      if (item.text() && out[i].text()) {
        FERRY_ASSIGN_OR_RETURN(const int order, LooseOrder(item, out[i], call.budget));
        seen = order == 0;
      } else {
        FERRY_ASSIGN_OR_RETURN(seen, Equal(item, out[i], call.budget));
      }
    }
    if (!seen) out.push_back(item);
  }
  return Value::MakeList(std::move(out), call.budget);
}

}  // namespace ferry::llm::jinja
