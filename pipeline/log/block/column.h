// Columns of values of one type, in the smallest of a few forms. Internal to the room.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/log/block/bytes.h"
#include "pipeline/log/block/names.h"

namespace ferry::log {

// ---- ints.cc

// Numbers as differences to the least one, differences of neighbours, or places in a list of the
// distinct ones; each bit-packed.
void EncodeInts(const std::vector<int64_t>& values, ByteWriter* out);
// `count` values, or a failed reader.
std::vector<int64_t> DecodeInts(size_t count, ByteReader* in);

// ---- doubles.cc

// Whole numbers of a power of ten where every value is one again bit by bit, else eight bytes each.
void EncodeDoubles(const std::vector<double>& values, ByteWriter* out);
std::vector<double> DecodeDoubles(size_t count, ByteReader* in);

// ---- texts.cc

// Names by number, one beginning with a whole number behind it, or their bytes one after another.
// `values` must live as long as `names`.
void EncodeTexts(const std::vector<std::string>& values, BlockNames* names, ByteWriter* out);
// Strings built of beginning and number live in `made`, the others in the block or in `names`.
struct DecodedTexts {
  std::vector<std::string_view> views;
  std::vector<std::string> made;
};
// At most `max_bytes` are made.
void DecodeTexts(size_t count, const std::vector<std::string_view>& names, size_t max_bytes,
                 ByteReader* in, DecodedTexts* out);

}  // namespace ferry::log
