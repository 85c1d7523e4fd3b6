#include "device-runtime/passes/raster/merge_rasters.h"

#include <algorithm>

#include "device-runtime/passes/raster/cut_copies.h"
#include "device-runtime/passes/raster/read_in_place.h"
#include "device-runtime/passes/raster/regions.h"

namespace ferry::passes {
namespace {

using ir::AttentionPrim;
using ir::BufferId;
using ir::RasterPrim;
using ir::Region;
using ir::Step;

class Merger {
 public:
  explicit Merger(ir::Program& program) : program_(program) {}

  int Run() {
    writer_.assign(program_.buffers.size(), -1);
    reads_.assign(program_.buffers.size(), 0);
    names_.resize(program_.buffers.size());
    for (size_t id = 0; id < program_.buffers.size(); ++id) {
      const BufferId root = program_.buffers[id].alias;
      if (root >= 0) names_[Index(root)].push_back(static_cast<BufferId>(id));
    }
    for (size_t i = 0; i < program_.steps.size(); ++i) {
      for (BufferId id : program_.steps[i].outputs) writer_[Index(id)] = static_cast<int>(i);
    }
    for (size_t i = 0; i < program_.steps.size(); ++i) ReadThrough(i);
    Count();
    for (size_t i = 0; i < program_.steps.size(); ++i) WriteThrough(i);
    return DropUnread();
  }

 private:
  static size_t Index(BufferId id) { return static_cast<size_t>(id); }

  void Count() {
    std::ranges::fill(reads_, 0);
    for (const Step& step : program_.steps) {
      for (BufferId id : step.inputs) {
        if (id >= 0) ++reads_[Index(program_.Root(id))];
      }
    }
    for (BufferId id : program_.outputs) ++reads_[Index(program_.Root(id))];
  }

  // The raster step that makes `id`, or null.
  const Step* RasterOf(BufferId id) const {
    if (id < 0) return nullptr;
    const int at = writer_[Index(program_.Root(id))];
    if (at < 0) return nullptr;
    const Step& step = program_.steps[static_cast<size_t>(at)];
    return std::holds_alternative<RasterPrim>(step.primitive) ? &step : nullptr;
  }
  // The same when it is one copy and nothing else.
  const Step* CopyOf(BufferId id) const {
    const Step* step = RasterOf(id);
    if (step == nullptr) return nullptr;
    const auto& raster = std::get<RasterPrim>(step->primitive);
    return raster.copies.size() == 1 && !raster.fill && !IsEmpty(raster.copies[0].region) ? step
                                                                                          : nullptr;
  }
  // Whether copies of a raster may write the same element, the later ones over the earlier: not
  // when they write as many as there are, and nothing else does.
  bool Overlaps(const Step& step) const {
    const auto& raster = std::get<RasterPrim>(step.primitive);
    if (raster.copies.size() < 2) return false;
    if (raster.copies.size() > kMaxMergedCopies) return true;  // too many to look at each time
    int64_t written = 0;
    for (const RasterPrim::Copy& copy : raster.copies) written += ElementsOf(copy.region);
    return raster.fill || written != program_.buffers[Index(step.outputs[0])].shape.elements();
  }
  static const RasterPrim::Copy& OnlyCopy(const Step& step) {
    return std::get<RasterPrim>(step.primitive).copies[0];
  }
  static BufferId SourceOf(const Step& step, const RasterPrim::Copy& copy) {
    return step.inputs[static_cast<size_t>(copy.input)];
  }

  void ReadThrough(size_t i) {
    Step& step = program_.steps[i];
    if (auto* raster = std::get_if<RasterPrim>(&step.primitive)) {
      // One copy to everywhere leaves nothing to fill (a pad by nothing).
      if (raster->copies.size() == 1 &&
          ElementsOf(raster->copies[0].region) ==
              program_.buffers[Index(step.outputs[0])].shape.elements()) {
        raster->fill.reset();
      }
      while (MergeCopies(step)) {
      }
      MakeAlias(step);
      return;
    }
    for (size_t input = 0; input < step.inputs.size(); ++input) {
      for (const Step* copy = CopyOf(step.inputs[input]); copy != nullptr;
           copy = CopyOf(step.inputs[input])) {
        if (!ReadInPlace(step, input, OnlyCopy(*copy).region)) break;
        step.inputs[input] = SourceOf(*copy, OnlyCopy(*copy));
      }
    }
  }

