// ferry.stream: rules, streams, tables and classes of fields, declared beside the functions that
// they lead to. rule() and stream() give decorators that give the function back; operators and
// aggregates are dicts as task.json has them. Packing a task collects what is declared; on devices,
// which have it from the package, nothing else happens. A keyword that Python has a word for ends
// with an underscore: as_, not_, with_.
#include "common/base/json.h"
#include "device-runtime/bindings/modules.h"
#include "device-runtime/vm/call_place.h"

namespace ferry::bindings {
namespace {

using vm::CallContext;
using vm::Value;

constexpr size_t kNoDeclaration = SIZE_MAX;

// A call that takes up to two values by place; the others go by name.
struct StreamRow {
  const char* name;
  const char* member;  // that says what it is: "op" or none
  const char* first;
  const char* second;
};
constexpr StreamRow kStreamRows[] = {
    {"dedupe", "op", "key", "within_ms"}, {"filter", "op", "where", nullptr},
    {"flat_map", "op", "field", "as"},    {"join", "op", "with", "key"},
    {"lookup", "op", "table", "key"},     {"map", "op", "fields", nullptr},
    {"sample", "op", "one_in", "key"},    {"window", "op", "kind", nullptr},
    {"count", "op", nullptr, nullptr},    {"distinct", "op", "field", nullptr},
    {"first", "op", "field", nullptr},    {"last", "op", "field", nullptr},
    {"max", "op", "field", nullptr},      {"mean", "op", "field", nullptr},
    {"min", "op", "field", nullptr},      {"quantile", "op", "field", "q"},
    {"sum", "op", "field", nullptr},      {"top_k", "op", "field", "k"},
    {"step", nullptr, "name", nullptr}};

// A name, or a list of names that may be one name alone.
bool TakesNames(std::string_view member) {
  return member == "key" || member == "per";
}

// {"total": sum("price")} as [{"op": "sum", "field": "price", "as": "total"}].
Json AggregatesOf(Json given) {
  if (!given.is_object()) return given;
  Json out = Json::array();
  for (auto& [name, value] : given.items()) {
    Json one = value.is_string() ? Json{{"op", value}} : value;
    if (one.is_object()) one["as"] = name;
    out.push_back(std::move(one));
  }
  return out;
}

Status SetMember(CallContext& c, std::string_view member, Value value, Json* out) {
  FERRY_ASSIGN_OR_RETURN(Json json, c.ToJson(value));
  if (json.is_null()) return OkStatus();  // as if it were not there
  if (TakesNames(member) && json.is_string()) json = Json::array({std::move(json)});
  if (member == "aggregates") json = AggregatesOf(std::move(json));
  (*out)[std::string(member)] = std::move(json);
  return OkStatus();
}

// Values by place under `names`, those by name as they are called.
Result<Json> Members(CallContext& c, std::span<const char* const> names) {
  if (c.count() > names.size())
    return c.Raise("TypeError", fmt::format("takes at most {} positional arguments, got {}",
                                            names.size(), c.count()));
  Json out = Json::object();
  for (size_t k = 0; k < c.count(); ++k) FERRY_TRY(SetMember(c, names[k], c.arg(k), &out));
  for (size_t k = 0; k < c.keywords(); ++k) {
    std::string_view name = c.keyword_name(k);
    if (name.ends_with('_')) name.remove_suffix(1);
    if (out.contains(name)) return c.Raise("TypeError", fmt::format("{} is given twice", name));
    FERRY_TRY(SetMember(c, name, c.keyword(k), &out));
  }
  return out;
}

// map(page="_page"): the keywords are the fields.
Result<Json> MapFields(CallContext& c) {
  Json fields = Json::object();
  for (size_t k = 0; k < c.keywords(); ++k) {
    FERRY_ASSIGN_OR_RETURN(fields[std::string(c.keyword_name(k))], c.ToJson(c.keyword(k)));
  }
  return Json{{"fields", std::move(fields)}};
}

template <size_t kRow>
Result<Value> MakeSpec(CallContext& c) {
  const StreamRow& row = kStreamRows[kRow];
  const char* const names[] = {row.first, row.second};
  const size_t takes = row.first == nullptr ? 0 : (row.second == nullptr ? 1 : 2);
  const bool fields = std::string_view(row.name) == "map" && c.count() == 0 && c.keywords() > 0;
  Json spec;
  if (fields) {
    FERRY_ASSIGN_OR_RETURN(spec, MapFields(c));
  } else {
    FERRY_ASSIGN_OR_RETURN(spec, Members(c, std::span(names, takes)));
  }
  if (row.member != nullptr) spec[row.member] = row.name;
  return c.FromJson(spec);
}

// The decorator: which declaration it belongs to.
struct Decorator {
  size_t declaration = kNoDeclaration;
};

const vm::NativeType& DecoratorType();

Result<Value> Decorate(CallContext& c) {
  FERRY_TRY(c.Expect(2, 2));
  const auto& self = *static_cast<Decorator*>(c.Payload(c.arg(0), DecoratorType()));
  const std::string name = vm::FunctionName(c.arg(1));
  if (name.empty())
    return c.Raise("TypeError", "ferry.stream decorates functions that a def has named");
  auto* list = HostOf(c).Declarations();
  if (list == nullptr || self.declaration >= list->size()) return c.arg(1);
  Declaration& declaration = (*list)[self.declaration];
  if (!declaration.function.empty())
    return c.Raise("ValueError", fmt::format("it leads to {} already", declaration.function));
  declaration.function = name;
  declaration.value = c.arg(1);
  return c.arg(1);
}

const vm::NativeType& DecoratorType() {
  static constexpr vm::NativeFunction kMethods[] = {{"__call__", Decorate}};
  static constexpr vm::NativeType kType = {
      "Decorator", kMethods, {}, [](void* payload) { delete static_cast<Decorator*>(payload); }};
  return kType;
}

// Collects one declaration; kNoDeclaration: nobody asks for it.
Result<size_t> Declare(CallContext& c, DeclarationKind kind, Json spec) {
  auto* list = HostOf(c).Declarations();
  if (list == nullptr) return kNoDeclaration;
  if (list->size() >= kMaxDeclarations)
    return Status::Of(Code::kLimitExceeded, "{} declarations are the limit", kMaxDeclarations);
  const vm::ScriptPlace place = vm::PlaceOfCall(c);
  list->push_back({kind, std::move(spec), place.file, place.line, "", Value()});
  return list->size() - 1;
}

Result<std::string> FirstText(CallContext& c, std::string_view what) {
  if (c.count() == 0) return c.Raise("TypeError", fmt::format("{} is missing", what));
  FERRY_ASSIGN_OR_RETURN(const std::string_view text, c.AsString(c.arg(0), what));
  return std::string(text);
}

Result<Value> NewDecorator(CallContext& c, size_t declaration) {
  return c.NewNative(DecoratorType(), new Decorator{declaration}, sizeof(Decorator));
}

// rule("cart per user { .. }", app=True) or rule("cart", per="user", steps=[..], within_ms=..).
Result<Value> Rule(CallContext& c) {
  FERRY_ASSIGN_OR_RETURN(const std::string text, FirstText(c, "a rule's text or name"));
  const bool is_text = text.find('{') != text.npos;
  static constexpr const char* kNames[] = {"name"};
  static constexpr const char* kTextNames[] = {"text"};
  FERRY_ASSIGN_OR_RETURN(Json spec, Members(c, is_text ? kTextNames : kNames));
  FERRY_ASSIGN_OR_RETURN(const size_t at, Declare(c, DeclarationKind::kRule, std::move(spec)));
  return NewDecorator(c, at);
}

Result<Value> Stream(CallContext& c) {
  FERRY_TRY(AsStatus(FirstText(c, "a stream's name")));
  static constexpr const char* kNames[] = {"name", "source"};
  FERRY_ASSIGN_OR_RETURN(Json spec, Members(c, kNames));
  // Rows that scripts emit under its own name.
  if (!spec.contains("source")) spec["source"] = spec["name"];
  FERRY_ASSIGN_OR_RETURN(const size_t at, Declare(c, DeclarationKind::kStream, std::move(spec)));
  return NewDecorator(c, at);
}

// The name is what it gives, for lookups and for ferry.tables.
Result<Value> Table(CallContext& c) {
  FERRY_ASSIGN_OR_RETURN(const std::string name, FirstText(c, "a table's name"));
  static constexpr const char* kNames[] = {"name", "key", "columns"};
  FERRY_ASSIGN_OR_RETURN(Json spec, Members(c, kNames));
  FERRY_TRY(AsStatus(Declare(c, DeclarationKind::kTable, std::move(spec))));
  return c.String(name);
}

// field("user.name", "local", k=20)
Result<Value> Field(CallContext& c) {
  FERRY_ASSIGN_OR_RETURN(const std::string name, FirstText(c, "a field's name"));
  static constexpr const char* kNames[] = {"name", "class"};
  FERRY_ASSIGN_OR_RETURN(Json spec, Members(c, kNames));
  if (!spec.contains("class")) spec["class"] = "local";
  FERRY_TRY(AsStatus(Declare(c, DeclarationKind::kField, std::move(spec))));
  return c.String(name);
}

template <size_t... kRow>
constexpr auto StreamFunctions(std::index_sequence<kRow...>) {
  return std::array<vm::NativeFunction, sizeof...(kRow) + 4>{
      vm::NativeFunction{"rule", Rule}, vm::NativeFunction{"stream", Stream},
      vm::NativeFunction{"table", Table}, vm::NativeFunction{"field", Field},
      vm::NativeFunction{kStreamRows[kRow].name, MakeSpec<kRow>}...};
}
constexpr auto kStreamFunctions =
    StreamFunctions(std::make_index_sequence<std::size(kStreamRows)>());

}  // namespace

const vm::NativeModule& StreamModule() {
  static const vm::NativeModule kModule = {"ferry.stream", kStreamFunctions};
  return kModule;
}

}  // namespace ferry::bindings
