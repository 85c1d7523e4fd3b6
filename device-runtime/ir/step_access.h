// What the verifier asks of one step's buffers.
#pragma once

#include "device-runtime/ir/program.h"

namespace ferry::ir {

// Sizes of primitives come from checked shapes; strides times sizes cannot overflow int64 while
// each extent is at most kMaxElements and ranks are small, but products are still done in 128 bits.
using Wide = __int128;

class StepAccess {
 public:
  StepAccess(const Program& program, const Step& step) : program_(program), step_(step) {}

  template <typename... A>
  static Status Bad(fmt::format_string<A...> format, A&&... args) {
    return Status::Of(Code::kInternal, format, std::forward<A>(args)...);
  }
  const Program& program() const { return program_; }
  const Step& step() const { return step_; }

  bool Has(size_t index) const { return index < step_.inputs.size() && step_.inputs[index] >= 0; }
  DType InType(size_t index) const { return program_.buffers[step_.inputs[index]].dtype; }
  DType OutType(size_t index = 0) const { return program_.buffers[step_.outputs[index]].dtype; }
  int64_t Elements(BufferId id) const { return program_.buffers[id].shape.elements(); }

  // Input `index` is there and has at least `elements` elements of a dtype.
  Status In(size_t index, Wide elements, DType dtype = DType::kF32) const {
    if (!Has(index)) return Bad("lacks input {}", index);
    const BufferId id = step_.inputs[index];
    if (program_.buffers[id].dtype != dtype) return Bad("input %{} has another dtype", id);
    if (Wide{Elements(id)} < elements) return Bad("reads behind the end of %{}", id);
    return OkStatus();
  }
  Status Optional(size_t index, Wide elements, DType dtype = DType::kF32) const {
    return Has(index) ? In(index, elements, dtype) : OkStatus();
  }
  // Output `index` has as many elements of a dtype.
  Status Out(Wide elements, DType dtype = DType::kF32, size_t index = 0) const {
    if (index >= step_.outputs.size()) return Bad("lacks output {}", index);
    const BufferId id = step_.outputs[index];
    if (program_.buffers[id].dtype != dtype) return Bad("output %{} has another dtype", id);
    if (Wide{Elements(id)} != elements) return Bad("output %{} has another size", id);
    return OkStatus();
  }

 private:
  const Program& program_;
  const Step& step_;
};

// Each access of the primitive lies inside the step's buffers.
Status CheckStep(const StepAccess& s, const WindowPrim& p);
Status CheckStep(const StepAccess& s, const ReducePrim& p);
Status CheckStep(const StepAccess& s, const ScanPrim& p);
Status CheckStep(const StepAccess& s, const SortPrim& p);
Status CheckStep(const StepAccess& s, const GatherPrim& p);
Status CheckStep(const StepAccess& s, const ScatterPrim& p);
Status CheckStep(const StepAccess& s, const RandomPrim& p);
Status CheckStep(const StepAccess& s, const SamplePrim& p);
Status CheckStep(const StepAccess& s, const RegionPrim& p);
Status CheckStep(const StepAccess& s, const RecurrentPrim& p);
Status CheckStep(const StepAccess& s, const LinearAttentionPrim& p);
Status CheckStep(const StepAccess& s, const FourierPrim& p);
Status CheckStep(const StepAccess& s, const DeterminantPrim& p);

}  // namespace ferry::ir