  // Copies of a raster from what rasters made come from those rasters' inputs. Whether any did.
  bool MergeCopies(Step& step) {
    auto& raster = std::get<RasterPrim>(step.primitive);
    if (raster.copies.size() > kMaxMergedCopies) return false;
    bool merged = false;
    std::vector<RasterPrim::Copy> copies;
    std::vector<BufferId> inputs;
    for (const RasterPrim::Copy& copy : raster.copies) {
      const BufferId source = SourceOf(step, copy);
      const Step* inner = RasterOf(source);
      std::vector<CopyPiece> pieces;
      const bool fits = inner != nullptr && !Overlaps(*inner) && !IsEmpty(copy.region) &&
                        CutCopies(*inner, copy.region, pieces) &&
                        copies.size() + pieces.size() <= kMaxMergedCopies;
      if (!fits) pieces = {{source, copy.region}};
      merged = merged || fits;
      for (const auto& [from, region] : pieces) {
        copies.push_back({InputOf(inputs, from), region});
      }
    }
    if (!merged) return false;
    raster.copies = std::move(copies);
    step.inputs = std::move(inputs);
    return true;
  }

  static int InputOf(std::vector<BufferId>& inputs, BufferId id) {
    const auto at = std::ranges::find(inputs, id);
    if (at != inputs.end()) return static_cast<int>(at - inputs.begin());
    inputs.push_back(id);
    return static_cast<int>(inputs.size() - 1);
  }

  // A raster that copies all of a buffer in order is another name for it.
  void MakeAlias(Step& step) {
    const auto& raster = std::get<RasterPrim>(step.primitive);
    if (raster.copies.size() != 1 || raster.fill) return;
    const Region r = Joined(raster.copies[0].region);
    const BufferId from = program_.Root(SourceOf(step, raster.copies[0]));
    const BufferId to = step.outputs[0];
    const int64_t count = program_.buffers[Index(to)].shape.elements();
    const bool whole =
        r.from == 0 && r.to == 0 && ElementsOf(r) == count &&
        (r.rank == 0 || (r.rank == 1 && r.from_stride[0] == 1 && r.to_stride[0] == 1));
    if (!whole || from >= to || program_.buffers[Index(from)].shape.elements() != count) return;
    if (program_.buffers[Index(from)].dtype != program_.buffers[Index(to)].dtype) return;
    writer_[Index(to)] = -1;
    Rename(to, from);
    step.outputs.clear();  // marks it gone
    step.inputs.clear();
  }

  // `id` and its other names become names of `root`: aliases name roots only, so all are direct.
  void Rename(BufferId id, BufferId root) {
    std::vector<BufferId> names = std::move(names_[Index(id)]);
    names.push_back(id);
    for (BufferId name : names) program_.buffers[Index(name)].alias = root;
    names_[Index(root)].insert(names_[Index(root)].end(), names.begin(), names.end());
  }

  // An attention whose result only one copy reads, all of it, writes where the copy would.
  void WriteThrough(size_t i) {
    Step& step = program_.steps[i];
    const auto* raster = std::get_if<RasterPrim>(&step.primitive);
    if (raster == nullptr || step.outputs.empty() || raster->copies.size() != 1 || raster->fill) {
      return;
    }
    const BufferId from = program_.Root(SourceOf(step, raster->copies[0]));
    const BufferId to = step.outputs[0];
    const int at = writer_[Index(from)];
    const Region& region = raster->copies[0].region;
    const int64_t count = program_.buffers[Index(from)].shape.elements();
    if (at < 0 || reads_[Index(from)] != 1 || ElementsOf(region) != count || count == 0 ||
        program_.buffers[Index(to)].shape.elements() != count) {
      return;
    }
    Step& maker = program_.steps[static_cast<size_t>(at)];
    auto* attention = std::get_if<AttentionPrim>(&maker.primitive);
    if (attention == nullptr || maker.outputs[0] != from) return;
    if (!WriteInPlace(*attention, region)) return;
    maker.outputs[0] = to;
    writer_[Index(to)] = at;
    step.outputs.clear();
    step.inputs.clear();
  }

  // Rasters whose output nobody reads any more go, the last first.
  int DropUnread() {
    Count();
    for (size_t i = program_.steps.size(); i-- > 0;) {
      Step& step = program_.steps[i];
      if (step.outputs.empty() || !std::holds_alternative<RasterPrim>(step.primitive)) continue;
      if (reads_[Index(step.outputs[0])] > 0) continue;
      for (BufferId id : step.inputs) {
        if (id >= 0) --reads_[Index(program_.Root(id))];
      }
      step.outputs.clear();
    }
    return static_cast<int>(
        std::erase_if(program_.steps, [](const Step& step) { return step.outputs.empty(); }));
  }

  ir::Program& program_;
  std::vector<int> writer_;                   // the step that makes each buffer
  std::vector<int> reads_;                    // of each root buffer
  std::vector<std::vector<BufferId>> names_;  // the aliases of each
};

}  // namespace

int MergeRasters(ir::Program& program) {
  return Merger(program).Run();
}

}  // namespace ferry::passes
