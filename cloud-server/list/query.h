// What a caller asks of a list: how many rows, which, in which order, from where on. Pure.
// ---- query.cc select.cc
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cloud-server/list/row.h"
#include "common/base/status.h"

namespace ferry::server::list {

inline constexpr int64_t kDefaultLimit = 200;
inline constexpr int64_t kMaxLimit = 1000;
inline constexpr size_t kMaxSortColumns = 4;
inline constexpr size_t kMaxCursorBytes = 4096;

// How one list is read.
struct Spec {
  const Vocabulary* vocabulary = nullptr;
  std::string_view key;           // a column whose values are all different
  std::string_view default_sort;  // empty: by the key
  int64_t default_limit = kDefaultLimit;
};

struct SortColumn {
  size_t column = 0;
  bool descending = false;
};

struct Query {
  size_t limit = 0;
  std::vector<SortColumn> sort;  // the last one is the key
  std::optional<target::Rule> filter;
  std::string filter_text;
  bool total = false;
  // The row after which the page begins, as the values that it is sorted by.
  struct Key {
    Value::Kind kind = Value::Kind::kNone;
    int64_t number = 0;
    std::string text;
  };
  std::vector<Key> after;  // empty: from the start
  bool by_key_only(const Spec& spec) const;
};

// `limit`, `cursor`, `sort` ("name,-time"), `filter`, `total` of a call's query; others are left
// alone. kInvalidArgument and kBadRule begin with the name of the member that is wrong.
Result<Query> ReadQuery(const std::map<std::string, std::string>& query, const Spec& spec);

// An opaque text that ReadQuery takes as `cursor`: the page after `row`. It holds for the same sort
// and filter.
std::string CursorOf(const Query& query, const Spec& spec, const Row& row);

struct Page {
  std::vector<size_t> rows;      // indices, in order
  bool more = false;             // after them
  std::optional<int64_t> total;  // of all that the filter lets through, where it was asked for
};

struct Rows {
  size_t count = 0;
  std::function<const Row&(size_t)> row;
  // In ascending order of the key, so that a page in that order need not look at all.
  bool in_key_order = false;
  // Whether the filter lets a row through, for who knows that sooner; empty: it is asked.
  std::function<bool(size_t)> passes;
  // A number for what a row has in the first column of the sort, the same for the same, for who
  // knows it without the row; empty: nobody does.
  std::function<uint32_t(size_t)> first_code;
};

// The page. It depends on nothing but the rows that are there now: rows that come and go between
// two pages make no other one come twice or be left out.
Page Select(const Query& query, const Spec& spec, const Rows& rows);

}  // namespace ferry::server::list
