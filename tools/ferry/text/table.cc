#include "tools/ferry/text/table.h"

#include <algorithm>

#include "tools/ferry/text/visible.h"

namespace ferry::cli {
namespace {

constexpr std::string_view kBetween = "  ";

}  // namespace

Table::Table(std::vector<Column> columns, size_t indent)
    : columns_(std::move(columns)), indent_(indent) {}

void Table::Add(const std::vector<std::string>& cells) {
  std::vector<std::string> row;
  for (size_t i = 0; i < columns_.size(); ++i) {
    const std::string text = i < cells.size() ? Visible(cells[i]) : "";
    row.push_back(text.empty() ? "-" : CutToColumns(text, columns_[i].most));
  }
  rows_.push_back(std::move(row));
}

std::string Table::Text() const {
  if (rows_.empty()) return "";
  std::vector<size_t> widths;
  for (size_t i = 0; i < columns_.size(); ++i) {
    size_t width = ColumnsOf(columns_[i].heading);
    for (const auto& row : rows_) width = std::max(width, ColumnsOf(row[i]));
    widths.push_back(width);
  }
  std::string out;
  const auto line = [&](const auto& cell_of) {
    std::string text(indent_, ' ');
    for (size_t i = 0; i < columns_.size(); ++i) {
      const std::string& cell = cell_of(i);
      const std::string fill(widths[i] - ColumnsOf(cell), ' ');
      if (i > 0) text += kBetween;
      text += columns_[i].right ? fill + cell : cell + fill;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  };
  line([&](size_t i) -> const std::string& { return columns_[i].heading; });
  for (const auto& row : rows_) line([&](size_t i) -> const std::string& { return row[i]; });
  return out;
}

std::string Table::TextOr(std::string_view none) const {
  return rows_.empty() ? std::string(none) + "\n" : Text();
}

}  // namespace ferry::cli
