#include "device-runtime/engine/split/uploads.h"

namespace ferry::engine {

Result<UploadCache::Memory> UploadCache::Get(const backends::Backend& backend,
                                             const tensor::Tensor& constant,
                                             const std::string& form,
                                             const std::function<Result<Memory>()>& upload) {
  const std::lock_guard lock(mutex_);
  const Key key = {&backend, constant.raw(), constant.size_bytes(), form};
  if (const auto at = uploaded_.find(key); at != uploaded_.end()) return at->second;
  FERRY_ASSIGN_OR_RETURN(Memory made, upload());
  if (made == nullptr) return Status(Code::kInternal, "a constant was brought up as nothing");
  uploaded_[key] = made;
  return made;
}

int64_t UploadCache::bytes() const {
  const std::lock_guard lock(mutex_);
  int64_t sum = 0;
  for (const auto& [key, memory] : uploaded_) sum += memory->bytes();
  return sum;
}

}  // namespace ferry::engine
