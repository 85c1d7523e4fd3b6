#include "device-runtime/llm/testing/quantized.h"

#include <algorithm>

#include "device-runtime/tensor/dtype.h"

namespace ferry::llm::testing {
namespace {

// Codes one after another from the lowest bit of 32-bit words; each line begins with a new word.
std::vector<uint32_t> WordsOf(const std::vector<int>& codes, int bits) {
  std::vector<uint32_t> words((codes.size() * static_cast<size_t>(bits) + 31) / 32);
  for (size_t i = 0; i < codes.size(); ++i) {
    for (int bit = 0; bit < bits; ++bit) {
      const size_t at = i * static_cast<size_t>(bits) + static_cast<size_t>(bit);
      words[at / 32] |= (static_cast<uint32_t>(codes[i]) >> bit & 1) << (at % 32);
    }
  }
  return words;
}

// [lines][words of a line].
struct WordMatrix {
  int64_t lines = 0, each = 0;
  std::vector<uint32_t> words;
};
WordMatrix LinesOf(int64_t lines, int64_t length, int bits, auto&& code) {
  WordMatrix result;
  result.lines = lines;
  for (int64_t line = 0; line < lines; ++line) {
    std::vector<int> codes;
    for (int64_t i = 0; i < length; ++i) codes.push_back(code(line, i));
    const std::vector<uint32_t> words = WordsOf(codes, bits);
    result.each = static_cast<int64_t>(words.size());
    result.words.insert(result.words.end(), words.begin(), words.end());
  }
  return result;
}
WordMatrix Flipped(const WordMatrix& from) {
  WordMatrix to{from.each, from.lines, std::vector<uint32_t>(from.words.size())};
  for (int64_t i = 0; i < from.lines; ++i) {
    for (int64_t j = 0; j < from.each; ++j) {
      to.words[static_cast<size_t>(j * from.lines + i)] =
          from.words[static_cast<size_t>(i * from.each + j)];
    }
  }
  return to;
}
TinyTensor WordTensor(const std::string& name, const WordMatrix& words) {
  return RawTensorOf(name, {words.lines, words.each}, "I32", words.words);
}

std::string BaseOf(const std::string& name) {
  return name.substr(0, name.rfind('.'));
}

// [groups][rows] or [rows][groups].
TinyTensor ScaleTensor(const std::string& name, const CodedValues& values, bool by_group) {
  std::vector<uint16_t> halves;
  const int64_t outer = by_group ? values.groups() : values.rows;
  const int64_t inner = by_group ? values.rows : values.groups();
  for (int64_t i = 0; i < outer; ++i) {
    for (int64_t j = 0; j < inner; ++j) {
      const int64_t at = by_group ? j * values.groups() + i : i * values.groups() + j;
      halves.push_back(tensor::FloatToHalf(values.scales[static_cast<size_t>(at)]));
    }
  }
  return RawTensorOf(name, {outer, inner}, "F16", halves);
}

}  // namespace

float CodedValues::Value(int64_t row, int64_t column) const {
  const auto at = static_cast<size_t>(row * groups() + group_of[static_cast<size_t>(column)]);
  return scales[at] *
         static_cast<float>(codes[static_cast<size_t>(row * columns + column)] - zeros[at]);
}

std::vector<float> CodedValues::Values() const {
  std::vector<float> values;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t k = 0; k < columns; ++k) values.push_back(Value(r, k));
  }
  return values;
}

CodedValues RandomCoded(std::mt19937& random, int64_t rows, int64_t columns,
                        const CodedOptions& options) {
  CodedValues values;
  values.rows = rows;
  values.columns = columns;
  values.bits = options.bits;
  values.group = options.group < 0 ? columns : options.group;
  const unsigned codes = 1u << options.bits;
  for (int64_t i = 0; i < rows * columns; ++i) {
    values.codes.push_back(static_cast<int>(random() % codes));
  }
  std::uniform_real_distribution<float> spread(0.5f, 1.5f);
  for (int64_t i = 0; i < rows * values.groups(); ++i) {
    // The middle half, so that a value has either sign.
    const int zero = static_cast<int>(codes / 4 + random() % (codes / 2));
    values.zeros.push_back(options.symmetric ? static_cast<int>(codes / 2) : zero);
    const float scale = spread(random) * 2 / static_cast<float>(codes);
    values.scales.push_back(tensor::HalfToFloat(tensor::FloatToHalf(scale / 8)));
  }
  for (int64_t k = 0; k < columns; ++k) {
    values.group_of.push_back(static_cast<int>(k / values.group));
  }
  if (options.mixed_columns) std::shuffle(values.group_of.begin(), values.group_of.end(), random);
  return values;
}

