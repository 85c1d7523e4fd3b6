// Numbers as they are: F32, BF16, F16.
#include "device-runtime/llm/load/stored/form.h"

namespace ferry::llm {

Result<std::optional<StoredTensor>> FindPlain(const FormContext& context, const std::string& name) {
  FERRY_ASSIGN_OR_RETURN(const auto tensor, context.raw.Find(name));
  if (!tensor) return std::optional<StoredTensor>();
  StoredTensor stored{.shape = tensor->shape, .values = tensor->bytes, .where = tensor->where};
  if (tensor->dtype == "BF16") {
    stored.type.rows = kernels::WeightType::kBF16;
  } else if (tensor->dtype == "F16") {
    stored.type.rows = kernels::WeightType::kF16;
  } else if (tensor->dtype != "F32") {
    return Status::Of(Code::kUnsupported,
                      "{}: tensor \"{}\" is of dtype {}; supported: BF16, F16, F32, F8_E4M3",
                      tensor->where, name, tensor->dtype);
  }
  return std::optional<StoredTensor>(std::move(stored));
}

}  // namespace ferry::llm
