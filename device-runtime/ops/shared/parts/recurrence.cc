#include "device-runtime/ops/shared/parts/recurrence.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "device-runtime/ops/shared/parts/floats.h"

namespace ferry::ops {
namespace {

struct ActivationFunction {
  std::string_view name;  // in small letters
  bool has_alpha, has_beta;
  double alpha, beta;
  double (*value)(double x, double a, double b);
};
constexpr ActivationFunction kActivations[] = {
    {"affine", true, true, 1, 0, [](double x, double a, double b) { return a * x + b; }},
    {"elu", true, false, 1, 0,
     [](double x, double a, double) { return x >= 0 ? x : a * std::expm1(x); }},
    {"hardsigmoid", true, true, 0.2f, 0.5f,
     [](double x, double a, double b) { return std::min(std::max(a * x + b, 0.0), 1.0); }},
    {"leakyrelu", true, false, 0.01f, 0,
     [](double x, double a, double) { return x >= 0 ? x : a * x; }},
    {"relu", false, false, 0, 0, [](double x, double, double) { return std::max(x, 0.0); }},
    {"scaledtanh", true, true, 1, 1,
     [](double x, double a, double b) { return a * std::tanh(b * x); }},
    {"sigmoid", false, false, 0, 0,
     [](double x, double, double) { return 1 / (1 + std::exp(-x)); }},
    {"softplus", false, false, 0, 0,
     [](double x, double, double) {
       return std::max(0.0, x) + std::log1p(std::exp(-std::abs(x)));
     }},
    {"softsign", false, false, 0, 0,
     [](double x, double, double) { return x / (1 + std::abs(x)); }},
    {"tanh", false, false, 0, 0, [](double x, double, double) { return std::tanh(x); }},
    {"thresholdedrelu", true, false, 1, 0,
     [](double x, double a, double) { return x >= a ? x : 0; }},
};

using Plan = RecurrencePlan;

// The factors in `list`: one for each function, or one for each that has any.
class Factors {
 public:
  Factors(std::vector<float> list, size_t functions)
      : list_(std::move(list)), for_each_(list_.size() == functions) {}
  double Take(size_t function, bool used, double fallback) {
    if (for_each_) return used ? list_[function] : fallback;
    return used && next_ < list_.size() ? list_[next_++] : fallback;
  }

