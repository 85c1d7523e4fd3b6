#include "device-runtime/tensor/packing.h"

namespace ferry::tensor {

void Unpack(ByteView packed, Tensor& tensor) {
  const int bits = FileBits(tensor.dtype());
  CHECK(bits < 8 &&
        static_cast<int64_t>(packed.size()) == FileBytes(tensor.dtype(), tensor.elements()));
  const int per_byte = 8 / bits;
  const int mask = (1 << bits) - 1;
  const bool is_signed = tensor.dtype() == DType::kI4 || tensor.dtype() == DType::kI2;
  const int sign = is_signed ? 1 << (bits - 1) : 0;
  uint8_t* out = tensor.mutable_raw();
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    const int element = packed[static_cast<size_t>(i / per_byte)] >> (i % per_byte * bits) & mask;
    out[i] = static_cast<uint8_t>((element ^ sign) - sign);
  }
}

void Pack(const Tensor& tensor, uint8_t* out) {
  const int bits = FileBits(tensor.dtype());
  CHECK(bits < 8);
  const int per_byte = 8 / bits;
  const int mask = (1 << bits) - 1;
  const uint8_t* in = tensor.raw();
  for (int64_t i = 0; i < tensor.elements(); i += per_byte) {
    int byte = 0;
    for (int64_t j = 0; j < per_byte && i + j < tensor.elements(); ++j) {
      byte |= (in[i + j] & mask) << (j * bits);
    }
    out[i / per_byte] = static_cast<uint8_t>(byte);
  }
}

}  // namespace ferry::tensor
