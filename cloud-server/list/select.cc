#include <algorithm>
#include <vector>

#include "cloud-server/list/query.h"

namespace ferry::server::list {
namespace {

class Order {
 public:
  Order(const Query& query, const Spec& spec) : query_(query), spec_(spec) {}

  // Whether `a` stands before `b`.
  bool Before(const Row& a, const Row& b) const {
    for (const SortColumn& one : query_.sort) {
      const auto order = Compare(a.At(one.column), b.At(one.column), KindOf(one));
      if (order != 0) return one.descending ? order > 0 : order < 0;
    }
    return false;
  }

  // What the row is sorted by.
  std::vector<Value> ValuesOf(const Row& row) const {
    std::vector<Value> values;
    for (const SortColumn& one : query_.sort) values.push_back(row.At(one.column));
    return values;
  }
  // Whether the row stands before the one with these.
  bool Before(const Row& row, const std::vector<Value>& values) const {
    for (size_t i = 0; i < values.size(); ++i) {
      const SortColumn& one = query_.sort[i];
      const auto order = Compare(row.At(one.column), values[i], KindOf(one));
      if (order != 0) return one.descending ? order > 0 : order < 0;
    }
    return false;
  }
  // Whether the first column alone says that the row stands behind the one with these.
  bool BehindByFirst(const Row& row, const std::vector<Value>& values) const {
    const SortColumn& one = query_.sort[0];
    const auto order = Compare(row.At(one.column), values[0], KindOf(one));
    return one.descending ? order < 0 : order > 0;
  }

  // Whether the row stands behind the one that the cursor names.
  bool IsAfter(const Row& row) const {
    for (size_t i = 0; i < query_.after.size(); ++i) {
      const Query::Key& key = query_.after[i];
      const SortColumn& one = query_.sort[i];
      const auto order = Compare(row.At(one.column), {key.kind, key.number, key.text}, KindOf(one));
      if (order != 0) return one.descending ? order < 0 : order > 0;
    }
    return query_.after.empty();
  }

 private:
  ColumnKind KindOf(const SortColumn& one) const {
    return spec_.vocabulary->columns()[one.column].kind;
  }
  const Query& query_;
  const Spec& spec_;
};

// The last row of a full page, and which contents of the first column stand behind it: most rows
// are passed over without being read.
class Last {
 public:
  Last(const Order& order, const Rows& rows) : order_(order), rows_(rows) {}

  void Set(size_t row) {
    values_ = order_.ValuesOf(rows_.row(row));
    ++number_;
  }
  bool IsBehind(size_t row) {
    if (!rows_.first_code) return false;
    const uint32_t code = rows_.first_code(row);
    if (code >= known_.size()) known_.resize(code + size_t{1});
    Known& known = known_[code];
    if (known.number != number_) known = {number_, order_.BehindByFirst(rows_.row(row), values_)};
    return known.behind;
  }
  const std::vector<Value>& values() const { return values_; }

 private:
  struct Known {
    uint32_t number = 0;  // of the last row that it was found out for
    bool behind = false;
  };
  const Order& order_;
  const Rows& rows_;
  std::vector<Value> values_;
  uint32_t number_ = 0;
  std::vector<Known> known_;  // by code
};

bool Passes(const Query& query, const Rows& rows, size_t i) {
  if (!query.filter) return true;
  return rows.passes ? rows.passes(i) : target::Matches(*query.filter, rows.row(i), {});
}

// Ascending in order of the key: the page begins where the cursor says and ends when it is full.
Page SelectInOrder(const Query& query, const Order& order, const Rows& rows) {
  Page page;
  size_t begin = 0, end = rows.count;
  while (begin < end) {
    const size_t middle = begin + (end - begin) / 2;
    if (order.IsAfter(rows.row(middle)))
      end = middle;
    else
      begin = middle + 1;
  }
  int64_t total = 0;
  const bool count = query.total && query.filter;
  for (size_t i = begin; i < rows.count; ++i) {
    if (!Passes(query, rows, i)) continue;
    page.more = page.rows.size() == query.limit;
    if (page.more && !count) break;
    ++total;
    if (!page.more) page.rows.push_back(i);
  }
  for (size_t i = 0; count && i < begin; ++i) total += Passes(query, rows, i) ? 1 : 0;
  if (query.total) page.total = query.filter ? total : static_cast<int64_t>(rows.count);
  return page;
}

}  // namespace

Page Select(const Query& query, const Spec& spec, const Rows& rows) {
  const Order order(query, spec);
  if (rows.in_key_order && query.by_key_only(spec) && !query.sort[0].descending)
    return SelectInOrder(query, order, rows);
  // The page's rows as a heap with the last one on top: all rows are looked at, few are kept.
  Page page;
  Last last(order, rows);
  const auto before = [&](size_t a, size_t b) { return order.Before(rows.row(a), rows.row(b)); };
  int64_t total = 0;
  for (size_t i = 0; i < rows.count; ++i) {
    // What is cheaper to find out comes first, unless all that pass are counted.
    const bool full = page.rows.size() > query.limit;
    const bool wanted = !(full && last.IsBehind(i)) && order.IsAfter(rows.row(i)) &&
                        (!full || order.Before(rows.row(i), last.values()));
    if ((!wanted && !query.total) || !Passes(query, rows, i)) continue;
    ++total;
    if (!wanted) continue;
    if (full) {
      std::pop_heap(page.rows.begin(), page.rows.end(), before);
      page.rows.back() = i;
    } else {
      page.rows.push_back(i);
    }
    std::push_heap(page.rows.begin(), page.rows.end(), before);
    if (page.rows.size() > query.limit) last.Set(page.rows.front());
  }
  std::sort_heap(page.rows.begin(), page.rows.end(), before);
  page.more = page.rows.size() > query.limit;
  if (page.more) page.rows.pop_back();
  if (query.total) page.total = total;
  return page;
}

}  // namespace ferry::server::list