void AddGptq(const std::string& name, const CodedValues& values, bool zeros_less_one,
             std::vector<TinyTensor>* to) {
  const std::string base = BaseOf(name);
  const WordMatrix weights =
      LinesOf(values.rows, values.columns, values.bits, [&](int64_t row, int64_t k) {
        return values.codes[static_cast<size_t>(row * values.columns + k)];
      });
  const WordMatrix zeros =
      LinesOf(values.groups(), values.rows, values.bits, [&](int64_t group, int64_t row) {
        return values.zeros[static_cast<size_t>(row * values.groups() + group)] -
               (zeros_less_one ? 1 : 0);
      });
  to->push_back(WordTensor(base + ".qweight", Flipped(weights)));
  to->push_back(WordTensor(base + ".qzeros", zeros));
  to->push_back(ScaleTensor(base + ".scales", values, true));
  to->push_back(RawTensorOf(base + ".g_idx", {values.columns}, "I32", values.group_of));
}

void AddAwq(const std::string& name, const CodedValues& values, std::vector<TinyTensor>* to) {
  constexpr int kOrder[8] = {0, 2, 4, 6, 1, 3, 5, 7};  // outputs, from the lowest nibble
  const std::string base = BaseOf(name);
  const auto output = [&](int64_t i) { return i / 8 * 8 + kOrder[i % 8]; };
  const WordMatrix weights = LinesOf(values.columns, values.rows, 4, [&](int64_t k, int64_t i) {
    return values.codes[static_cast<size_t>(output(i) * values.columns + k)];
  });
  const WordMatrix zeros = LinesOf(values.groups(), values.rows, 4, [&](int64_t group, int64_t i) {
    return values.zeros[static_cast<size_t>(output(i) * values.groups() + group)];
  });
  to->push_back(WordTensor(base + ".qweight", weights));
  to->push_back(WordTensor(base + ".qzeros", zeros));
  to->push_back(ScaleTensor(base + ".scales", values, true));
}

void AddPackQuantized(const std::string& name, const CodedValues& values,
                      std::vector<TinyTensor>* to) {
  const int middle = 1 << (values.bits - 1);
  const WordMatrix weights =
      LinesOf(values.rows, values.columns, values.bits, [&](int64_t row, int64_t k) {
        return values.codes[static_cast<size_t>(row * values.columns + k)];
      });
  to->push_back(WordTensor(name + "_packed", weights));
  to->push_back(RawTensorOf<int64_t>(name + "_shape", {2}, "I64", {values.rows, values.columns}));
  to->push_back(ScaleTensor(name + "_scale", values, false));
  if (std::all_of(values.zeros.begin(), values.zeros.end(),
                  [&](int zero) { return zero == middle; })) {
    return;
  }
  const WordMatrix zeros =
      LinesOf(values.groups(), values.rows, values.bits, [&](int64_t group, int64_t row) {
        return values.zeros[static_cast<size_t>(row * values.groups() + group)];
      });
  to->push_back(WordTensor(name + "_zero_point", Flipped(zeros)));
}

void AddIntQuantized(const std::string& name, const CodedValues& values,
                     std::vector<TinyTensor>* to) {
  std::vector<int8_t> codes, zeros;
  for (const int code : values.codes) codes.push_back(static_cast<int8_t>(code - 128));
  for (const int zero : values.zeros) zeros.push_back(static_cast<int8_t>(zero - 128));
  to->push_back(RawTensorOf(name, {values.rows, values.columns}, "I8", codes));
  to->push_back(ScaleTensor(name + "_scale", values, false));
  to->push_back(RawTensorOf(name + "_zero_point", {values.rows, values.groups()}, "I8", zeros));
}

}  // namespace ferry::llm::testing
