// Sums without rounding until the end: the value is that of the exact sum of all numbers, rounded
// once to the nearest double, halves to even, as Python's math.fsum gives it; so the order of
// adding, merging and removing does not matter. Source: the long accumulator of U. Kulisch; most
// numbers stay in a 128-bit part of it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "common/base/json.h"
#include "pipeline/operator/state_bytes.h"

namespace ferry::operators {

// All bits of a double's range, in signed digits of 32 bits that carry late.
class LongAccumulator {
 public:
  // Adds sign * magnitude * 2^(position - kLowest); `position` counts from the lowest bit.
  void Add(unsigned __int128 magnitude, bool negative, int position);
  void Merge(LongAccumulator other);
  // Nearest double; infinite beyond the range.
  double Round() const;
  bool zero() const;

  static constexpr int kLowest = 1074;   // the lowest bit of a double is 2^-1074
  static constexpr size_t kDigits = 72;  // 2304 bits: 2098 of a double, the rest for many numbers
  void Save(ByteWriter* out) const;
  void Load(ByteReader* in);

 private:
  void Carry();
  std::array<int64_t, kDigits> digits_{};
  uint32_t adds_ = 0;  // since the last Carry
};

class ExactSum {
 public:
  ExactSum() = default;
  ExactSum(ExactSum&&) = default;
  ExactSum& operator=(ExactSum&&) = default;

  // `value` is a JSON number.
  void Add(const Json& value) { Put(value, false); }
  // Of a number that was added before.
  void Remove(const Json& value) { Put(value, true); }
  void Merge(const ExactSum& other);
  void Reset();

  int64_t count() const { return count_; }
  // Null without numbers. Integers alone give an integer while 64 bits hold it, with or without
  // sign; else the nearest double; null when that is infinite.
  Json Value() const;
  double Rounded() const;  // may be infinite

  void Save(ByteWriter* out) const;
  void Load(ByteReader* in);

 private:
  void Put(const Json& value, bool remove);
  void PutDouble(double value, bool remove);
  LongAccumulator& Long();

  __int128 whole_ = 0;  // of integers; 2^63 of them fit
  __int128 fixed_ = 0;  // of doubles whose bits lie from 2^-80 to 2^40, in units of 2^-80
  std::unique_ptr<LongAccumulator> long_;  // of the rest, and of what fixed_ could not hold
  int64_t count_ = 0;
  int64_t doubles_ = 0;  // of count_
};

}  // namespace ferry::operators
