#include "cloud-server/store/move/rows.h"

#include "cloud-server/store/postgres/address.h"
#include "common/crypto/hash.h"

namespace ferry::server {
namespace {

constexpr int kFetchRows = 200;
constexpr size_t kBatchValues = 2'000;
// As ferry_profile_key of the triggers makes it, which takes a device.
constexpr const char* kProfileKey[] = {"tenant",          "os",   "app_version",   "device_class",
                                       "runtime_version", "tags", "operator_tags", "extra",
                                       "memory_bytes",    "isa",  "measured_class"};

std::string Columns(const MoveTable& table) {
  std::string text;
  for (const MoveColumn& column : table.columns)
    text += (text.empty() ? "" : ", ") + Quoted(column.name);
  return text;
}

MoveRow Take(Row& row, const MoveTable& table) {
  MoveRow out;
  out.reserve(table.columns.size());
  for (const MoveColumn& column : table.columns) {
    MoveCell& cell = out.emplace_back();
    cell.kind = column.kind;
    if (column.kind == Value::Kind::kNumber) cell.number = row.NextInt();
    if (column.kind == Value::Kind::kText) cell.text = row.NextText();
    if (column.kind == Value::Kind::kBytes) cell.bytes = row.NextBytes();
  }
  return out;
}

size_t BatchOf(const MoveSide& side, const MoveTable& table) {
  if (side.sql->dialect() == Connection::Dialect::kSqlite) return 1;
  return std::max<size_t>(kBatchValues / table.columns.size(), 1);
}

// What only PostgreSQL's table of profiles has, of the values that begin at `first`.
std::string ProfileKey(const MoveTable& table, size_t first) {
  std::string row;
  for (const char* name : kProfileKey)
    for (size_t i = 0; i < table.columns.size(); ++i)
      if (table.columns[i].name == name)
        row += fmt::format("{}?{}", row.empty() ? "" : ", ", first + i);
  return fmt::format(", sha256(convert_to(ROW({})::TEXT, 'UTF8'))", row);
}

const char* InsertOf(MoveSide& side, const MoveTable& table, size_t rows) {
  const bool with_key =
      table.name == "profile" && side.sql->dialect() == Connection::Dialect::kPostgres;
  std::string text = fmt::format("INSERT INTO {} ({}{}) VALUES ", Quoted(table.name),
                                 Columns(table), with_key ? ", key" : "");
  const size_t width = table.columns.size();
  for (size_t row = 0; row < rows; ++row) {
    text += row == 0 ? "(" : ", (";
    for (size_t i = 0; i < width; ++i)
      text += fmt::format("{}?{}", i == 0 ? "" : ", ", row * width + i + 1);
    if (with_key) text += ProfileKey(table, row * width + 1);
    text += ")";
  }
  return side.statements->Keep(std::move(text));
}

void PutNumber(Bytes& out, uint64_t number) {
  for (int shift = 56; shift >= 0; shift -= 8) out.push_back(static_cast<uint8_t>(number >> shift));
}

void PutCell(Bytes& out, const MoveCell& cell) {
  if (cell.kind == Value::Kind::kNumber) return PutNumber(out, static_cast<uint64_t>(cell.number));
  std::string copy;
  const std::string_view text =
      cell.kind == Value::Kind::kText ? StorableText(cell.text, &copy) : AsText(cell.bytes);
  PutNumber(out, text.size());
  out.insert(out.end(), text.begin(), text.end());
}

}  // namespace

Value MoveCell::value() const {
  if (kind == Value::Kind::kNumber) return Value(number);
  return kind == Value::Kind::kText ? Value(text) : Value(bytes);
}

Status ForEachRow(MoveSide& side, const MoveTable& table,
                  const std::function<Status(const MoveRow&)>& each) {
  const std::string select = fmt::format("SELECT {} FROM {}", Columns(table), Quoted(table.name));
  int64_t taken = 0;
  const auto take = [&](Row& row) {
    ++taken;
    return each(Take(row, table));
  };
  if (side.sql->dialect() == Connection::Dialect::kSqlite)
    return side.sql->Query(side.statements->Keep(select), {}, take);
  // libpq would hold the whole answer. The name is the table's: a prepared FETCH remembers what
  // its cursor gives.
  const std::string cursor = Quoted("move_" + table.name);
  FERRY_TRY(side.sql->Script(fmt::format("DECLARE {} NO SCROLL CURSOR FOR {}", cursor, select)));
  const char* fetch =
      side.statements->Keep(fmt::format("FETCH FORWARD {} FROM {}", kFetchRows, cursor));
  do {
    taken = 0;
    FERRY_TRY(side.sql->Query(fetch, {}, take));
  } while (taken == kFetchRows);
  return side.sql->Script("CLOSE " + cursor);
}

RowWriter::RowWriter(MoveSide& side, const MoveTable& table)
    : side_(side),
      table_(table),
      batch_(BatchOf(side, table)),
      many_(InsertOf(side, table, batch_)),
      one_(batch_ == 1 ? many_ : InsertOf(side, table, 1)) {}

Status RowWriter::Add(const MoveRow& row) {
  waiting_.push_back(row);
  return waiting_.size() < batch_ ? OkStatus() : Flush(batch_, many_);
}

Status RowWriter::Flush(size_t rows, const char* statement) {
  std::vector<Value> values;
  for (size_t first = 0; first < waiting_.size(); first += rows) {
    values.clear();
    for (size_t row = first; row < first + rows; ++row)
      for (const MoveCell& cell : waiting_[row]) values.push_back(cell.value());
    FERRY_TRY(side_.sql->QueryList(statement, values, [](Row&) { return OkStatus(); }));
  }
  waiting_.clear();
  return OkStatus();
}

Status RowWriter::Finish() {
  return Flush(1, one_);
}

void TableSum::Add(const MoveRow& row) {
  Bytes bytes;
  for (const MoveCell& cell : row) PutCell(bytes, cell);
  const crypto::Sha256Digest digest = crypto::Sha256(bytes);
  uint64_t carry = 0;
  for (size_t part = 0; part < sum_.size(); ++part) {
    uint64_t number = 0;
    for (size_t i = 0; i < 8; ++i)
      number = number << 8 | digest[digest.size() - 8 * (part + 1) + i];
    const uint64_t with_carry = number + carry;
    carry = with_carry < number ? 1 : 0;
    sum_[part] += with_carry;
    if (sum_[part] < with_carry) ++carry;
  }
  ++rows_;
}

std::string TableSum::Hex() const {
  std::string text;
  for (size_t part = sum_.size(); part > 0; --part) text += fmt::format("{:016x}", sum_[part - 1]);
  return text;
}

Result<TableSum> SumOf(MoveSide& side, const MoveTable& table) {
  TableSum sum;
  FERRY_TRY(ForEachRow(side, table, [&](const MoveRow& row) {
    sum.Add(row);
    return OkStatus();
  }));
  return sum;
}

}  // namespace ferry::server
