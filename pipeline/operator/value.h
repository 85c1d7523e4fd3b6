// JSON values as keys and as numbers. Two values are the same key when they are equal as JSON has
// it: 1 and 1.0 and 1e0 are one number, -0.0 is 0; numbers compare exactly, not by way of doubles.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/json.h"

namespace ferry::operators {

// Numbers with a whole value become integers where 64 bits hold them, also inside lists and
// objects.
Json Canonical(const Json& value);
bool IsCanonical(const Json& value);

// Equal for values with equal canonical forms; the same on every machine and in every build,
// because state and samples depend on it.
uint64_t HashValue(const Json& value);
uint64_t HashBytes(std::string_view bytes, uint64_t seed);
uint64_t MixHash(uint64_t a, uint64_t b);

bool SameValue(const Json& a, const Json& b);
// Appends bytes that are the same for equal values and no others; of several values in a row too.
void AppendCode(const Json& value, std::string* out);
// WriteJson of a list of canonical values, faster for short ones.
std::string WriteKey(const Json& list);

// -1, 0 or 1 for two numbers.
int CompareNumbers(const Json& a, const Json& b);
// An order of all values, by their canonical text: breaks ties where the order of arrival must not.
bool ValueLess(const Json& a, const Json& b);

}  // namespace ferry::operators
