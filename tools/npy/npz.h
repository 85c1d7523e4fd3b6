// NumPy's archives of arrays: a ZIP file of .npy files.
#pragma once

#include <vector>

#include "device-runtime/tensor/tensor.h"
#include "tools/npy/zip.h"

namespace ferry::npy {

// The arrays in the archive's order, their names without ".npy". Errors as ReadZip and ReadNpy,
// naming the array.
Result<std::vector<tensor::NamedTensor>> ReadNpz(ByteView archive, uint64_t limit = kMaxZipContent);

}  // namespace ferry::npy
