#include "device-runtime/llm/load/stored/form.h"

namespace ferry::llm {
namespace {

constexpr std::string_view kWeight = ".weight";

constexpr FindStored kForms[] = {
#define FERRY_STORED_FORM(Name) Find##Name,
#include "device-runtime/llm/load/stored/forms.inc"
#undef FERRY_STORED_FORM
};

}  // namespace

Result<kernels::PackedScale> ScaleTypeOf(const RawTensor& scales) {
  if (scales.dtype == "F16") return kernels::PackedScale::kF16;
  if (scales.dtype == "BF16") return kernels::PackedScale::kBF16;
  if (scales.dtype == "F32") return kernels::PackedScale::kF32;
  return scales.Bad(fmt::format("is of dtype {}, wanted F16, BF16 or F32", scales.dtype));
}

std::string WithoutWeight(const std::string& name) {
  if (!name.ends_with(kWeight)) return {};
  return name.substr(0, name.size() - kWeight.size());
}

StoredTensors::StoredTensors(std::unique_ptr<RawTensors> raw, Quantization quantization,
                             ImportRules rules)
    : raw_(std::move(raw)), quantization_(std::move(quantization)), rules_(rules) {}
StoredTensors::~StoredTensors() = default;

sys::Parallel& StoredTensors::Threads() const {
  if (threads_ == nullptr) threads_ = sys::StartThreadPool(0);
  return *threads_;
}

Result<std::optional<StoredTensor>> StoredTensors::Find(const std::string& name) const {
  if (const auto it = made_.find(name); it != made_.end()) return std::optional(it->second);
  const FormContext context{*raw_, quantization_, rules_,
                            [this]() -> sys::Parallel& { return Threads(); }};
  for (const FindStored find : kForms) {
    FERRY_ASSIGN_OR_RETURN(auto found, find(context, name));
    if (!found) continue;
    if (found->owner != nullptr) made_[name] = *found;
    return found;
  }
  return std::optional<StoredTensor>();
}

}  // namespace ferry::llm
