// Lists of rows that are few enough to be read whole: the page that a call asks for. Private to
// admin. Devices have cloud-server/fleet.
// ---- lists.cc
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cloud-server/admin/routes.h"
#include "cloud-server/list/query.h"

namespace ferry::server {

// How a list is read; made once and alive for ever. Columns are members of its rows.
const list::Spec& MakeListSpec(std::vector<list::Column> columns, std::string_view key,
                               std::string_view default_sort,
                               int64_t default_limit = list::kDefaultLimit);

// {member:[rows of the page],"next","next_cursor","total"?}. `rows` need no more than the columns
// when `show` makes the whole of each row that is on the page.
using ShowRow = std::function<Result<Json>(size_t index)>;
Result<Json> AnswerList(const Call& call, const list::Spec& spec, const char* member,
                        const std::vector<Json>& rows, const ShowRow& show = nullptr);

// What every list says of its page. `last`: the page's last row; null: it is empty.
void AddPageMembers(const list::Query& query, const list::Spec& spec, const list::Page& page,
                    const list::Row* last, Json* json);

}  // namespace ferry::server
