// Values and rows as libpq has them, in binary. Private to postgres_connection.cc.
#pragma once

#include <libpq-fe.h>

#include <array>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "cloud-server/store/postgres/address.h"
#include "cloud-server/store/sql/connection.h"
#include "common/base/check.h"

namespace ferry::server::wire {

// Numbers of types, fixed in PostgreSQL's catalogue.
inline constexpr Oid kBool = 16, kBytea = 17, kInt8 = 20, kInt2 = 21, kInt4 = 23, kText = 25;
inline constexpr Oid kByteas = 1001, kTexts = 1009, kInt8s = 1016;  // arrays
inline constexpr int kBinary = 1;

// Of a letter of Bound::kinds.
inline Oid TypeOf(char kind) {
  switch (kind) {
    case 'n':
      return kInt8;
    case 't':
      return kText;
    case 'N':
      return kInt8s;
    case 'T':
      return kTexts;
    case 'B':
      return kByteas;
    default:
      return kBytea;
  }
}

// The last `bytes` of a number, the highest one first.
inline void AppendNumber(std::string* out, uint64_t number, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
    *out += static_cast<char>(number >> shift);
}

// An array of one dimension without NULLs, as its elements' type sends it.
inline std::string ArrayHead(Oid element, size_t count) {
  std::string out;
  AppendNumber(&out, count == 0 ? 0 : 1, 4);  // dimensions
  AppendNumber(&out, 0, 4);
  AppendNumber(&out, element, 4);
  if (count == 0) return out;
  AppendNumber(&out, count, 4);
  AppendNumber(&out, 1, 4);  // the first index
  return out;
}

inline std::string ArrayOf(const std::vector<int64_t>& numbers) {
  std::string out = ArrayHead(kInt8, numbers.size());
  for (const int64_t number : numbers) {
    AppendNumber(&out, sizeof(number), 4);
    AppendNumber(&out, static_cast<uint64_t>(number), sizeof(number));
  }
  return out;
}

inline std::string ArrayOf(const std::vector<std::string>& texts, bool is_text) {
  std::string out = ArrayHead(is_text ? kText : kBytea, texts.size());
  for (const std::string& text : texts) {
    std::string copy;
    const std::string_view storable = is_text ? StorableText(text, &copy) : text;
    AppendNumber(&out, storable.size(), 4);
    out += storable;
  }
  return out;
}

class PostgresRow : public Row {
 public:
  PostgresRow(const PGresult* result, int row) : result_(result), row_(row) {}

  int64_t NextInt() override {
    const std::string_view bytes = Next();
    const Oid type = PQftype(result_, column_ - 1);
    CHECK(type == kInt8 || type == kInt4 || type == kInt2 || type == kBool);
    if (bytes.empty()) return 0;
    int64_t number = static_cast<int8_t>(bytes[0]);
    for (const char byte : bytes.substr(1))
      number =
          static_cast<int64_t>((static_cast<uint64_t>(number) << 8) | static_cast<uint8_t>(byte));
    return number;
  }

  std::string NextText() override { return std::string(Next()); }

  Bytes NextBytes() override {
    const std::string_view bytes = Next();
    return Bytes(bytes.begin(), bytes.end());
  }

 private:
  std::string_view Next() {
    const int column = column_++;
    CHECK(column < PQnfields(result_));
    return {PQgetvalue(result_, row_, column),
            static_cast<size_t>(PQgetlength(result_, row_, column))};
  }

  const PGresult* result_;
  const int row_;
  int column_ = 0;
};

// What a statement's values are, as libpq takes them; they are borrowed.
struct Bound {
  explicit Bound(std::span<const Value> values) {
    numbers.reserve(values.size());
    for (const Value& value : values) Add(value);
  }

  void Add(const Value& value) {
    formats.push_back(kBinary);
    if (value.kind() == Value::Kind::kNumber) {
      std::array<char, 8>& number = numbers.emplace_back();
      for (size_t i = 0; i < number.size(); ++i)
        number[i] = static_cast<char>(static_cast<uint64_t>(value.number()) >> (56 - 8 * i));
      kinds += 'n';
      pointers.push_back(number.data());
      sizes.push_back(static_cast<int>(number.size()));
      return;
    }
    switch (value.kind()) {
      case Value::Kind::kNumbers:
        return AddArray('N', ArrayOf(value.numbers()));
      case Value::Kind::kTexts:
        return AddArray('T', ArrayOf(value.texts(), true));
      case Value::Kind::kBlobs:
        return AddArray('B', ArrayOf(value.texts(), false));
      default:
        break;
    }
    const bool is_text = value.kind() == Value::Kind::kText;
    std::string_view text = value.text();
    if (is_text) text = StorableText(text, &copies.emplace_back());
    kinds += is_text ? 't' : 'b';
    // A null pointer would be NULL.
    pointers.push_back(text.empty() ? "" : text.data());
    sizes.push_back(static_cast<int>(text.size()));
  }

  void AddArray(char kind, std::string array) {
    kinds += kind;
    copies.push_back(std::move(array));
    pointers.push_back(copies.back().data());
    sizes.push_back(static_cast<int>(copies.back().size()));
  }

  std::string kinds;
  std::vector<std::array<char, 8>> numbers;  // reserved: it must not move
  std::deque<std::string> copies;
  std::vector<const char*> pointers;
  std::vector<int> sizes, formats;
};

}  // namespace ferry::server::wire
