// Maps: registers given, functions found, axes merged.
#include <algorithm>

#include "device-runtime/engine/prepare/prepare.h"
#include "device-runtime/kernels/map/map.h"

namespace ferry::engine {
namespace {

using kernels::MapCode;
using kernels::MapProgram;

kernels::MapType TypeOf(ir::MapType type) {
  return static_cast<kernels::MapType>(type);  // ORDER: both list f32 f64 i32 i64 u64
}
static_assert(static_cast<int>(ir::MapType::kU64) == static_cast<int>(kernels::MapType::kU64) &&
              static_cast<int>(ir::MapType::kI32) == static_cast<int>(kernels::MapType::kI32));

// ORDER: both list the same.
MapCode CodeOf(ir::MapFunction function) {
  return static_cast<MapCode>(function);
}
#define FERRY_MAP(name, ...) \
  static_assert(static_cast<int>(ir::MapFunction::k##name) == static_cast<int>(MapCode::k##name));
#include "device-runtime/kernels/map/codes.inc"
#undef FERRY_MAP
static_assert(static_cast<int>(ir::MapFunction::kConvert) == static_cast<int>(MapCode::kConvert));

Result<MapProgram> ProgramOf(const passes::PlacedProgram& placed, const ir::MapPrim& prim,
                             const ir::Step& step) {
  const ir::Program& program = placed.program;
  const std::vector<int> registers = ir::AssignRegisters(prim);
  if (!registers.empty() && *std::ranges::max_element(registers) >= kernels::kMapRegisters) {
    return Status::Of(Code::kInternal, "a map needs more than {} registers",
                      kernels::kMapRegisters);
  }
  auto at = [&](int value) {
    return static_cast<uint8_t>(value < 0 ? 0 : registers[static_cast<size_t>(value)]);
  };
  MapProgram map;
  map.rank = prim.rank;
  map.size = prim.size;
  std::vector<kernels::MapType> types;
  for (size_t i = 0; i < prim.strides.size(); ++i) {
    const DType dtype = program.buffers[step.inputs[i]].dtype;
    types.push_back(kernels::MapTypeOf(dtype));
    map.inputs.push_back({dtype, at(static_cast<int>(i)), prim.strides[i]});
    if (const auto* rows = placed.RowsOf(step, i)) map.inputs.back().rows = *rows;
  }
  for (const ir::MapPrim::Constant& constant : prim.constants) {
    const int value = static_cast<int>(types.size());
    types.push_back(TypeOf(constant.type));
    map.constants.push_back({types.back(), at(value), constant.number, constant.integer});
  }
  for (const ir::MapPrim::Instruction& from : prim.code) {
    const MapCode code = CodeOf(from.function);
    const kernels::MapType type = TypeOf(from.type);
    if (code != MapCode::kConvert && !kernels::MapHas(code, type)) {
      return Status::Of(Code::kInternal, "'{}' of this type", ir::Name(from.function));
    }
    const int value = static_cast<int>(types.size());
    const auto operand = types[static_cast<size_t>(from.from[0])];
    types.push_back(type);
    map.code.push_back(
        {code, type, at(value), at(from.from[0]), at(from.from[1]), at(from.from[2]), operand});
  }
  for (size_t i = 0; i < prim.results.size(); ++i) {
    map.outputs.push_back({program.buffers[step.outputs[i]].dtype, at(prim.results[i])});
  }
  kernels::Simplify(map);
  return map;
}

}  // namespace

Result<PreparedStep> PrepareMap(Preparer& p, const ir::MapPrim& prim, const ir::Step& step) {
  FERRY_ASSIGN_OR_RETURN(MapProgram map, ProgramOf(p.placed(), prim, step));
  // Addresses change with each run; room for them is made here, as a run allocates nothing.
  struct State {
    MapProgram map;
    std::vector<int> in, out;
    std::vector<const void*> inputs;
    std::vector<void*> outputs;
  };
  auto state = std::make_shared<State>();
  state->map = std::move(map);
  state->in.assign(step.inputs.begin(), step.inputs.end());
  state->out.assign(step.outputs.begin(), step.outputs.end());
  state->inputs.resize(state->in.size());
  state->outputs.resize(state->out.size());
  return PreparedStep{
      [state, &table = p.table(), name = step.node](const RunContext& c) {
        State& s = *state;
        for (size_t i = 0; i < s.in.size(); ++i) s.inputs[i] = c.at[s.in[i]];
        for (size_t i = 0; i < s.out.size(); ++i) s.outputs[i] = c.at[s.out[i]];
        if (kernels::Map(table, c.parallel, s.map, s.inputs.data(), s.outputs.data())) {
          return OkStatus();
        }
        return Status::Of(Code::kInvalidArgument, "node '{}': integer division by zero", name);
      },
      ""};
}

}  // namespace ferry::engine
