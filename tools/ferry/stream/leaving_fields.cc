#include <map>
#include <set>

#include "pipeline/operator/operator.h"
#include "tools/ferry/stream/bounds.h"

namespace ferry::cli {
namespace {

using FieldNames = std::set<std::string>;
constexpr char kAll[] = "*";

class Tracer {
 public:
  explicit Tracer(const flow::Definition& definition) : definition_(definition) {
    if (definition.streams != nullptr)
      for (const Json& stream : *definition.streams)
        streams_[GetStringOr(stream, "name", "").value_or("")] = &stream;
  }

  // A stream's own, or those of a rule's matches, or all of an event's.
  FieldNames OfSource(const std::string& name, const std::string& reader) {
    if (name != reader && streams_.contains(name)) return OfStream(name);
    for (const flow::RuleUse& use : definition_.rules)
      if (use.rule.name == name) return OfRule(use.rule);
    return {kAll};
  }

  const FieldNames& OfStream(const std::string& name) {
    const auto [known, is_new] = known_.try_emplace(name);
    if (!is_new) return known->second;
    const Json& stream = *streams_[name];
    FieldNames fields;
    for (const std::string& source : SourcesOf(stream)) fields.merge(OfSource(source, name));
    const auto operators = stream.find("operators");
    if (operators != stream.end() && operators->is_array())
      for (const Json& op : *operators) Apply(op, &fields);
    return known_[name] = std::move(fields);
  }

 private:
  static std::vector<std::string> SourcesOf(const Json& stream) {
    const auto source = stream.find("source");
    if (source == stream.end()) return {};
    if (source->is_string()) return {source->get<std::string>()};
    return GetStringsOr(stream, "source").value_or({});
  }

  static FieldNames OfRule(const rule::Rule& rule) {
    FieldNames out;
    for (const std::string& field : rule.per) out.insert(field.substr(field.rfind('.') + 1));
    for (const rule::Step& step : rule.steps)
      if (!step.negated) out.insert(step.name + "." + kAll);
    return out;
  }

  static void Apply(const Json& op, FieldNames* fields) {
    const std::string name = GetStringOr(op, "op", "").value_or("");
    const std::string as = GetStringOr(op, "as", "").value_or("");
    if (name == "map") {
      fields->clear();
      if (const auto map = op.find("fields"); map != op.end() && map->is_object())
        for (const auto& [field, expression] : map->items()) fields->insert(field);
    } else if (name == "window") {
      *fields = {"window_start_ms", "window_end_ms"};
      for (std::string& key : GetStringsOr(op, "key").value_or({})) fields->insert(std::move(key));
      if (const auto list = op.find("aggregates"); list != op.end() && list->is_array())
        for (const Json& one : *list) fields->insert(GetStringOr(one, "as", "").value_or(""));
      if (GetStringOr(op, "emit", "").value_or("") == "updates")
        fields->insert(operators::kUpdateField);
      if (GetStringOr(op, "kind", "").value_or("") == "page") fields->insert("exit");
    } else if (name == "join" || name == "lookup") {
      fields->insert(as + "." + kAll);
    } else if (name == "flat_map") {
      fields->insert(as.empty() ? kAll : as);
    }
  }

  const flow::Definition& definition_;
  std::map<std::string, const Json*> streams_;
  std::map<std::string, FieldNames> known_;
};

std::vector<std::string> PlacesOf(const Json& stream) {
  std::vector<std::string> out;
  const auto upload = stream.find("upload");
  if (upload != stream.end() && (upload->is_string() || *upload == true)) out.push_back("upload");
  if (GetBoolOr(stream, "app", false).value_or(false)) out.push_back("app");
  for (const char* member : {"into", "to"})
    if (const std::string to = GetStringOr(stream, member, "").value_or(""); !to.empty())
      out.push_back(std::string(member) + " " + to);
  return out;
}

}  // namespace

std::vector<LeavingFields> FieldsThatLeave(const flow::Definition& definition) {
  std::vector<LeavingFields> out;
  if (definition.streams == nullptr) return out;
  Tracer tracer(definition);
  for (const Json& stream : *definition.streams) {
    LeavingFields leaving;
    leaving.stream = GetStringOr(stream, "name", "").value_or("");
    leaving.to = PlacesOf(stream);
    if (leaving.to.empty()) continue;
    const FieldNames& fields = tracer.OfStream(leaving.stream);
    leaving.fields.assign(fields.begin(), fields.end());
    out.push_back(std::move(leaving));
  }
  return out;
}

}  // namespace ferry::cli