 private:
  std::vector<float> list_;
  bool for_each_;
  size_t next_ = 0;
};

Result<std::vector<Activation>> ActivationsOf(const NodeContext& c, const RecurrenceSpec& spec,
                                              int64_t directions) {
  FERRY_ASSIGN_OR_RETURN(std::vector<std::string> names, c.Texts("activations"));
  const size_t count = spec.activations.size() * static_cast<size_t>(directions);
  if (names.empty()) {
    for (size_t i = 0; i < count; ++i) {
      names.emplace_back(spec.activations[i % spec.activations.size()]);
    }
  }
  // RNN's own default names two, whatever the direction.
  if (names.size() < count) {
    return Status::Of(Code::kBadModel, "{} activations instead of {}", names.size(), count);
  }
  names.resize(count);
  FERRY_ASSIGN_OR_RETURN(std::vector<float> alphas, c.Floats("activation_alpha"));
  FERRY_ASSIGN_OR_RETURN(std::vector<float> betas, c.Floats("activation_beta"));
  FERRY_ASSIGN_OR_RETURN(const float clip, c.Float("clip", 0));
  if (!(clip >= 0)) return Status::Of(Code::kBadModel, "clip is {}", clip);
  Factors alpha(std::move(alphas), count);
  Factors beta(std::move(betas), count);
  std::vector<Activation> activations;
  for (size_t i = 0; i < count; ++i) {
    std::string small = names[i];
    for (char& letter : small) {
      letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    }
    const auto* found = std::ranges::find(kActivations, small, &ActivationFunction::name);
    if (found == std::end(kActivations)) {
      return Status::Of(Code::kUnsupported, "activation '{}'", names[i]);
    }
    activations.push_back({found->value, alpha.Take(i, found->has_alpha, found->alpha),
                           beta.Take(i, found->has_beta, found->beta), clip, found->name});
  }
  return activations;
}

std::vector<int64_t> StateDims(const Plan& p) {
  if (p.batch_first) return {p.batch, p.directions, p.hidden};
  return {p.directions, p.batch, p.hidden};
}

Status CheckShapes(const NodeContext& c, const Plan& p, int64_t gates) {
  FERRY_TRY(CheckFloatInputs(c, {0, 1, 2, 3, 5, 6, 7}));
  FERRY_TRY(CheckInputShape(c, 1, {p.directions, gates * p.hidden, p.input}));
  FERRY_TRY(CheckInputShape(c, 2, {p.directions, gates * p.hidden, p.hidden}));
  if (c.HasInput(3)) {
    FERRY_TRY(CheckInputShape(c, 3, {p.directions, 2 * gates * p.hidden}));
  }
  if (c.HasInput(4)) {
    if (c.Input(4).dtype != DType::kI32 && c.Input(4).dtype != DType::kI64) {
      return Status(Code::kShapeMismatch, "the lengths must be i32");
    }
    FERRY_TRY(CheckInputShape(c, 4, {p.batch}));
  }
  for (int i : {5, 6}) {
    if (c.HasInput(i)) FERRY_TRY(CheckInputShape(c, i, StateDims(p)));
  }
  if (c.HasInput(7)) FERRY_TRY(CheckInputShape(c, 7, {p.directions, 3 * p.hidden}));
  return OkStatus();
}

Result<Tensor> InDouble(const Tensor& tensor) {
  FERRY_ASSIGN_OR_RETURN(Tensor numbers, Tensor::Allocate(DType::kF64, tensor.shape()));
  for (int64_t i = 0; i < tensor.elements(); ++i) numbers.SetNumber(i, tensor.Number(i));
  return numbers;
}

// The inputs that steps read, in double; absent ones are empty.
struct Numbers {
  Tensor x, w, r, bias, peepholes;
};
Result<Numbers> NumbersOf(const ReferenceContext& c) {
  Numbers numbers;
  FERRY_ASSIGN_OR_RETURN(numbers.x, InDouble(c.In(0)));
  FERRY_ASSIGN_OR_RETURN(numbers.w, InDouble(c.In(1)));
  FERRY_ASSIGN_OR_RETURN(numbers.r, InDouble(c.In(2)));
  FERRY_ASSIGN_OR_RETURN(numbers.bias, InDouble(c.HasInput(3) ? c.In(3) : Tensor()));
  FERRY_ASSIGN_OR_RETURN(numbers.peepholes, InDouble(c.HasInput(7) ? c.In(7) : Tensor()));
  return numbers;
}

// Direction `d`'s share of a tensor.
std::span<const double> Share(const Tensor& all, int64_t directions, int64_t d) {
  const size_t count = all.data<double>().size() / static_cast<size_t>(directions);
  return all.data<double>().subspan(static_cast<size_t>(d) * count, count);
}

Cell CellOf(const Numbers& numbers, const Plan& p, int64_t d) {
  Cell cell;
  cell.input = p.input;
  cell.hidden = p.hidden;
  cell.w = Share(numbers.w, p.directions, d);
  cell.r = Share(numbers.r, p.directions, d);
  const std::span<const double> bias = Share(numbers.bias, p.directions, d);
  cell.w_bias = bias.first(bias.size() / 2);
  cell.r_bias = bias.subspan(bias.size() / 2);
  cell.peepholes = Share(numbers.peepholes, p.directions, d);
  const size_t each = p.activations.size() / static_cast<size_t>(p.directions);
  cell.activations = std::span(p.activations).subspan(static_cast<size_t>(d) * each, each);
  return cell;
}

// Where the state of direction d, sequence n begins.
int64_t StateAt(const Plan& p, int64_t d, int64_t n) {
  return (p.batch_first ? n * p.directions + d : d * p.batch + n) * p.hidden;
}

void LoadState(const ReferenceContext& c, const Plan& p, int input, int64_t at,
               std::vector<double>& state) {
  for (int64_t i = 0; i < p.hidden; ++i) {
    state[static_cast<size_t>(i)] = c.HasInput(input) ? c.In(input).Number(at + i) : 0;
  }
}

void StoreState(ReferenceContext& c, int output, int64_t at, const std::vector<double>& state) {
  if (!c.HasOutput(output)) return;
  for (size_t i = 0; i < state.size(); ++i) {
    c.Out(output).SetNumber(at + static_cast<int64_t>(i), state[i]);
  }
}

}  // namespace

Result<RecurrencePlan> PlanRecurrence(const NodeContext& c, const RecurrenceSpec& spec) {
  const Shape& x = c.InputShape(0);
  const Shape& r = c.InputShape(2);
  if (x.rank() != 3 || r.rank() != 3) {
    return Status::Of(Code::kShapeMismatch, "an input {} and weights {}", x.ToString(),
                      r.ToString());
  }
  FERRY_ASSIGN_OR_RETURN(const std::string direction, c.Text("direction", "forward"));
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional") {
    return Status::Of(Code::kBadModel, "direction '{}'", direction);
  }
  FERRY_ASSIGN_OR_RETURN(const int64_t layout, c.Int("layout", 0));
  FERRY_ASSIGN_OR_RETURN(const int64_t hidden, c.Int("hidden_size", r[2]));
  if (hidden != r[2] || hidden > kMaxAttribute) {
    return Status::Of(Code::kShapeMismatch, "hidden_size is {}, the weights are {}", hidden,
                      r.ToString());
  }
  if (layout != 0 && layout != 1) return Status::Of(Code::kBadModel, "layout {}", layout);
  const bool batch_first = layout == 1;
  Plan p{batch_first ? x[1] : x[0],
         batch_first ? x[0] : x[1],
         x[2],
         hidden,
         direction == "bidirectional" ? 2 : 1,
         batch_first,
         direction == "reverse",
         {}};
  FERRY_TRY(CheckShapes(c, p, spec.gates));
  FERRY_ASSIGN_OR_RETURN(p.activations, ActivationsOf(c, spec, p.directions));
  return p;
}

