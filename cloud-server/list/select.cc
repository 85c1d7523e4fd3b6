#include <algorithm>

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
  const auto before = [&](size_t a, size_t b) { return order.Before(rows.row(a), rows.row(b)); };
  int64_t total = 0;
  for (size_t i = 0; i < rows.count; ++i) {
    const Row& one = rows.row(i);
    // What is cheaper to find out comes first, unless all that pass are counted.
    const bool full = page.rows.size() > query.limit;
    const bool wanted =
        order.IsAfter(one) && (!full || order.Before(one, rows.row(page.rows.front())));
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
  }
  std::sort_heap(page.rows.begin(), page.rows.end(), before);
  page.more = page.rows.size() > query.limit;
  if (page.more) page.rows.pop_back();
  if (query.total) page.total = total;
  return page;
}

}  // namespace ferry::server::list
