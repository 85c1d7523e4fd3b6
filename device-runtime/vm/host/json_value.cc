#include "device-runtime/vm/host/json_value.h"

#include <cmath>

#include "common/base/json.h"
#include "device-runtime/vm/number/bigint.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {

Value ValueFromJson(Vm& vm, const Json& json) {
  switch (json.type()) {
    case Json::value_t::boolean:
      return Value::Bool(json.get<bool>());
    case Json::value_t::number_integer:
      return vm.NewInt(json.get<int64_t>());
    case Json::value_t::number_unsigned:
      return vm.NewUnsigned(json.get<uint64_t>());
    case Json::value_t::number_float:
      return Value::Float(json.get<double>());
    case Json::value_t::string:
      return vm.NewStringChecked(*json.get_ptr<const std::string*>());
    case Json::value_t::array: {
      Value list = vm.NewList(nullptr, json.size());
      if (list.empty()) return list;
      for (const Json& item : json) {
        Value v = ValueFromJson(vm, item);
        if (v.empty() || !vm.Append(As<List>(list), v)) return Value();
      }
      return list;
    }
    case Json::value_t::object: {
      Value dict = vm.NewDict();
      if (dict.empty()) return dict;
      for (auto it = json.begin(); it != json.end(); ++it) {
        Value key = vm.NewStringChecked(it.key());
        Value v = ValueFromJson(vm, it.value());
        if (key.empty() || v.empty() || !vm.DictSet(As<Dict>(dict), key, v)) return Value();
      }
      return dict;
    }
    default:
      return Value::None();
  }
}

namespace {

// `room`: bytes that the JSON may still take. Parts that a value shares become many.
Result<Json> Convert(Vm& vm, Value v, int depth, int64_t* room) {
  *room -= static_cast<int64_t>(sizeof(Json) + (IsStr(v) ? Text(v).size() : 0));
  if (*room < 0)
    return Status::Of(Code::kScriptMemory, "value needs more than {} bytes as JSON",
                      vm.heap.limit());
  if (depth > kMaxJsonDepth)
    return Status::Of(Code::kMalformed, "value nests deeper than {} levels", kMaxJsonDepth);
  if (v.IsNone()) return Json();
  if (v.IsBool()) return Json(v.IsTrue());
  if (v.IsFloat()) {
    if (!std::isfinite(v.AsFloat())) return Status(Code::kMalformed, "JSON has no nan or infinity");
    return Json(v.AsFloat());
  }
  if (IsInt(v)) {
    int64_t i;
    if (!IntToInt64(v, &i)) return Status(Code::kMalformed, "integer does not fit 64 bits");
    return Json(i);
  }
  if (IsStr(v)) return Json(RepairUtf8(Text(v)));
  if (Is(v, Type::kList) || Is(v, Type::kTuple)) {
    const bool list = Is(v, Type::kList);
    Json out = Json::array();
    for (uint32_t i = 0; i < (list ? As<List>(v)->size : As<Tuple>(v)->size); ++i) {
      FERRY_ASSIGN_OR_RETURN(
          Json item,
          Convert(vm, list ? As<List>(v)->items[i] : As<Tuple>(v)->items[i], depth + 1, room));
      out.push_back(std::move(item));
    }
    return out;
  }
  if (Is(v, Type::kDict)) {
    Json out = Json::object();
    auto* dict = As<Dict>(v);
    for (uint32_t i = 0; i < dict->used; ++i) {
      const Entry& entry = dict->entries[i];
      if (entry.key.empty()) continue;
      if (!IsStr(entry.key))
        return Status::Of(Code::kMalformed, "JSON keys are strings, not {}",
                          vm.TypeName(entry.key));
      *room -= static_cast<int64_t>(64 + Text(entry.key).size());  // a node of the map
      FERRY_ASSIGN_OR_RETURN(Json item, Convert(vm, entry.value, depth + 1, room));
      out[RepairUtf8(Text(entry.key))] = std::move(item);
    }
    return out;
  }
  return Status::Of(Code::kMalformed, "'{}' has no JSON form", vm.TypeName(v));
}

}  // namespace

Result<Json> JsonFromValue(Vm& vm, Value v) {
  int64_t room = vm.heap.limit();
  return Convert(vm, v, 0, &room);
}

}  // namespace ferry::vm
