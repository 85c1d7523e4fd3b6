#include "tools/npy/npz.h"

#include "tools/npy/npy.h"

namespace ferry::npy {

Result<std::vector<tensor::NamedTensor>> ReadNpz(ByteView archive, uint64_t limit) {
  FERRY_ASSIGN_OR_RETURN(std::vector<ZipEntry> entries, ReadZip(archive, limit));
  std::vector<tensor::NamedTensor> arrays;
  for (ZipEntry& entry : entries) {
    std::string name = std::move(entry.name);
    if (name.ends_with(".npy")) name.resize(name.size() - 4);
    Result<tensor::Tensor> array = ReadNpy(entry.content);
    if (!array.ok()) return array.status().Context("array '{:.80}'", name);
    entry.content = Bytes();  // or twice the archive would be in memory
    arrays.push_back({std::move(name), *std::move(array)});
  }
  return arrays;
}

}  // namespace ferry::npy
