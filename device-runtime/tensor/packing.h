// Elements of 4 and 2 bits as files hold them: two or four to a byte, the first in the lowest bits,
// the last byte filled up with zeros. Source: ONNX's pages on 4-bit and 2-bit types.
#pragma once

#include "device-runtime/tensor/tensor.h"

namespace ferry::tensor {

// Bits of one element in a file: 2, 4, or 8 times DTypeSize. (Strings have no such form: 64.)
constexpr int FileBits(DType dtype) {
  if (dtype == DType::kF4E2M1 || dtype == DType::kI4 || dtype == DType::kU4) return 4;
  if (dtype == DType::kI2 || dtype == DType::kU2) return 2;
  return 8 * static_cast<int>(DTypeSize(dtype));
}
constexpr bool IsPacked(DType dtype) {
  return FileBits(dtype) < 8;
}
// Bytes of `elements` elements in a file. `elements` at most kMaxElements.
constexpr int64_t FileBytes(DType dtype, int64_t elements) {
  return IsPacked(dtype) ? (elements * FileBits(dtype) + 7) / 8
                         : elements * static_cast<int64_t>(DTypeSize(dtype));
}

// Spreads packed elements into `tensor`, whose dtype is packed; CHECKs that `packed` has FileBytes.
void Unpack(ByteView packed, Tensor& tensor);
// Writes the elements of a tensor of a packed dtype to `out`, which has FileBytes.
void Pack(const Tensor& tensor, uint8_t* out);

}  // namespace ferry::tensor
