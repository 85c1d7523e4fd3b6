#include "device-runtime/passes/memory/slices.h"

#include <algorithm>
#include <optional>

#include "device-runtime/passes/memory/columns.h"
#include "device-runtime/passes/memory/strided_steps.h"
#include "device-runtime/passes/memory/verify_placed.h"
#include "device-runtime/tensor/dtype.h"

namespace ferry::passes {
namespace {

using ir::BufferId;
using ir::RasterPrim;
using ir::Step;

// Rows that are read apart for fewer elements waste most of each cache line.
constexpr int64_t kLeastSliceRow = 8;
// The same where each row comes from memory.
constexpr int64_t kLeastFarRow = 64;

size_t Index(BufferId id) {
  return static_cast<size_t>(id);
}

class Placer {
 public:
  Placer(ir::Program program, int64_t near_bytes) : near_bytes_(near_bytes) {
    placed_.program = std::move(program);
    const size_t count = placed_.program.buffers.size();
    placed_.slices.resize(count);
    is_whole_.resize(count);
    is_output_.resize(count);
    writer_.assign(count, -1);
    for (BufferId id : placed_.program.outputs) is_output_[Index(Root(id))] = true;
    for (size_t i = 0; i < Steps().size(); ++i) {
      for (BufferId id : Steps()[i].outputs) writer_[Index(id)] = static_cast<int>(i);
    }
  }

  PlacedProgram Run() {
    // The largest first: a concatenation that grows is a part of the last one.
    std::vector<size_t> rasters;
    for (size_t i = 0; i < Steps().size(); ++i) {
      if (std::holds_alternative<RasterPrim>(Steps()[i].primitive)) rasters.push_back(i);
    }
    std::ranges::stable_sort(rasters, std::greater<>(), [&](size_t i) {
      return BufferOf(Steps()[i].outputs[0]).shape.elements();
    });
    for (size_t i : rasters) {
      if (!View(i)) Join(i);
    }
    std::erase_if(Steps(), [&](const Step& step) {
      const auto* raster = std::get_if<RasterPrim>(&step.primitive);
      return raster != nullptr && raster->copies.empty() && !raster->fill;
    });
    if (placed_.gone == 0) placed_.slices.clear();
    return std::move(placed_);
  }

 private:
  struct Reader {
    size_t step, input;
  };

  std::vector<Step>& Steps() { return placed_.program.steps; }
  BufferId Root(BufferId id) const { return placed_.program.Root(id); }
  const ir::BufferInfo& BufferOf(BufferId id) const { return placed_.program.buffers[Index(id)]; }
  bool IsMade(BufferId root) const { return writer_[Index(root)] >= 0; }
  // Whether another name of a buffer counts in elements of the same size.
  bool SameWidth(BufferId id) const {
    return tensor::DTypeSize(BufferOf(id).dtype) == tensor::DTypeSize(BufferOf(Root(id)).dtype);
  }

  std::vector<Reader> ReadersOf(BufferId root) {
    std::vector<Reader> readers;
    for (size_t i = 0; i < Steps().size(); ++i) {
      for (size_t k = 0; k < Steps()[i].inputs.size(); ++k) {
        const BufferId id = Steps()[i].inputs[k];
        if (id >= 0 && Root(id) == root) readers.push_back({i, k});
      }
    }
    return readers;
  }

  // Whether rows that lie apart cost less than the copies that they save.
  bool Pays(BufferId root, const Slice& slice, bool written) {
    const ir::BufferInfo& whole = BufferOf(slice.whole);
    const auto width = static_cast<int64_t>(tensor::DTypeSize(whole.dtype));
    if (whole.shape.elements() * width <= near_bytes_) return slice.row >= kLeastSliceRow;
    return written && slice.row >= kLeastFarRow && ReadersOf(root).size() == 1;
  }

  // Lets `root` lie in `slice`, if its readers, and (`written`) its writer, can do with that.
  bool Lay(BufferId root, const Slice& slice, bool written) {
    if (!slice.is_dense() && (is_output_[Index(root)] || !Pays(root, slice, written))) return false;
    if (BufferOf(root).dtype == ir::DType::kString) return false;
    std::vector<std::pair<size_t, Step>> changed;
    auto changed_step = [&](size_t i) -> Step& {
      for (auto& [at, step] : changed) {
        if (at == i) return step;
      }
      return changed.emplace_back(i, Steps()[i]).second;
    };
    for (const Reader& reader : ReadersOf(root)) {
      Step& step = changed_step(reader.step);
      if (!SameWidth(step.inputs[reader.input])) return false;
      if (!ReadSlice(placed_.program, step, reader.input, slice)) return false;
    }
    if (written) {
      const auto at = static_cast<size_t>(writer_[Index(root)]);
      Step& step = changed_step(at);
      const auto output = std::ranges::find(step.outputs, root) - step.outputs.begin();
      if (!WriteSlice(placed_.program, step, static_cast<size_t>(output), slice)) return false;
    }
    placed_.slices[Index(root)] = slice;
    for (auto& [at, step] : changed) std::swap(Steps()[at], step);
    for (const auto& [at, step] : changed) {
      if (VerifyPlaced(placed_, Steps()[at])) continue;
      for (auto& [back, old] : changed) std::swap(Steps()[back], old);
      placed_.slices[Index(root)] = {};
      return false;
    }
    is_whole_[Index(slice.whole)] = true;
    return true;
  }

