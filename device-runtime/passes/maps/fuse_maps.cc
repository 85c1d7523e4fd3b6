#include "device-runtime/passes/maps/fuse_maps.h"

#include <algorithm>

#include "device-runtime/passes/maps/map_axes.h"
#include "device-runtime/tensor/dtype.h"

namespace ferry::passes {
namespace {

using ir::BufferId;
using ir::MapPrim;

bool IsDense(const MapPrim& map, size_t input) {
  int64_t expected = 1;
  for (int axis = map.rank - 1; axis >= 0; --axis) {
    const auto a = static_cast<size_t>(axis);
    if (map.size[a] != 1 && map.strides[input][a] != expected) return false;
    expected *= map.size[a];
  }
  return true;
}

// Values of `map` in a joined one: inputs, constants and results each lie elsewhere.
struct Renumbering {
  std::vector<int> to;
  void Apply(MapPrim::Instruction& step) const {
    for (int& v : step.from) {
      if (v >= 0) v = to[static_cast<size_t>(v)];
    }
  }
};

class Fuser {
 public:
  explicit Fuser(ir::Program& program) : program_(program) {}

  int Run() {
    CountReads();
    int fused = 0;
    for (size_t i = 0; i < program_.steps.size(); ++i) {
      while (FuseInto(i)) ++fused;
    }
    std::erase_if(program_.steps, [](const ir::Step& step) { return step.outputs.empty(); });
    return fused;
  }

 private:
  static const MapPrim* MapOf(const ir::Step& step) {
    return std::get_if<MapPrim>(&step.primitive);
  }

  void CountReads() {
    reads_.assign(program_.buffers.size(), 0);
    writer_.assign(program_.buffers.size(), -1);
    for (size_t i = 0; i < program_.steps.size(); ++i) {
      for (BufferId id : program_.steps[i].inputs) {
        if (id >= 0) ++reads_[program_.Root(id)];
      }
      for (BufferId id : program_.steps[i].outputs) writer_[id] = static_cast<int>(i);
    }
    for (BufferId id : program_.outputs) ++reads_[program_.Root(id)];
  }

  // Joins one of the maps that step `i` reads with it.
  bool FuseInto(size_t i) {
    ir::Step& reader = program_.steps[i];
    const MapPrim* map = MapOf(reader);
    if (map == nullptr) return false;
    for (size_t input = 0; input < reader.inputs.size(); ++input) {
      // Through aliases too: a reshaped value has the same elements, if the sizes agree.
      const BufferId root = program_.Root(reader.inputs[input]);
      const int at = writer_[root];
      if (at < 0 || reads_[root] != 1 || !IsDense(*map, input)) continue;
      ir::Step& writer = program_.steps[static_cast<size_t>(at)];
      const MapPrim* inner = MapOf(writer);
      if (inner == nullptr || writer.outputs.size() != 1) continue;
      if (!KeepsType(root)) continue;
      if (Join(writer, input, reader)) return true;
    }
    return false;
  }

  // Whether the buffer's elements are those of a register: a narrower one would round or wrap.
  bool KeepsType(BufferId id) const {
    const ir::DType dtype = program_.buffers[id].dtype;
    return tensor::DTypeSize(dtype) >= 4 && dtype != ir::DType::kU32;
  }

  bool Join(ir::Step& writer, size_t input, ir::Step& reader) {
    MapPrim a = *MapOf(writer);
    MapPrim b = *MapOf(reader);
    const bool same =
        a.rank == b.rank && std::equal(a.size.begin(), a.size.begin() + a.rank, b.size.begin());
    if (!same && !AlignAxes(a, b)) return false;
    MapPrim joined;
    joined.rank = b.rank;
    joined.size = b.size;
    std::vector<BufferId> inputs;
    auto add_input = [&](BufferId id, const tensor::Strides& strides) {
      for (size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i] == id && joined.strides[i] == strides) return static_cast<int>(i);
      }
      inputs.push_back(id);
      joined.strides.push_back(strides);
      return static_cast<int>(inputs.size() - 1);
    };
    Renumbering from_a, from_b;
    for (size_t i = 0; i < writer.inputs.size(); ++i) {
      from_a.to.push_back(add_input(writer.inputs[i], a.strides[i]));
    }
    for (size_t i = 0; i < reader.inputs.size(); ++i) {
      from_b.to.push_back(i == input ? -1 : add_input(reader.inputs[i], b.strides[i]));
    }
    if (inputs.size() > kMaxMapInputs) return false;
    auto add_constants = [&](const MapPrim& map, Renumbering& from) {
      for (const MapPrim::Constant& constant : map.constants) {
        from.to.push_back(static_cast<int>(inputs.size() + joined.constants.size()));
        joined.constants.push_back(constant);
      }
    };
    add_constants(a, from_a);
    add_constants(b, from_b);
    auto add_code = [&](const MapPrim& map, Renumbering& from) {
      for (MapPrim::Instruction step : map.code) {
        from.Apply(step);
        from.to.push_back(joined.value_count(inputs.size()));
        joined.code.push_back(std::move(step));
      }
    };
    add_code(a, from_a);
    from_b.to[input] = from_a.to[static_cast<size_t>(a.results[0])];
    add_code(b, from_b);
    for (int v : b.results) joined.results.push_back(from_b.to[static_cast<size_t>(v)]);
    const std::vector<int> registers = ir::AssignRegisters(joined);
    if (*std::ranges::max_element(registers) >= kMaxMapRegisters) return false;
    Replace(writer, reader, std::move(inputs), std::move(joined));
    return true;
  }

  void Replace(ir::Step& writer, ir::Step& reader, std::vector<BufferId> inputs, MapPrim joined) {
    for (const ir::Step* step : {&writer, &reader}) {
      for (BufferId id : step->inputs) --reads_[program_.Root(id)];
    }
    for (BufferId id : inputs) ++reads_[program_.Root(id)];
    writer_[writer.outputs[0]] = -1;
    writer.inputs.clear();
    writer.outputs.clear();  // marks it gone
    reader.inputs = std::move(inputs);
    reader.primitive = std::move(joined);
  }

  ir::Program& program_;
  std::vector<int> reads_;   // of each root buffer
  std::vector<int> writer_;  // the step that makes each buffer
};

}  // namespace

int FuseMaps(ir::Program& program) {
  return Fuser(program).Run();
}

}  // namespace ferry::passes