double Activation::operator()(double x) const {
  if (clip > 0) x = std::clamp(x, -clip, clip);
  return function(x, alpha, beta);
}

double Cell::FromInput(int64_t row, const double* x) const {
  double sum = w_bias.empty() ? 0 : w_bias[static_cast<size_t>(row)];
  for (int64_t i = 0; i < input; ++i) sum += w[static_cast<size_t>(row * input + i)] * x[i];
  return sum;
}

double Cell::FromState(int64_t row, const double* h) const {
  double sum = r_bias.empty() ? 0 : r_bias[static_cast<size_t>(row)];
  for (int64_t i = 0; i < hidden; ++i) sum += r[static_cast<size_t>(row * hidden + i)] * h[i];
  return sum;
}

Status InferRecurrence(InferContext& c, const RecurrenceSpec& spec) {
  FERRY_ASSIGN_OR_RETURN(const Plan p, PlanRecurrence(c, spec));
  const std::vector<int64_t> dims =
      p.batch_first ? std::vector<int64_t>{p.batch, p.steps, p.directions, p.hidden}
                    : std::vector<int64_t>{p.steps, p.directions, p.batch, p.hidden};
  FERRY_ASSIGN_OR_RETURN(const Shape all, Shape::Make(dims));
  FERRY_ASSIGN_OR_RETURN(const Shape last, Shape::Make(StateDims(p)));
  c.SetOutput(0, c.Input(0).dtype, all);
  c.SetOutput(1, c.Input(0).dtype, last);
  if (spec.has_cell) c.SetOutput(2, c.Input(0).dtype, last);
  return OkStatus();
}

Status RunRecurrence(ReferenceContext& c, const RecurrenceSpec& spec, RecurrentStep step,
                     int64_t flags) {
  FERRY_ASSIGN_OR_RETURN(const Plan p, PlanRecurrence(c, spec));
  FERRY_ASSIGN_OR_RETURN(const Numbers numbers, NumbersOf(c));
  if (p.hidden == 0) return OkStatus();  // nothing to fill, however long
  RecurrentState state;
  state.h.resize(static_cast<size_t>(p.hidden));
  state.c.resize(static_cast<size_t>(p.hidden));
  state.room.resize(static_cast<size_t>(spec.gates * p.hidden));
  const std::vector<double> zeros(static_cast<size_t>(p.hidden));
  for (int64_t d = 0; d < p.directions; ++d) {
    const Cell cell = CellOf(numbers, p, d);
    const bool reverse = p.reverse || d == 1;
    for (int64_t n = 0; n < p.batch; ++n) {
      const int64_t length = c.HasInput(4) ? c.In(4).Integer(n) : p.steps;
      if (length < 0 || length > p.steps) {
        return Status::Of(Code::kInvalidArgument, "a length of {} in {} steps", length, p.steps);
      }
      LoadState(c, p, 5, StateAt(p, d, n), state.h);
      LoadState(c, p, 6, StateAt(p, d, n), state.c);
      for (int64_t i = 0; i < p.steps; ++i) {
        const int64_t t = i < length && reverse ? length - 1 - i : i;
        const int64_t row = p.batch_first ? n * p.steps + t : t * p.batch + n;
        if (i < length) step(cell, numbers.x.data<double>().data() + row * p.input, state, flags);
        const int64_t at = p.batch_first ? (row * p.directions + d) * p.hidden
                                         : ((t * p.directions + d) * p.batch + n) * p.hidden;
        StoreState(c, 0, at, i < length ? state.h : zeros);
      }
      StoreState(c, 1, StateAt(p, d, n), state.h);
      if (spec.has_cell) StoreState(c, 2, StateAt(p, d, n), state.c);
    }
  }
  return OkStatus();
}

}  // namespace ferry::ops
