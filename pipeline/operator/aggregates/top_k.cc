#include <algorithm>
#include <map>

#include "pipeline/operator/aggregates/make.h"
#include "pipeline/operator/value.h"

namespace ferry::operators {
namespace {

constexpr size_t kExactItems = 1024;  // different values that are counted; beyond, space saving

struct TopItem {
  int64_t count = 0;
  int64_t error = 0;  // by how much the count may be too high
};

// The k most frequent values, [{"value":..,"count":n}, ..], most first, ties by canonical text.
// Exact up to kExactItems different values; then Space-Saving (Metwally 2005; merged as Agarwal
// 2012): a count may be too high by "error", which then stands beside it, and is at most the
// number of rows over kExactItems.
class TopK : public Aggregate {
 public:
  explicit TopK(const AggregateSpec& spec) : k_(static_cast<size_t>(spec.k)) {}
  void Add(const Json& value, int64_t) override {
    std::string text = WriteJson(Canonical(value));
    const auto found = items_.find(text);
    if (found != items_.end()) {
      ++found->second.count;
      return;
    }
    TopItem item{1, 0};
    if (items_.size() >= kExactItems) {  // it takes the place of the least, with its count
      item.error = DropLeast();
      item.count += item.error;
    }
    items_.emplace(std::move(text), item);
  }
  void Merge(const Aggregate& other) override {
    const auto& one = static_cast<const TopK&>(other);
    // What one side has dropped may have had its floor there.
    for (auto& [text, item] : items_)
      if (one.floor_ > 0 && !one.items_.contains(text)) {
        item.count += one.floor_;
        item.error += one.floor_;
      }
    for (const auto& [text, item] : one.items_) {
      const bool known = items_.contains(text);
      AddText(text, item);
      if (known || floor_ == 0) continue;
      items_[text].count += floor_;
      items_[text].error += floor_;
    }
    floor_ += one.floor_;
    while (items_.size() > kExactItems) DropLeast();
  }
  void Reset() override {
    items_.clear();
    floor_ = 0;
  }
  Json Value() const override {
    if (items_.empty()) return nullptr;
    std::vector<std::map<std::string, TopItem>::const_iterator> order;
    for (auto it = items_.begin(); it != items_.end(); ++it) order.push_back(it);
    const size_t most = std::min(k_, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most), order.end(),
                      [](const auto& a, const auto& b) {
                        return a->second.count != b->second.count
                                   ? a->second.count > b->second.count
                                   : a->first < b->first;
                      });
    Json out = Json::array();
    for (size_t n = 0; n < most; ++n) {
      auto value = ParseJson(order[n]->first);
      Json row = {{"value", value.ok() ? std::move(*value) : Json()},
                  {"count", order[n]->second.count}};
      if (floor_ > 0) row["error"] = order[n]->second.error;
      out.push_back(std::move(row));
    }
    return out;
  }
  void Save(ByteWriter* out) const override {
    out->I64(floor_);
    out->U64(items_.size());
    for (const auto& [text, item] : items_) {
      out->Text(text);
      out->I64(item.count);
      out->I64(item.error);
    }
  }
  void Load(ByteReader* in) override {
    Reset();
    floor_ = in->I64();
    for (uint64_t left = in->U64(); left > 0 && in->ok(); --left) {
      std::string text(in->Text());
      TopItem& item = items_[std::move(text)];
      item.count = in->I64();
      item.error = in->I64();
    }
  }

 private:
  void AddText(std::string text, TopItem more) {
    TopItem& item = items_[std::move(text)];
    item.count += more.count;
    item.error += more.error;
  }
  int64_t DropLeast() {
    const auto least = std::min_element(
        items_.begin(), items_.end(),
        [](const auto& a, const auto& b) { return a.second.count < b.second.count; });
    const int64_t count = least->second.count;
    floor_ = std::max(floor_, count);
    items_.erase(least);
    return count;
  }

  size_t k_;
  std::map<std::string, TopItem> items_;  // by canonical text
  int64_t floor_ = 0;                     // the most that a dropped value may have had; 0: none was
};

}  // namespace

AggregateKind MakeTopK() {
  return KindOf<TopK>();
}

}  // namespace ferry::operators
