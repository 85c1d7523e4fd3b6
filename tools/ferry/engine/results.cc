#include "tools/ferry/engine/results.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/ranges.h>

#include "common/base/json.h"
#include "common/sys/filesystem.h"
#include "tools/ferry/local/models.h"

namespace ferry::cli {
namespace {

using engine::DType;
using engine::Tensor;

constexpr uint64_t kMaxLabelsBytes = 16 << 20;
constexpr size_t kMaxLabels = 1 << 20;
constexpr int64_t kFirstElements = 8;
constexpr size_t kShownRows = 16;

std::string ElementText(const Tensor& tensor, int64_t at) {
  if (tensor.dtype() == DType::kString) return std::string(tensor.Text(at));
  if (!tensor::IsFloat(tensor.dtype())) return fmt::format("{}", tensor.Integer(at));
  return fmt::format("{:.6g}", tensor.Number(at));
}

// Least, largest and mean of what are numbers; how many are not.
std::string RangeText(const Tensor& tensor) {
  if (tensor.dtype() == DType::kString) return "";
  double least = std::numeric_limits<double>::infinity(), largest = -least, sum = 0;
  int64_t odd = 0;
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    const double value = tensor.Number(i);
    if (!std::isfinite(value)) {
      ++odd;
      continue;
    }
    least = std::min(least, value);
    largest = std::max(largest, value);
    sum += value;
  }
  if (odd == tensor.elements()) return "; none is finite";
  return fmt::format("; min {:.6g}, max {:.6g}, mean {:.6g}{}", least, largest,
                     sum / static_cast<double>(tensor.elements() - odd),
                     odd > 0 ? fmt::format("; {} not finite", odd) : "");
}

// The last text of an array, as ["n01440764", "tench"] has the name.
Result<std::string> LabelOf(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_array() && !json.empty()) return LabelOf(json.back());
  return Status::Of(Code::kMalformed, "a label is {}, wanted a string", json.type_name());
}

Result<std::vector<std::string>> LabelsOf(const Json& json) {
  std::vector<std::string> labels;
  if (json.is_array()) {
    for (const Json& item : json) {
      FERRY_ASSIGN_OR_RETURN(std::string label, LabelOf(item));
      labels.push_back(std::move(label));
    }
    return labels;
  }
  if (!json.is_object()) return Status(Code::kMalformed, "neither an array nor an object");
  for (const auto& [key, item] : json.items()) {
    size_t index = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
    if (error != std::errc() || end != key.data() + key.size() || index >= kMaxLabels) {
      return Status::Of(Code::kMalformed, "\"{}\" is no number of a class", key);
    }
    if (labels.size() <= index) labels.resize(index + 1);
    FERRY_ASSIGN_OR_RETURN(labels[index], LabelOf(item));
  }
  return labels;
}

}  // namespace

Result<std::vector<std::string>> ReadLabels(const std::string& file) {
  FERRY_ASSIGN_OR_RETURN(const Bytes bytes,
                         sys::ReadFile(sys::SystemFileSystem(), file, kMaxLabelsBytes));
  std::string_view text = AsText(bytes);
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first != text.npos && (text[first] == '[' || text[first] == '{')) {
    FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(text).Context("{}", file));
    return LabelsOf(json).Context("{}", file);
  }
  std::vector<std::string> labels;
  while (!text.empty() && labels.size() < kMaxLabels) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    labels.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return labels;
}

std::string ResultText(const std::string& name, const tensor::Value& value) {
  if (!value.IsTensor() || value.tensor().elements() <= kMostShownElements) {
    return fmt::format("{} {} = {}\n", name, value.TypeText(), WriteJson(ValueToJson(value)));
  }
  const Tensor& tensor = value.tensor();
  std::vector<std::string> begin;
  for (int64_t i = 0; i < kFirstElements; ++i) begin.push_back(ElementText(tensor, i));
  return fmt::format("{} {}: {} ..{}\n", name, value.TypeText(), fmt::join(begin, " "),
                     RangeText(tensor));
}

Result<std::vector<std::vector<TopRow>>> TopRows(const Tensor& tensor, size_t count,
                                                 const std::vector<std::string>& labels) {
  std::vector<std::vector<TopRow>> rows;
  if (tensor.dtype() == DType::kString || tensor.shape().rank() < 1 || tensor.elements() == 0) {
    return rows;
  }
  const int64_t size = tensor.shape()[tensor.shape().rank() - 1];
  if (!labels.empty() && static_cast<int64_t>(labels.size()) < size) {
    return Status::Of(Code::kInvalidArgument, "{} labels for {} classes", labels.size(), size);
  }
  for (int64_t begin = 0; begin < tensor.elements(); begin += size) {
    std::vector<int64_t> order(static_cast<size_t>(size));
    std::iota(order.begin(), order.end(), int64_t{0});
    const auto before = [&](int64_t a, int64_t b) {
      const double x = tensor.Number(begin + a), y = tensor.Number(begin + b);
      if (std::isnan(x) || std::isnan(y)) return !std::isnan(x) && std::isnan(y);
      return x > y;
    };
    std::ranges::stable_sort(order, before);
    std::vector<TopRow>& row = rows.emplace_back();
    for (size_t i = 0; i < std::min(count, order.size()); ++i) {
      row.push_back({order[i], tensor.Number(begin + order[i]),
                     labels.empty() ? "" : labels[static_cast<size_t>(order[i])]});
    }
  }
  return rows;
}

std::string TopText(const std::string& name, const std::vector<std::vector<TopRow>>& rows) {
  std::string text;
  for (size_t i = 0; i < std::min(rows.size(), kShownRows); ++i) {
    text += rows.size() == 1 ? fmt::format("{}\n", name) : fmt::format("{} row {}\n", name, i);
    for (const TopRow& row : rows[i]) {
      text += fmt::format("  {:>6}  {:<12.6g} {}\n", row.index, row.value, row.label);
    }
  }
  if (rows.size() > kShownRows) text += fmt::format("{} rows in all: --json\n", rows.size());
  return text;
}

Json TopJson(const std::vector<std::vector<TopRow>>& rows) {
  Json all = Json::array();
  for (const std::vector<TopRow>& row : rows) {
    Json items = Json::array();
    for (const TopRow& item : row) {
      items.push_back({{"index", item.index}, {"value", item.value}});
      if (!item.label.empty()) items.back()["label"] = item.label;
    }
    all.push_back(std::move(items));
  }
  return all;
}

}  // namespace ferry::cli