  // Where a column of a raster lies: copies from slices count in memory already.
  std::optional<Slice> PlaceOf(BufferId root, const Column& c) const {
    const Slice at = placed_.slices[Index(root)];
    if (!at && !IsMade(root)) return std::nullopt;
    return Slice{at ? at.whole : root, at.offset + c.from, c.width, c.from_stride};
  }

  // A raster whose sources lie beside each other already is a view of them.
  bool View(size_t i) {
    const Step& step = Steps()[i];
    const BufferId y = step.outputs[0];
    const auto& raster = std::get<RasterPrim>(step.primitive);
    const Columns columns = ColumnsOf(placed_.program, step);
    if (columns.list.empty() || columns.list.size() != raster.copies.size()) return false;
    std::optional<Slice> view;
    for (const Column& c : columns.list) {
      const BufferId source = step.inputs[static_cast<size_t>(raster.copies[c.copy].input)];
      auto place = SameWidth(source) ? PlaceOf(Root(source), c) : std::nullopt;
      if (!place) return false;
      place->offset -= c.to;
      place->row = columns.stride;
      if (columns.rows == 1) place->stride = columns.stride;
      const bool same = !view || (view->whole == place->whole && view->offset == place->offset &&
                                  view->stride == place->stride);
      if (!same || place->offset < 0) return false;
      view = place;
    }
    if (is_whole_[Index(y)] || !Lay(y, *view, false)) return false;
    placed_.gone += static_cast<int>(columns.list.size());
    std::get<RasterPrim>(Steps()[i].primitive).copies.clear();
    Steps()[i].inputs.clear();
    return true;
  }

  // What a raster joins is written where it belongs.
  void Join(size_t i) {
    const Step& step = Steps()[i];
    const BufferId y = step.outputs[0];
    const Columns columns = ColumnsOf(placed_.program, step);
    const Slice base = placed_.slices[Index(y)];
    if (base && base.row != columns.stride && !base.is_dense()) return;
    std::vector<size_t> in_place;
    for (const Column& c : columns.list) {
      const auto& copy = std::get<RasterPrim>(Steps()[i].primitive).copies[c.copy];
      const BufferId source = Steps()[i].inputs[static_cast<size_t>(copy.input)];
      const BufferId x = Root(source);
      const bool is_all = SameWidth(source) && c.from == 0 && c.from_stride == c.width &&
                          c.width * columns.rows == BufferOf(x).shape.elements();
      if (!is_all || !IsMade(x) || is_whole_[Index(x)] || placed_.slices[Index(x)] || x == y) {
        continue;
      }
      Slice slice = {y, c.to, c.width, columns.stride};
      if (base) slice = {base.whole, base.offset + c.to, c.width, columns.stride};
      if (base && !base.is_dense()) slice.stride = base.stride;
      if (columns.rows == 1) slice.stride = slice.row;
      if (TakeOut(i, c.copy, x, slice)) in_place.push_back(c.copy);
    }
    if (in_place.empty()) return;
    auto& copies = std::get<RasterPrim>(Steps()[i].primitive).copies;
    std::ranges::sort(in_place, std::greater<>());
    for (size_t k : in_place) copies.erase(copies.begin() + static_cast<std::ptrdiff_t>(k));
    placed_.gone += static_cast<int>(in_place.size());
  }

  // Lays `x` at the slice and empties the copy that would bring it there.
  bool TakeOut(size_t i, size_t copy, BufferId x, const Slice& slice) {
    auto& region = std::get<RasterPrim>(Steps()[i].primitive).copies[copy].region;
    const ir::Region kept = region;
    region.rank = 1;
    region.size[0] = 0;
    if (Lay(x, slice, true)) return true;
    std::get<RasterPrim>(Steps()[i].primitive).copies[copy].region = kept;
    return false;
  }

  const int64_t near_bytes_;
  PlacedProgram placed_;
  std::vector<bool> is_whole_, is_output_;  // by buffer
  std::vector<int> writer_;                 // the step that makes each buffer
};

}  // namespace

PlacedProgram PlaceSlices(ir::Program program, int64_t near_bytes) {
  return Placer(std::move(program), near_bytes).Run();
}

}  // namespace ferry::passes
