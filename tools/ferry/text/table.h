// Tables for people: a heading, columns of bounded width, cells that cannot leave their place. All
// that the command line prints in columns goes through here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ferry::cli {

inline constexpr size_t kIdColumns = 32;      // ids are shown whole: commands take them
inline constexpr size_t kNameColumns = 28;    // names, versions, states
inline constexpr size_t kWordsColumns = 240;  // sentences

class Table {
 public:
  struct Column {
    std::string heading;
    size_t most = kNameColumns;  // columns of the terminal; longer cells are cut
    bool right = false;          // numbers
  };
  // `indent` spaces before each line.
  explicit Table(std::vector<Column> columns, size_t indent = 0);

  // A cell for each column; missing ones are empty, shown as "-". Cells are escaped here.
  void Add(const std::vector<std::string>& cells);
  bool empty() const { return rows_.empty(); }
  // Heading and rows, each with its line end; nothing at all without rows.
  std::string Text() const;
  // The same, or `none` and a line end without rows.
  std::string TextOr(std::string_view none) const;

 private:
  std::vector<Column> columns_;
  size_t indent_;
  std::vector<std::vector<std::string>> rows_;  // visible and cut
};

}  // namespace ferry::cli
