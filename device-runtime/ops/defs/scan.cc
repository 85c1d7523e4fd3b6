// Scan (ONNX): a body that runs once for each slice of its inputs and hands a state on. Opset 8 has
// a batch in axis 0 of everything, and lengths of its own for each of the batch.
#include <algorithm>

#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/places/slab.h"

namespace ferry::ops {
namespace {

// Where and in what direction each scan input is read and each scan output is put together.
struct Ways {
  std::vector<int64_t> in_axes, in_backwards, out_axes, out_backwards;
};

Result<std::vector<int64_t>> ListOf(const EvaluateContext& c, std::string_view key, size_t count) {
  FERRY_ASSIGN_OR_RETURN(IntList list, c.Ints(key));
  if (!list || list->empty()) return std::vector<int64_t>(count, 0);
  if (list->size() == count) return *list;
  return Status::Of(Code::kBadModel, "attribute '{}' has {} numbers instead of {}", key,
                    list->size(), count);
}

class Scanner {
 public:
  explicit Scanner(EvaluateContext& c) : c_(c) {}

  // `first`: the input where the states begin.
  Status Open(int first) {
    FERRY_ASSIGN_OR_RETURN(body_, c_.Body("body"));
    FERRY_ASSIGN_OR_RETURN(const int64_t scans, c_.Int("num_scan_inputs", 0));
    const int64_t inputs = c_.node().formal_inputs() - first;
    if (body_ == nullptr || scans < 1 || scans > inputs ||
        static_cast<int64_t>(body_->inputs.size()) != inputs + body_->captured ||
        body_->outputs.size() != c_.outputs().size() ||
        static_cast<int64_t>(body_->outputs.size()) < inputs - scans) {
      return Status(Code::kBadModel, "the body does not fit the node's inputs and outputs");
    }
    states_ = static_cast<size_t>(inputs - scans);
    scans_ = static_cast<size_t>(scans);
    for (int i = 0; i < static_cast<int>(inputs); ++i) {
      if (!c_.HasValue(first + i)) {
        return Status::Of(Code::kBadModel, "input {} is missing", first + i);
      }
      given_.push_back(c_.In(first + i));
      if (static_cast<size_t>(i) < states_) continue;
      FERRY_TRY(c_.TensorIn(first + i));
    }
    return OkStatus();
  }

  size_t states() const { return states_; }
  size_t scans() const { return scans_; }
  size_t outs() const { return body_->outputs.size() - states_; }
  const std::vector<Value>& given() const { return given_; }

  // Runs all steps on `values`, states and then scan inputs; states come back, stacks are filled.
  // `length` above 0 or 0: no more steps than that; -1: as many as the inputs have.
  Status Run(std::vector<Value>& values, const Ways& ways, int64_t length,
             std::vector<Stack>& stacks) {
    std::vector<int> axes;
    int64_t steps = -1;
    for (size_t i = 0; i < scans_; ++i) {
      const Shape& shape = values[states_ + i].tensor().shape();
      FERRY_ASSIGN_OR_RETURN(int axis, tensor::NormalizeAxis(ways.in_axes[i], shape.rank()));
      axes.push_back(axis);
      if (steps >= 0 && shape[axis] != steps) {
        return Status::Of(Code::kShapeMismatch, "scan inputs of {} and {} steps", steps,
                          shape[axis]);
      }
      steps = shape[axis];
    }
    if (length > steps) {
      return Status::Of(Code::kInvalidArgument, "a length of {} for {} steps", length, steps);
    }
    if (length >= 0) steps = length;
    for (int64_t step = 0; step < steps; ++step) {
      FERRY_TRY(Step(values, ways, axes, step, steps, stacks));
    }
    return OkStatus();
  }

  Result<Tensor> Empty(size_t out, std::span<const int64_t> first) const {
    return EmptyStack(*body_, states_ + out, first, c_.budget());
  }

