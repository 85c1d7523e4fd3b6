// CRC-64 of model files (ECMA-182's polynomial, reflected, all ones before and after; "CRC-64/XZ").
#pragma once

#include <cstdint>

#include "common/base/bytes.h"

namespace ferry::engine {

// The CRC of `bytes` behind what `before` is the CRC of; 0 for nothing.
uint64_t Crc64(ByteView bytes, uint64_t before = 0);

}  // namespace ferry::engine
