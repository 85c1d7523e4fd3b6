#include "pipeline/table/rows.h"

#include <map>

namespace ferry::table {
namespace {

// One record of a CSV file: fields between commas; one in quotes may hold commas, line ends and
// doubled quotes.
class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : text_(text) {}

  bool at_end() const { return at_ >= text_.size(); }
  size_t line() const { return line_; }  // that the next record begins in

  Result<std::vector<std::string>> Next() {
    std::vector<std::string> fields;
    while (true) {
      FERRY_ASSIGN_OR_RETURN(std::string field, Field());
      fields.push_back(std::move(field));
      if (at_end()) return fields;
      const char end = text_[at_++];
      if (end == ',') continue;
      ++line_;
      if (end == '\r' && at_ < text_.size() && text_[at_] == '\n') ++at_;
      return fields;
    }
  }

 private:
  bool Ends() const {
    return at_end() || std::string_view(",\r\n").find(text_[at_]) != std::string_view::npos;
  }

  Result<std::string> Field() {
    std::string out;
    if (at_end() || text_[at_] != '"') {
      while (!Ends()) out += text_[at_++];
      return out;
    }
    const size_t begin = line_;
    bool closed = false;
    for (++at_; !at_end() && !closed;) {
      const char c = text_[at_++];
      if (c == '\n') ++line_;
      closed = c == '"' && (at_end() || text_[at_] != '"');
      if (c == '"' && !closed) ++at_;
      if (!closed) out += c;
    }
    if (!closed || !Ends())
      return Status::Of(Code::kMalformed, "the quotes of line {} do not end where a field does",
                        begin);
    return out;
  }

  std::string_view text_;
  size_t at_ = 0, line_ = 1;
};

// What a field says of a column; texts stand as they are, all else is JSON.
Result<Json> FieldValue(const Column& column, const std::string& field) {
  if (field.empty()) return Json();
  if (column.type != Type::kText) return ParseJson(field).Context("column {}", column.name);
  // JSON's writer replaces what is no UTF-8.
  Json text(field);
  FERRY_ASSIGN_OR_RETURN(const Json back, ParseJson(WriteJson(text)));
  if (back != text) return Status::Of(Code::kMalformed, "column {}: no UTF-8", column.name);
  return text;
}

// Takes rows one by one, with the line that each begins in.
class RowTaker {
 public:
  explicit RowTaker(const Definition& definition) : definition_(definition) {}

  Status Take(size_t line, Json row) {
    FERRY_TRY(CheckRow(definition_, row));
    FERRY_ASSIGN_OR_RETURN(std::string key, EncodeKey(definition_, KeyOf(definition_, row)));
    const auto [known, fresh] = lines_.emplace(std::move(key), line);
    if (!fresh)
      return Status::Of(Code::kAlreadyExists, "a row with this key stands in line {}",
                        known->second);
    if (static_cast<int64_t>(lines_.size()) > definition_.max_rows)
      return Status::Of(Code::kLimitExceeded, "table {} keeps {} rows", definition_.name,
                        definition_.max_rows);
    rows_.push_back(std::move(row));
    return OkStatus();
  }
  std::vector<Json> rows() && { return std::move(rows_); }

 private:
  const Definition& definition_;
  std::map<std::string, size_t> lines_;  // by encoded key
  std::vector<Json> rows_;
};

Status TakeLines(std::string_view text, size_t* line, RowTaker* taker) {
  for (*line = 1; !text.empty(); ++*line) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view row = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (row.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    FERRY_ASSIGN_OR_RETURN(Json json, ParseJson(row));
    FERRY_TRY(taker->Take(*line, std::move(json)));
  }
  return OkStatus();
}

Status TakeCsv(const Definition& definition, std::string_view text, size_t* line, RowTaker* taker) {
  CsvReader reader(text);
  *line = 1;
  FERRY_ASSIGN_OR_RETURN(const std::vector<std::string> names, reader.Next());
  std::vector<const Column*> columns;
  for (const std::string& name : names) {
    columns.push_back(definition.Find(name));
    if (columns.back() == nullptr)
      return Status::Of(Code::kInvalidArgument, "table {} has no column {}", definition.name, name);
  }
  while (!reader.at_end()) {
    *line = reader.line();
    FERRY_ASSIGN_OR_RETURN(const std::vector<std::string> fields, reader.Next());
    if (fields.size() == 1 && fields[0].empty()) continue;
    if (fields.size() != columns.size())
      return Status::Of(Code::kMalformed, "{} fields for {} columns", fields.size(),
                        columns.size());
    Json row = Json::object();
    for (size_t k = 0; k < fields.size(); ++k) {
      FERRY_ASSIGN_OR_RETURN(row[columns[k]->name], FieldValue(*columns[k], fields[k]));
    }
    FERRY_TRY(taker->Take(*line, std::move(row)));
  }
  return OkStatus();
}

}  // namespace

Result<std::vector<Json>> ReadRows(const Definition& definition, std::string_view file,
                                   std::string_view text) {
  if (text.size() > kMaxRowsFileBytes)
    return Status::Of(Code::kLimitExceeded, "{}: {} bytes of rows, the limit is {}", file,
                      text.size(), kMaxRowsFileBytes);
  RowTaker taker(definition);
  size_t line = 1;
  const Status status = file.ends_with(".csv") ? TakeCsv(definition, text, &line, &taker)
                                               : TakeLines(text, &line, &taker);
  FERRY_TRY(status.Context("{}, line {}", file, line));
  return std::move(taker).rows();
}

}  // namespace ferry::table