 private:
  Status Step(std::vector<Value>& values, const Ways& ways, const std::vector<int>& axes,
              int64_t step, int64_t steps, std::vector<Stack>& stacks) {
    std::vector<Value> inputs(values.begin(), values.begin() + static_cast<int64_t>(states_));
    for (size_t i = 0; i < scans_; ++i) {
      const int64_t at = ways.in_backwards[i] != 0 ? steps - 1 - step : step;
      FERRY_ASSIGN_OR_RETURN(
          Tensor slice, Slab(values[states_ + i].tensor(), axes[i], at, 1, false, c_.budget()));
      inputs.emplace_back(std::move(slice));
    }
    FERRY_ASSIGN_OR_RETURN(auto results, c_.RunBody("body", std::move(inputs)));
    std::move(results.begin(), results.begin() + static_cast<int64_t>(states_), values.begin());
    for (size_t i = 0; i < stacks.size(); ++i) {
      const Value& item = results[states_ + i];
      if (!item.IsTensor()) {
        return Status::Of(Code::kShapeMismatch, "body output {} is {}, not a tensor", states_ + i,
                          item.TypeText());
      }
      FERRY_TRY(stacks[i].Append(item.tensor()));
    }
    return OkStatus();
  }

  EvaluateContext& c_;
  const ir::Graph* body_ = nullptr;
  size_t states_ = 0, scans_ = 0;
  std::vector<Value> given_;
};

constexpr int64_t kNone[] = {0};

Status EvaluateScan9(EvaluateContext& c) {
  Scanner scanner(c);
  FERRY_TRY(scanner.Open(0));
  Ways ways;
  FERRY_ASSIGN_OR_RETURN(ways.in_axes, ListOf(c, "scan_input_axes", scanner.scans()));
  FERRY_ASSIGN_OR_RETURN(ways.in_backwards, ListOf(c, "scan_input_directions", scanner.scans()));
  FERRY_ASSIGN_OR_RETURN(ways.out_axes, ListOf(c, "scan_output_axes", scanner.outs()));
  FERRY_ASSIGN_OR_RETURN(ways.out_backwards, ListOf(c, "scan_output_directions", scanner.outs()));
  std::vector<Value> values = scanner.given();
  std::vector<Stack> stacks(scanner.outs(), Stack(c.budget()));
  FERRY_TRY(scanner.Run(values, ways, -1, stacks));
  for (size_t i = 0; i < scanner.states(); ++i) {
    c.SetOutput(static_cast<int>(i), std::move(values[i]));
  }
  for (size_t i = 0; i < stacks.size(); ++i) {
    FERRY_ASSIGN_OR_RETURN(Tensor all, stacks[i].count() > 0
                                           ? stacks[i].Take(ways.out_backwards[i] != 0)
                                           : scanner.Empty(i, kNone));
    FERRY_ASSIGN_OR_RETURN(int axis, tensor::NormalizeAxis(ways.out_axes[i], all.shape().rank()));
    FERRY_ASSIGN_OR_RETURN(all, MoveFirstAxis(all, axis, c.budget()));
    c.SetOutput(static_cast<int>(scanner.states() + i), std::move(all));
  }
  return OkStatus();
}

// The steps that a shorter sequence of the batch lacks are zeros.
Result<Tensor> Padded(const Tensor& x, int64_t steps,
                      const std::shared_ptr<tensor::MemoryBudget>& budget) {
  if (x.shape()[0] == steps) return x;
  std::vector<int64_t> dims(x.shape().dims().begin(), x.shape().dims().end());
  dims[0] = steps - dims[0];
  FERRY_ASSIGN_OR_RETURN(Shape rest, Shape::Make(dims));
  FERRY_ASSIGN_OR_RETURN(Tensor zeros, Tensor::Zeros(x.dtype(), rest, budget));
  return Join(std::vector<Tensor>{x, zeros}, 0, budget);
}

// Extents 0 and 1 of all inputs: batch and steps.
Status BatchOf(const Scanner& scanner, int64_t& batch, int64_t& steps) {
  for (size_t i = 0; i < scanner.given().size(); ++i) {
    const Value& value = scanner.given()[i];
    const bool is_scan = i >= scanner.states();
    if (!value.IsTensor() || value.tensor().shape().rank() < (is_scan ? 2 : 1) ||
        (i > 0 && value.tensor().shape()[0] != batch)) {
      return Status::Of(Code::kShapeMismatch, "input {} ({}) lacks the batch", i + 1,
                        value.TypeText());
    }
    batch = value.tensor().shape()[0];
    if (is_scan) steps = value.tensor().shape()[1];
  }
  if (batch == 0) return Status(Code::kUnsupported, "an empty batch");
  return OkStatus();
}

Status EvaluateScan8(EvaluateContext& c) {
  Scanner scanner(c);
  FERRY_TRY(scanner.Open(1));
  Ways ways;
  ways.in_axes.assign(scanner.scans(), 0);
  FERRY_ASSIGN_OR_RETURN(ways.in_backwards, ListOf(c, "directions", scanner.scans()));
  int64_t batch = 0;
  int64_t steps = 0;
  FERRY_TRY(BatchOf(scanner, batch, steps));
  std::optional<Tensor> lengths;
  if (c.HasValue(0) && !c.In(0).IsNothing()) {
    FERRY_ASSIGN_OR_RETURN(lengths, c.TensorIn(0));
    if (lengths->dtype() != DType::kI64 || lengths->shape() != Shape({batch})) {
      return Status::Of(Code::kShapeMismatch, "lengths are {}", lengths->TypeText());
    }
  }
  std::vector<Stack> all(scanner.states() + scanner.outs(), Stack(c.budget()));
  for (int64_t b = 0; b < batch; ++b) {
    std::vector<Value> values;
    for (const Value& value : scanner.given()) {
      FERRY_ASSIGN_OR_RETURN(Tensor mine, Slab(value.tensor(), 0, b, 1, false, c.budget()));
      values.emplace_back(std::move(mine));
    }
    const int64_t length = lengths ? lengths->Integer(b) : steps;
    if (length < 0) return Status::Of(Code::kInvalidArgument, "a length of {}", length);
    std::vector<Stack> stacks(scanner.outs(), Stack(c.budget()));
    FERRY_TRY(scanner.Run(values, ways, length, stacks));
    for (size_t i = 0; i < all.size(); ++i) {
      if (i < scanner.states()) {
        if (!values[i].IsTensor()) return Status(Code::kShapeMismatch, "a state is no tensor");
        FERRY_TRY(all[i].Append(values[i].tensor()));
        continue;
      }
      Stack& stack = stacks[i - scanner.states()];
      FERRY_ASSIGN_OR_RETURN(Tensor rows, stack.count() > 0
                                              ? stack.Take()
                                              : scanner.Empty(i - scanner.states(), kNone));
      FERRY_ASSIGN_OR_RETURN(rows, Padded(rows, steps, c.budget()));
      FERRY_TRY(all[i].Append(rows));
    }
  }
  for (size_t i = 0; i < all.size(); ++i) {
    FERRY_ASSIGN_OR_RETURN(Tensor out, all[i].Take());
    c.SetOutput(static_cast<int>(i), std::move(out));
  }
  return OkStatus();
}

Status EvaluateScan(EvaluateContext& c) {
  return c.version() < 9 ? EvaluateScan8(c) : EvaluateScan9(c);
}

}  // namespace

extern const Op kScanOp;
const Op kScanOp = {.name = "Scan",
                    .min_inputs = 0,
                    .max_inputs = kAnyCount,
                    .min_outputs = 1,
                    .max_outputs = kAnyCount,
                    .evaluate = EvaluateScan};

}  // namespace ferry::ops
