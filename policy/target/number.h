// Numbers of rules and attributes: decimals compared exactly, and sizes with a unit.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/status.h"

namespace ferry::target {

// A decimal of any length, so that no value is rounded before it is compared. Without leading zeros
// of the whole and trailing ones of the fraction; zero is never negative.
struct Number {
  bool negative = false;
  std::string whole;     // digits; empty: 0
  std::string fraction;  // digits; empty: none
};

inline constexpr size_t kMaxNumberBytes = 64;

// "20", "-3.5", "+0.25": an optional sign, digits, and a point with digits; no exponent, no blank.
// kBadRule says what is wrong.
Result<Number> ParseNumber(std::string_view text);
std::strong_ordering Compare(const Number& a, const Number& b);

// Whether `name` is a unit of sizes: B, KiB, MiB, GiB, TiB (powers of 1024), KB, MB, GB, TB (powers
// of 1000).
bool IsSizeUnit(std::string_view name);
// "4 GiB", "1.5 GB", "512 MiB" in bytes, a fraction of a byte dropped; kBadRule without a unit,
// below zero or past 2^63 - 1.
Result<int64_t> ParseSize(std::string_view text);
// With the largest unit of 1024 that fits and at most two decimals, cut: "3.71 GiB", "512 MiB".
std::string PrintSize(int64_t bytes);

}  // namespace ferry::target
