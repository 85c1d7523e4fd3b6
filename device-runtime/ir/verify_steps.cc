// Bounds of the primitives that indices, windows and recurrences make.
#include "device-runtime/ir/step_access.h"

namespace ferry::ir {
namespace {

bool IsNumber(DType d) {
  return d != DType::kString && (!tensor::IsFloat(d) || d == DType::kF32 || d == DType::kF64) &&
         !(d >= DType::kI4 && d <= DType::kU2);
}
bool IsPlainFloat(DType d) {
  return d == DType::kF32 || d == DType::kF64;
}
Status Numbers(const StepAccess& s) {
  return IsNumber(s.InType(0)) ? OkStatus() : StepAccess::Bad("elements are no numbers");
}
Status Floats(const StepAccess& s) {
  return IsPlainFloat(s.InType(0)) ? OkStatus() : StepAccess::Bad("elements are not f32 or f64");
}
// [outer, size, inner] in and [outer, out, inner] out.
Status Lines(const StepAccess& s, int64_t outer, int64_t size, int64_t inner, int64_t out,
             DType dtype) {
  if (outer < 0 || size < 0 || inner < 0 || out < 0) return StepAccess::Bad("bad sizes");
  if (!s.Has(0)) return StepAccess::Bad("lacks input 0");
  FERRY_TRY(Numbers(s));
  FERRY_TRY(s.In(0, Wide{outer} * size * inner, s.InType(0)));
  return s.Out(Wide{outer} * out * inner, dtype);
}

// Indices and grid lie inside their buffers; what the indices add is checked when they are known.
Status CheckGrid(const StepAccess& s, const IndexGrid& g) {
  if (g.rank < 0 || g.rank > tensor::kMaxRank || g.depth < 0 || g.depth > tensor::kMaxRank ||
      g.inner < 0 || g.index_step < 0) {
    return StepAccess::Bad("bad grid");
  }
  Wide points = 1, data = 0, index = 0;
  for (int axis = 0; axis < g.rank; ++axis) {
    const auto a = static_cast<size_t>(axis);
    if (g.size[a] < 0 || g.data_stride[a] < 0 || g.index_stride[a] < 0) {
      return StepAccess::Bad("bad grid");
    }
    points *= g.size[a];
    data += Wide{g.size[a] - 1} * g.data_stride[a];
    index += Wide{g.size[a] - 1} * g.index_stride[a];
  }
  for (int k = 0; k < g.depth; ++k) {
    const auto a = static_cast<size_t>(k);
    if (g.extent[a] < 0 || g.extent_stride[a] < 0) return StepAccess::Bad("bad grid");
    data += g.extent[a] > 0 ? Wide{g.extent[a] - 1} * g.extent_stride[a] : Wide{0};
    index += k > 0 ? g.index_step : 0;
  }
  if (points == 0) return OkStatus();
  if (!s.Has(1)) return StepAccess::Bad("lacks input 1");
  if (s.InType(1) != DType::kI64 && s.InType(1) != DType::kI32) {
    return StepAccess::Bad("indices have another dtype");
  }
  if (g.depth > 0) FERRY_TRY(s.In(1, index + 1, s.InType(1)));
  // An extent of nothing has no index that is inside.
  for (int k = 0; k < g.depth; ++k) {
    if (g.extent[static_cast<size_t>(k)] == 0) return OkStatus();
  }
  return s.In(0, g.inner == 0 ? Wide{0} : data + g.inner, s.InType(0));
}

int64_t GatesOf(CellKind kind) {
  return kind == CellKind::kRnn ? 1 : kind == CellKind::kGru ? 3 : 4;
}

}  // namespace

Status CheckStep(const StepAccess& s, const WindowPrim& p) {
  if (p.axes < 1 || p.axes > tensor::kMaxRank || p.planes < 0) return StepAccess::Bad("bad window");
  Wide in = p.planes, out = p.planes;
  for (size_t i = 0; i < static_cast<size_t>(p.axes); ++i) {
    if (p.in[i] < 0 || p.out[i] < 0 || p.kernel[i] < 1 || p.stride[i] < 1 || p.dilation[i] < 1 ||
        p.pad_begin[i] < 0 || p.pad_end[i] < 0) {
      return StepAccess::Bad("bad window");
    }
    in *= p.in[i];
    out *= p.out[i];
  }
  if (!s.Has(0)) return StepAccess::Bad("lacks input 0");
  FERRY_TRY(Numbers(s));
  FERRY_TRY(s.In(0, in, s.InType(0)));
  if (s.step().outputs.size() > 1) FERRY_TRY(s.Out(out, DType::kI64, 1));
  return s.Out(out, s.InType(0));
}

Status CheckStep(const StepAccess& s, const ReducePrim& p) {
  if (!s.Has(0)) return StepAccess::Bad("lacks input 0");
  const bool is_index = IsIndex(p.kind);
  if (is_index && p.size == 0 && p.outer * p.inner > 0) return StepAccess::Bad("index of nothing");
  return Lines(s, p.outer, p.size, p.inner, 1, is_index ? DType::kI64 : s.InType(0));
}

Status CheckStep(const StepAccess& s, const ScanPrim& p) {
  return Lines(s, p.outer, p.size, p.inner, p.size, s.OutType());
}

Status CheckStep(const StepAccess& s, const SortPrim& p) {
  if (p.count > p.size) return StepAccess::Bad("more than there are");
  FERRY_TRY(s.Out(Wide{p.outer} * p.count * p.inner, DType::kI64, 1));
  return Lines(s, p.outer, p.size, p.inner, p.count, s.OutType());
}

Status CheckStep(const StepAccess& s, const GatherPrim& p) {
  if (!s.Has(0)) return StepAccess::Bad("lacks input 0");
  FERRY_TRY(CheckGrid(s, p.grid));
  return s.Out(Wide{p.grid.points()} * p.grid.inner, s.InType(0));
}

Status CheckStep(const StepAccess& s, const ScatterPrim& p) {
  if (!s.Has(0)) return StepAccess::Bad("lacks input 0");
  FERRY_TRY(CheckGrid(s, p.grid));
  if (p.kind != ScatterKind::kReplace) FERRY_TRY(Numbers(s));
  FERRY_TRY(s.In(2, Wide{p.grid.points()} * p.grid.inner, s.InType(0)));
  return s.Out(s.Elements(s.step().inputs[0]), s.InType(0));
}

Status CheckStep(const StepAccess& s, const RandomPrim& p) {
  if (p.kind != RandomKind::kMultinomial) {
    return IsPlainFloat(s.OutType()) ? OkStatus() : StepAccess::Bad("output is not f32 or f64");
  }
  if (p.rows < 0 || p.classes < 0 || p.samples < 0 || (p.rows > 0 && p.classes == 0)) {
    return StepAccess::Bad("bad sizes");
  }
  if (!s.Has(0)) return StepAccess::Bad("lacks input 0");
  FERRY_TRY(Floats(s));
  FERRY_TRY(s.In(0, Wide{p.rows} * p.classes, s.InType(0)));
  const bool is_wide = s.OutType() == DType::kI64;
  return s.Out(Wide{p.rows} * p.samples, is_wide ? DType::kI64 : DType::kI32);
}

Status CheckStep(const StepAccess& s, const SamplePrim& p) {
  if (p.axes < 1 || p.axes > tensor::kMaxRank || p.batch < 0 || p.channels < 0 || p.points < 0) {
    return StepAccess::Bad("bad sizes");
  }
  Wide in = Wide{p.batch} * p.channels;
  for (size_t i = 0; i < static_cast<size_t>(p.axes); ++i) {
    if (p.in[i] < 0) return StepAccess::Bad("bad sizes");
    in *= p.in[i];
  }
  if (!s.Has(0) || !s.Has(1)) return StepAccess::Bad("lacks an input");
  if (in == 0 && s.Elements(s.step().outputs[0]) > 0) return StepAccess::Bad("samples of nothing");
  FERRY_TRY(Floats(s));
  if (!IsPlainFloat(s.InType(1))) return StepAccess::Bad("places have another dtype");
  FERRY_TRY(s.In(0, in, s.InType(0)));
  FERRY_TRY(s.In(1, Wide{p.batch} * p.points * p.axes, s.InType(1)));
  return s.Out(Wide{p.batch} * p.channels * p.points, s.InType(0));
}

Status CheckStep(const StepAccess& s, const RegionPrim& p) {
  if (p.images < 0 || p.channels < 0 || p.in_h < 0 || p.in_w < 0 || p.regions < 0 || p.out_h < 1 ||
      p.out_w < 1 || p.samples < 0) {
    return StepAccess::Bad("bad sizes");
  }
  if (!s.Has(0)) return StepAccess::Bad("lacks input 0");
  FERRY_TRY(Floats(s));
  FERRY_TRY(s.In(0, Wide{p.images} * p.channels * p.in_h * p.in_w, s.InType(0)));
  const bool aligns = p.kind != RegionKind::kMax;
  FERRY_TRY(s.In(1, Wide{p.regions} * (aligns ? 4 : 5), s.InType(0)));
  if (aligns) FERRY_TRY(s.In(2, p.regions, DType::kI64));
  return s.Out(Wide{p.regions} * p.channels * p.out_h * p.out_w, s.InType(0));
}

Status CheckStep(const StepAccess& s, const RecurrentPrim& p) {
  if (p.steps < 0 || p.batch < 0 || p.hidden < 0) return StepAccess::Bad("bad sizes");
  const int64_t gates = GatesOf(p.kind);
  const size_t activations = p.kind == CellKind::kRnn ? 1 : p.kind == CellKind::kGru ? 2 : 3;
  if (p.activations.size() != activations) return StepAccess::Bad("bad activations");
  const Wide state = Wide{p.batch} * p.hidden;
  FERRY_TRY(s.In(0, p.steps * state * gates));
  FERRY_TRY(s.In(1, Wide{gates} * p.hidden * p.hidden));
  FERRY_TRY(s.Optional(2, p.hidden));
  FERRY_TRY(s.Optional(3, p.batch, DType::kI32));
  FERRY_TRY(s.Optional(4, state));
  FERRY_TRY(s.Optional(5, state));
  FERRY_TRY(s.Optional(6, Wide{3} * p.hidden));
  FERRY_TRY(s.Out(state, DType::kF32, 1));
  if (p.kind == CellKind::kLstm) FERRY_TRY(s.Out(state, DType::kF32, 2));
  return s.Out(Wide{p.steps} * state);
}

Status CheckStep(const StepAccess& s, const LinearAttentionPrim& p) {
  if (p.batch < 0 || p.length < 0 || p.heads < 1 || p.query_heads % p.heads != 0 || p.key < 0 ||
      p.value < 0) {
    return StepAccess::Bad("bad sizes");
  }
  const Wide rows = Wide{p.batch} * p.length;
  const Wide states = Wide{p.batch} * p.heads * p.key * p.value;
  FERRY_TRY(s.In(0, rows * p.query_heads * p.key));
  FERRY_TRY(s.In(1, rows * p.heads * p.key));
  FERRY_TRY(s.In(2, rows * p.heads * p.value));
  FERRY_TRY(s.Optional(3, states));
  if (p.decays) FERRY_TRY(s.In(4, rows * p.heads * (p.decay_of_head ? 1 : p.key)));
  if (p.corrects) FERRY_TRY(s.In(5, rows * (p.one_beta ? 1 : p.heads)));
  FERRY_TRY(s.Out(states, DType::kF32, 1));
  return s.Out(rows * p.query_heads * p.value);
}

Status CheckStep(const StepAccess& s, const FourierPrim& p) {
  if (p.outer < 0 || p.size < 0 || p.inner < 0 || p.length < 1 || p.bins < 0 || p.bins > p.length ||
      p.parts < 1 || p.parts > 2 || p.out_parts < 1 || p.out_parts > 2) {
    return StepAccess::Bad("bad sizes");
  }
  if (!s.Has(0)) return StepAccess::Bad("lacks input 0");
  FERRY_TRY(Floats(s));
  FERRY_TRY(s.In(0, Wide{p.outer} * p.size * p.inner * p.parts, s.InType(0)));
  return s.Out(Wide{p.outer} * p.bins * p.inner * p.out_parts, s.InType(0));
}

Status CheckStep(const StepAccess& s, const DeterminantPrim& p) {
  if (p.count < 0 || p.size < 0) return StepAccess::Bad("bad sizes");
  if (!s.Has(0)) return StepAccess::Bad("lacks input 0");
  FERRY_TRY(Floats(s));
  FERRY_TRY(s.In(0, Wide{p.count} * p.size * p.size, s.InType(0)));
  return s.Out(p.count, s.InType(0));
}

}  // namespace ferry::ir
