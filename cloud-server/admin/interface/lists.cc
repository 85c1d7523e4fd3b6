#include "cloud-server/admin/interface/lists.h"

namespace ferry::server {
namespace {

// An object whose members are the columns, where they are of their kinds.
struct JsonRow : list::Row {
  explicit JsonRow(const Json& json, const list::Vocabulary& vocabulary) {
    for (const list::Column& column : vocabulary.columns()) {
      const auto found = json.find(column.name);
      values.push_back(found == json.end() ? list::Value() : ValueOf(*found));
    }
  }
  list::Value At(size_t column) const override { return values[column]; }

  static list::Value ValueOf(const Json& json) {
    if (const auto* text = json.get_ptr<const std::string*>())
      return list::Value::Of(std::string_view(*text));
    if (json.is_boolean()) return list::Value::Of(int64_t{json.get<bool>()});
    if (json.is_number_integer()) return list::Value::Of(json.get<int64_t>());
    return {};
  }

  std::vector<list::Value> values;
};

}  // namespace

const list::Spec& MakeListSpec(std::vector<list::Column> columns, std::string_view key,
                               std::string_view default_sort, int64_t default_limit) {
  return *new list::Spec{new list::Vocabulary(std::move(columns)), key, default_sort,
                         default_limit};
}

void AddPageMembers(const list::Query& query, const list::Spec& spec, const list::Page& page,
                    const list::Row* last, Json* json) {
  (*json)["next_cursor"] =
      page.more && last != nullptr ? Json(CursorOf(query, spec, *last)) : Json();
  if (page.total) (*json)["total"] = *page.total;
}

Result<Json> AnswerList(const Call& call, const list::Spec& spec, const char* member,
                        const std::vector<Json>& rows, const ShowRow& show) {
  FERRY_ASSIGN_OR_RETURN(const list::Query query, list::ReadQuery(call.http.query, spec));
  std::vector<JsonRow> values;
  values.reserve(rows.size());
  for (const Json& row : rows) values.emplace_back(row, *spec.vocabulary);
  list::Rows all;
  all.count = rows.size();
  all.row = [&](size_t i) -> const list::Row& { return values[i]; };
  const list::Page page = list::Select(query, spec, all);
  Json shown = Json::array();
  for (const size_t i : page.rows) {
    if (show) {
      FERRY_ASSIGN_OR_RETURN(Json row, show(i));
      shown.push_back(std::move(row));
    } else {
      shown.push_back(rows[i]);
    }
  }
  Json json = {{member, std::move(shown)}};
  AddPageMembers(query, spec, page, page.rows.empty() ? nullptr : &values[page.rows.back()], &json);
  json["next"] = json["next_cursor"];
  return json;
}

}  // namespace ferry::server
