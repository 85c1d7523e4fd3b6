#include "device-runtime/passes/memory/row_gathers.h"

#include <algorithm>
#include <optional>

#include "device-runtime/passes/maps/map_axes.h"

namespace ferry::passes {
namespace {

using ir::BufferId;
using ir::GatherPrim;
using ir::MapPrim;
using ir::Step;

constexpr int64_t kLeastGatheredRow = 32;  // elements: a map's tile begins anew with each row
constexpr int64_t kMostRows = 1 << 20;     // of a table

size_t SlotOf(BufferId id) {
  return static_cast<size_t>(id);
}

// Where each row that a gather brings lies in its source; nothing where an index is outside.
std::optional<std::vector<int64_t>> RowsOf(const ir::IndexGrid& grid, const tensor::Tensor& index,
                                           int64_t elements) {
  const int64_t points = grid.points();
  if (grid.depth != 1 || points > kMostRows) return std::nullopt;
  std::vector<int64_t> rows;
  rows.reserve(static_cast<size_t>(points));
  for (int64_t p = 0; p < points; ++p) {
    int64_t rest = p, data = 0, at = 0;
    for (int axis = grid.rank - 1; axis >= 0; --axis) {
      const auto a = static_cast<size_t>(axis);
      data += rest % grid.size[a] * grid.data_stride[a];
      at += rest % grid.size[a] * grid.index_stride[a];
      rest /= grid.size[a];
    }
    if (at < 0 || at >= index.elements()) return std::nullopt;
    int64_t place = index.Integer(at);
    if (place < 0) place += grid.extent[0];
    if (place < 0 || place >= grid.extent[0]) return std::nullopt;
    place = data + place * grid.extent_stride[0];
    if (place < 0 || place + grid.inner > elements) return std::nullopt;
    rows.push_back(place);
  }
  return rows;
}

bool IsDense(const MapPrim& map, size_t input) {
  int64_t expected = 1;
  for (int axis = map.rank - 1; axis >= 0; --axis) {
    const auto a = static_cast<size_t>(axis);
    if (map.size[a] != 1 && map.strides[input][a] != expected) return false;
    expected *= map.size[a];
  }
  return true;
}

// The map over axes whose last one is a row of `row` elements; false when it cuts rows.
bool CutRows(MapPrim& map, int64_t row) {
  MapPrim rows;
  rows.rank = 2;
  rows.size = {map.elements() / row, row};
  if (rows.size[0] > 1 && !AlignAxes(map, rows)) return false;
  return map.rank > 0 && map.size[static_cast<size_t>(map.rank - 1)] == row;
}

class Reader {
 public:
  explicit Reader(PlacedProgram& placed) : placed_(placed) {}

  int Run() {
    int gone = 0;
    for (size_t i = 0; i < Steps().size(); ++i) gone += TakeOut(i) ? 1 : 0;
    std::erase_if(Steps(), [](const Step& step) { return step.outputs.empty(); });
    return gone;
  }

 private:
  std::vector<Step>& Steps() { return placed_.program.steps; }

  bool TakeOut(size_t i) {
    const Step& step = Steps()[i];
    const auto* gather = std::get_if<GatherPrim>(&step.primitive);
    if (gather == nullptr || gather->grid.inner < kLeastGatheredRow) return false;
    const ir::Program& program = placed_.program;
    const BufferId y = step.outputs[0], x = program.Root(step.inputs[0]);
    const auto& source = program.buffers[SlotOf(x)];
    const auto& index = program.buffers[SlotOf(program.Root(step.inputs[1]))].constant;
    if (!index || source.dtype != ir::DType::kF32 || placed_.SliceOf(x) || placed_.SliceOf(y) ||
        program.buffers[SlotOf(y)].dtype != ir::DType::kF32) {
      return false;
    }
    const auto rows = RowsOf(gather->grid, *index, source.shape.elements());
    if (!rows || rows->empty()) return false;
    auto changed = Readers(y, gather->grid.inner);
    if (changed.empty()) return false;
    for (auto& [at, reader] : changed) {
      for (size_t k = 0; k < reader.inputs.size(); ++k) {
        if (reader.inputs[k] < 0 || program.Root(reader.inputs[k]) != y) continue;
        auto& map = std::get<MapPrim>(reader.primitive);
        map.strides[k] = {};
        map.strides[k][static_cast<size_t>(map.rank - 1)] = 1;
        reader.inputs[k] = x;
        placed_.rows[{reader.outputs[0], k}] = *rows;
      }
      Steps()[at] = std::move(reader);
    }
    Steps()[i].outputs.clear();  // marks it gone
    Steps()[i].inputs.clear();
    return true;
  }

  // The steps that read `y`, cut into its rows; none when one of them is not a map that can be.
  std::vector<std::pair<size_t, Step>> Readers(BufferId y, int64_t row) {
    std::vector<std::pair<size_t, Step>> readers;
    const ir::Program& program = placed_.program;
    for (BufferId id : program.outputs) {
      if (program.Root(id) == y) return {};
    }
    for (size_t i = 0; i < Steps().size(); ++i) {
      bool reads = false;
      for (size_t k = 0; k < Steps()[i].inputs.size(); ++k) {
        const BufferId id = Steps()[i].inputs[k];
        if (id < 0 || program.Root(id) != y) continue;
        const auto* map = std::get_if<MapPrim>(&Steps()[i].primitive);
        if (map == nullptr || !IsDense(*map, k)) return {};
        reads = true;
      }
      if (!reads) continue;
      Step step = Steps()[i];
      // Tables that it has already are of rows of its last axis.
      auto& map = std::get<MapPrim>(step.primitive);
      const bool is_cut = map.rank > 0 && map.size[static_cast<size_t>(map.rank - 1)] == row;
      for (const auto& [key, table] : placed_.rows) {
        if (key.first == step.outputs[0] && !is_cut) return {};
      }
      if (!is_cut && !CutRows(map, row)) return {};
      readers.emplace_back(i, std::move(step));
    }
    return readers;
  }

  PlacedProgram& placed_;
};

}  // namespace

int ReadRowsInPlace(PlacedProgram& placed) {
  return Reader(placed).Run();
}

}  // namespace ferry::passes
