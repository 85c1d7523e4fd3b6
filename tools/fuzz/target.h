// Fuzz targets: everything of Ferry that reads bytes from outside.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"

namespace ferry::fuzz {

// One parser, and what is done with what it accepted. Must return for any bytes, in bounded memory;
// what breaks a promise of the parser aborts (CHECK).
struct Target {
  std::string_view name;
  void (*run)(ByteView bytes);
  // Small good inputs that a fuzzer starts from; at least one.
  std::vector<Bytes> (*seeds)();
  // fuzz_test.cc tries one of so many of its inputs: more where an input takes a tenth of a second.
  size_t stride = 1;
};

// Sorted by name.
std::span<const Target> Targets();
// Or null.
const Target* FindTarget(std::string_view name);
// As files of `folder`, which is made.
Status WriteSeeds(const Target& target, const std::string& folder);

#define FERRY_FUZZ(name) extern const Target k##name##Target;
#include "tools/fuzz/targets/list.inc"
#undef FERRY_FUZZ

}  // namespace ferry::fuzz
