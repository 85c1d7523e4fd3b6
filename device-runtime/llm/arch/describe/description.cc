// Descriptions as JSON and back: every member through its row in fields.h.
#include "device-runtime/llm/arch/describe/description.h"

#include <set>

#include "common/base/json.h"
#include "common/base/nearest.h"
#include "device-runtime/llm/arch/describe/fields.h"

namespace ferry::llm {
namespace {

// Writes the members that differ from those of `defaults`.
class Writer {
 public:
  template <typename T>
  void operator()(const char* name, const T& value, Bounds) {
    values_.emplace_back(name, ToJson(value));
  }
  // `out` gets what differs from what `defaults` wrote.
  void Differences(const Writer& defaults, Json* out) const {
    for (size_t i = 0; i < values_.size(); ++i) {
      if (values_[i].second != defaults.values_[i].second) {
        (*out)[values_[i].first] = values_[i].second;
      }
    }
  }

 private:
  template <typename T>
  static Json ToJson(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      for (const auto& choice : ChoicesOf(T{})) {
        if (choice.value == value) return choice.name;
      }
      return nullptr;
    } else {
      return value;
    }
  }

  std::vector<std::pair<const char*, Json>> values_;
};

// Reads members by name, and remembers which it knows.
class Reader {
 public:
  Reader(const Json& json, std::string where) : json_(json), where_(std::move(where)) {}

  template <typename T>
  void operator()(const char* name, T& value, Bounds) {
    known_.emplace_back(name);
    if (!status_.ok()) return;
    const auto it = json_.find(name);
    if (it == json_.end()) return;
    status_ = Read(*it, name, value);
  }
  // Names beside those of the fields.
  void Know(const char* name) { known_.emplace_back(name); }

  Status Finish() const {
    if (!status_.ok()) return status_;
    const std::set<std::string> known(known_.begin(), known_.end());
    for (const auto& [name, value] : json_.items()) {
      if (known.contains(name)) continue;
      return Status::Of(Code::kUnsupported, "{}: no member \"{}\" is known; did you mean \"{}\"?",
                        where_, name.substr(0, kMaxTensorName), NearestName(name, known_));
    }
    return OkStatus();
  }

 private:
  Status Wrong(const char* name, const char* wanted, const Json& found) const {
    return Status::Of(Code::kMalformed, "{}: {} is {:.60}, wanted {}", where_, name,
                      WriteJson(found), wanted);
  }
  Status Read(const Json& json, const char* name, std::string& value) const {
    if (!json.is_string()) return Wrong(name, "a text", json);
    value = json.get<std::string>();
    if (value.size() <= kMaxTensorName) return OkStatus();
    return Status::Of(Code::kLimitExceeded, "{}: {} has {} bytes, at most {}", where_, name,
                      value.size(), kMaxTensorName);
  }
  Status Read(const Json& json, const char* name, bool& value) const {
    if (!json.is_boolean()) return Wrong(name, "true or false", json);
    value = json.get<bool>();
    return OkStatus();
  }
  Status Read(const Json& json, const char* name, double& value) const {
    if (!json.is_number()) return Wrong(name, "a number", json);
    value = json.get<double>();
    return OkStatus();
  }
  // A whole number, however it was computed.
  Status Read(const Json& json, const char* name, int64_t& value) const {
    if (!json.is_number()) return Wrong(name, "a whole number", json);
    const double number = json.get<double>();
    constexpr double kExact = 1e15;
    if (!(number >= -kExact && number <= kExact) ||
        number != static_cast<double>(static_cast<int64_t>(number))) {
      return Wrong(name, "a whole number", json);
    }
    value = static_cast<int64_t>(number);
    return OkStatus();
  }
  Status Read(const Json& json, const char* name, std::vector<double>& value) const {
    if (!json.is_array() || json.size() > kMaxHeadDim) return Wrong(name, "a short list", json);
    value.clear();
    for (const Json& one : json) {
      if (!one.is_number()) return Wrong(name, "a list of numbers", json);
      value.push_back(one.get<double>());
    }
    return OkStatus();
  }
  template <typename E>
  Status Read(const Json& json, const char* name, E& value) const {
    std::string names;
    for (const auto& choice : ChoicesOf(E{})) {
      if (json.is_string() && json.get_ref<const std::string&>() == choice.name) {
        value = choice.value;
        return OkStatus();
      }
      names += names.empty() ? choice.name : fmt::format(", {}", choice.name);
    }
    return Status::Of(Code::kUnsupported, "{}: {} is {:.60}; supported: {}", where_, name,
                      WriteJson(json), names);
  }

  const Json& json_;
  std::string where_;
  std::vector<std::string> known_;
  Status status_ = OkStatus();
};

Status WantObject(const Json& json, const char* what) {
  if (json.is_object()) return OkStatus();
  return Status::Of(Code::kMalformed, "{} is no object", what);
}

}  // namespace

Json DescriptionToJson(const Description& description) {
  Json json = Json::object();
  if (!description.family.empty()) json["family"] = description.family;
  Writer defaults;
  const Description usual;
  VisitModelFields(usual, defaults);
  Writer writer;
  VisitModelFields(description, writer);
  writer.Differences(defaults, &json);
  Writer layer_defaults;
  const LayerDescription usual_layer;
  VisitLayerFields(usual_layer, layer_defaults);
  Json list = Json::array();
  for (size_t i = 0; i < description.layers.size();) {
    size_t end = i + 1;
    while (end < description.layers.size() && description.layers[end] == description.layers[i]) {
      ++end;
    }
    Json entry = {{"count", end - i}};
    Writer layer;
    VisitLayerFields(description.layers[i], layer);
    layer.Differences(layer_defaults, &entry);
    list.push_back(std::move(entry));
    i = end;
  }
  json["layer"] = std::move(list);
  return json;
}

Result<Description> DescriptionFromJson(const Json& json) {
  FERRY_TRY(WantObject(json, "a description"));
  Description description;
  FERRY_ASSIGN_OR_RETURN(description.family, GetStringOr(json, "family", ""));
  Reader reader(json, "description");
  VisitModelFields(description, reader);
  reader.Know("family");
  reader.Know("layer");
  FERRY_TRY(reader.Finish());
  FERRY_ASSIGN_OR_RETURN(const Json* list, GetArray(json, "layer"));
  for (size_t i = 0; i < list->size(); ++i) {
    const Json& entry = (*list)[i];
    FERRY_TRY(WantObject(entry, "a layer of a description"));
    FERRY_ASSIGN_OR_RETURN(const int64_t count, GetIntOr(entry, "count", 1));
    const auto before = static_cast<int64_t>(description.layers.size());
    if (count < 1 || count > kMaxLayers - before) {
      return Status::Of(Code::kLimitExceeded, "description: {} layers behind {}, at most {}", count,
                        before, kMaxLayers);
    }
    LayerDescription layer;
    Reader of_layer(entry, fmt::format("layer {}", before));
    VisitLayerFields(layer, of_layer);
    of_layer.Know("count");
    FERRY_TRY(of_layer.Finish());
    description.layers.insert(description.layers.end(), static_cast<size_t>(count), layer);
  }
  FERRY_TRY(CheckDescription(description));
  return description;
}

}  // namespace ferry::llm
