// NumPy's file of one array. Source: the format description of NumPy (numpy.lib.format), versions
// 1.0 to 3.0.
#pragma once

#include <span>
#include <string>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "device-runtime/tensor/tensor.h"

namespace ferry::npy {

inline constexpr size_t kMaxHeaderBytes = size_t{1} << 16;

// The header of a row-major array ("<f4" is little-endian float32); a multiple of 64 bytes long.
std::string NpyHeader(std::string_view descr, std::span<const int64_t> dims);

// A whole file. Types that NumPy lacks are written as the next wider one: bfloat16 and floats of 8
// and 4 bits as float32, integers of 4 and 2 bits as 8 bit ones. Strings are "<U" of the longest.
// kOutOfMemory.
Result<Bytes> WriteNpy(const tensor::Tensor& tensor);

// Numbers, bools and strings ("<U", "|S"), row- or column-major, little-endian. kMalformed says
// what is wrong with the bytes, kUnsupported names a type that no tensor has.
Result<tensor::Tensor> ReadNpy(ByteView bytes);

}  // namespace ferry::npy
