#include "cloud-server/list/query.h"

#include <algorithm>
#include <charconv>

#include "common/base/bytes.h"
#include "common/base/json.h"
#include "policy/text/rule_text.h"

namespace ferry::server::list {
namespace {

Result<int64_t> LimitFrom(const std::string& text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0)
    return Status::Of(Code::kInvalidArgument, "?limit={}: not a number from 0", text.substr(0, 40));
  return value;
}

std::string SortableNames(const Vocabulary& vocabulary) {
  std::string names;
  for (const Column& column : vocabulary.columns())
    names += (names.empty() ? "" : " ") + std::string(column.name);
  return names;
}

Result<std::vector<SortColumn>> SortFrom(std::string_view text, const Spec& spec) {
  std::vector<SortColumn> out;
  const size_t key = spec.vocabulary->Find(spec.key);
  while (!text.empty()) {
    const size_t comma = text.find(',');
    std::string_view name = text.substr(0, comma);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    const bool descending = name.starts_with('-');
    if (descending) name.remove_prefix(1);
    const size_t column = spec.vocabulary->Find(name);
    if (column == Vocabulary::npos)
      return Status::Of(Code::kInvalidArgument, "sort: there is no column \"{}\"; known are: {}",
                        name.substr(0, 40), SortableNames(*spec.vocabulary));
    if (out.size() == kMaxSortColumns)
      return Status::Of(Code::kInvalidArgument, "sort: more than {} columns", kMaxSortColumns);
    out.push_back({column, descending});
    if (column == key) return out;  // what follows would decide nothing
  }
  out.push_back({key, false});
  return out;
}

// Cursors begin with what they hold for.
std::string SortText(const std::vector<SortColumn>& sort, const Vocabulary& vocabulary) {
  std::string text;
  for (const SortColumn& one : sort)
    text += fmt::format("{}{}{}", text.empty() ? "" : ",", one.descending ? "-" : "",
                        vocabulary.columns()[one.column].name);
  return text;
}

std::string HashOf(const std::string& text) {
  uint64_t hash = 14695981039346656037ULL;  // FNV-1a: it only tells filters apart
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return fmt::format("{:016x}", hash);
}

std::string ToUrl(std::string text) {
  std::replace(text.begin(), text.end(), '+', '-');
  std::replace(text.begin(), text.end(), '/', '_');
  text.erase(text.find_last_not_of('=') + 1);
  return text;
}

std::string FromUrl(std::string text) {
  std::replace(text.begin(), text.end(), '-', '+');
  std::replace(text.begin(), text.end(), '_', '/');
  text.resize((text.size() + 3) / 4 * 4, '=');
  return text;
}

Result<std::vector<Query::Key>> KeysFrom(const std::string& cursor, const Query& query,
                                         const Spec& spec) {
  if (cursor.size() > kMaxCursorBytes) return Status(Code::kInvalidArgument, "too long");
  FERRY_ASSIGN_OR_RETURN(const Bytes raw, FromBase64(FromUrl(cursor)));
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(AsText(raw)));
  FERRY_ASSIGN_OR_RETURN(const std::string sort, GetString(json, "s"));
  FERRY_ASSIGN_OR_RETURN(const std::string filter, GetString(json, "f"));
  FERRY_ASSIGN_OR_RETURN(const Json* keys, GetArray(json, "k"));
  if (sort != SortText(query.sort, *spec.vocabulary) || filter != HashOf(query.filter_text) ||
      keys->size() != query.sort.size())
    return Status(Code::kInvalidArgument, "it belongs to another sort or filter");
  std::vector<Query::Key> out;
  for (const Json& key : *keys) {
    Query::Key& value = out.emplace_back();
    if (const auto* text = key.get_ptr<const std::string*>()) {
      value.kind = Value::Kind::kText;
      value.text = *text;
    } else if (key.is_number_integer()) {
      value.kind = Value::Kind::kNumber;
      value.number = key.get<int64_t>();
    } else if (!key.is_null()) {
      return Status(Code::kInvalidArgument, "no value of a column");
    }
  }
  return out;
}

std::string MemberOf(const std::map<std::string, std::string>& query, const char* key) {
  const auto found = query.find(key);
  return found == query.end() ? std::string() : found->second;
}

}  // namespace

bool Query::by_key_only(const Spec& spec) const {
  return sort.size() == 1 && sort[0].column == spec.vocabulary->Find(spec.key);
}

Result<Query> ReadQuery(const std::map<std::string, std::string>& query, const Spec& spec) {
  Query out;
  int64_t limit = spec.default_limit;
  if (const std::string text = MemberOf(query, "limit"); !text.empty()) {
    FERRY_ASSIGN_OR_RETURN(limit, LimitFrom(text));
  }
  out.limit = static_cast<size_t>(std::clamp<int64_t>(limit, 1, kMaxLimit));
  out.total = MemberOf(query, "total") == "1";
  std::string sort = MemberOf(query, "sort");
  if (sort.empty()) sort = spec.default_sort;
  FERRY_ASSIGN_OR_RETURN(out.sort, SortFrom(sort, spec));
  out.filter_text = MemberOf(query, "filter");
  if (!out.filter_text.empty()) {
    FERRY_ASSIGN_OR_RETURN(
        out.filter, text::ParseRule(out.filter_text, spec.vocabulary->names()).Context("filter"));
  }
  if (const std::string cursor = MemberOf(query, "cursor"); !cursor.empty()) {
    Result<std::vector<Query::Key>> keys = KeysFrom(cursor, out, spec);
    if (!keys.ok())
      return Status::Of(Code::kInvalidArgument, "cursor: {}", keys.status().message());
    out.after = *std::move(keys);
  }
  return out;
}

std::string CursorOf(const Query& query, const Spec& spec, const Row& row) {
  Json keys = Json::array();
  for (const SortColumn& one : query.sort) {
    const Value value = row.At(one.column);
    if (value.kind == Value::Kind::kNone)
      keys.push_back(nullptr);
    else if (value.kind == Value::Kind::kNumber)
      keys.push_back(value.number);
    else
      keys.push_back(std::string(value.text));
  }
  const Json json = {{"s", SortText(query.sort, *spec.vocabulary)},
                     {"f", HashOf(query.filter_text)},
                     {"k", std::move(keys)}};
  return ToUrl(ToBase64(AsBytes(WriteJson(json))));
}

}  // namespace ferry::server::list
