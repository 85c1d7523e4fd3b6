// Checks of option values that CLI11 would let through.
#pragma once

#include <CLI/CLI.hpp>

namespace ferry::cli {

// A number from `low` to `high`; "nan" is none.
CLI::Validator NumberWithin(double low, double high);
// Decimal digits that fit 64 bits: no sign, which would wrap around, and nothing larger, which
// would become the largest.
CLI::Validator WholeNumber();

}  // namespace ferry::cli
