#include "device-runtime/llm/load/stored/raw.h"

#include <fmt/ranges.h>

namespace ferry::llm {

Status RawTensor::Bad(std::string_view what) const {
  return Status::Of(Code::kBadModel, "{}: tensor \"{}\" {}", where, name, what);
}

Status RawTensor::WantMatrix() const {
  if (shape.size() == 2 && shape[0] > 0 && shape[1] > 0) return OkStatus();
  return Bad(fmt::format("has shape [{}], wanted a matrix", fmt::join(shape, ", ")));
}

Status RawTensor::WantShape(const std::vector<int64_t>& wanted) const {
  if (shape == wanted) return OkStatus();
  return Bad(
      fmt::format("has shape [{}], wanted [{}]", fmt::join(shape, ", "), fmt::join(wanted, ", ")));
}

Status RawTensor::WantType(std::string_view wanted) const {
  if (dtype == wanted) return OkStatus();
  return Bad(fmt::format("is of dtype {}, wanted {}", dtype, wanted));
}

Result<RawTensor> RawTensors::Want(const std::string& name) const {
  FERRY_ASSIGN_OR_RETURN(auto found, Find(name));
  if (found) return std::move(*found);
  return Status::Of(Code::kBadModel, "tensor \"{}\" is missing", name);
}

}  // namespace ferry::llm
