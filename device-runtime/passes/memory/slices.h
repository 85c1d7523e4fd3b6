// Concatenations and splits without copies: what a concatenation joins is written where it belongs
// in the result, and what a slice takes is read where it lies. The program's meaning stays; only
// where buffers lie changes, and the strides of the steps that read and write them.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "device-runtime/ir/program.h"

namespace ferry::passes {

// Where a buffer lies inside another one: its elements are rows of `row`, `stride` apart, the first
// at element `offset` of `whole`. whole < 0: it has memory of its own.
struct Slice {
  ir::BufferId whole = -1;
  int64_t offset = 0, row = 0, stride = 0;

  explicit operator bool() const { return whole >= 0; }
  bool is_dense() const { return row == stride; }
};

// A program whose rasters went where slices do. Strides of its maps, products, attentions and
// rasters are those in memory; convolutions, pools and results of products take theirs from the
// slices of their buffers. Verify knows no slices: each changed step was verified by itself.
struct PlacedProgram {
  ir::Program program;
  std::vector<Slice> slices;  // by buffer; of roots only; a whole lies in no other buffer
  int gone = 0;               // copies that need not be made
  // Of a map, by its first output and the number of an input: where in the input each row of the
  // map's last axis begins (memory/row_gathers.h).
  std::map<std::pair<ir::BufferId, size_t>, std::vector<int64_t>> rows;

  // The table of input `input` of a step; null: its strides say where it lies.
  const std::vector<int64_t>* RowsOf(const ir::Step& step, size_t input) const {
    const auto at = rows.find({step.outputs[0], input});
    return at == rows.end() ? nullptr : &at->second;
  }
  Slice SliceOf(ir::BufferId id) const {
    return slices.empty() || id < 0 ? Slice{} : slices[static_cast<size_t>(program.Root(id))];
  }
  // The buffer whose memory holds `id`.
  ir::BufferId Memory(ir::BufferId id) const {
    const Slice slice = SliceOf(id);
    return slice ? slice.whole : program.Root(id);
  }
};

// Rows that lie apart cost a wait for memory each, where the whole is more than `near_bytes`, what
// stays in cache: there a concatenation is written in place only if nothing else reads the parts,
// and nothing is read in place.
PlacedProgram PlaceSlices(ir::Program program, int64_t near_bytes);

}  // namespace ferry::passes
