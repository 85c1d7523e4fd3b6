// Rotary angles of the rows of a pass, for each kind of positions that a model's layers have.
#pragma once

#include <cstdint>
#include <vector>

#include "device-runtime/llm/arch/describe/description.h"

namespace ferry::llm {

struct Rows;

// Angle i of a position is position * frequency i, all float32; cosines and sines are scaled by
// Rotary::amplitude. A position's angles depend on nothing else: where a scaling goes by the
// length of a text (dynamic, longrope), it goes by the position here.
class PositionTables {
 public:
  explicit PositionTables(const Description& description);

  // Which table a layer's positions are in; -1: it has none.
  int64_t IndexOf(const Rotary& rotary) const;
  // Floats a row of all tables, and those before table `index`.
  int64_t floats() const;
  // Fills workspace.cosines and sines: table by table, [count][dims / 2].
  void Fill(const Rows& rows) const;
  const float* Cosines(const Rows& rows, int64_t index, int64_t row) const;
  const float* Sines(const Rows& rows, int64_t index, int64_t row) const;

 private:
  struct Table {
    Rotary rotary;
    std::vector<float> near;  // frequencies of positions within the context of training
    std::vector<float> far;   // longrope: of those beyond; else empty
    int64_t before = 0;       // floats a row of the tables before
    int64_t half() const { return rotary.dims / 2; }
  };
  static float Frequency(const Table& table, int64_t position, int64_t i);
  int64_t At(const Rows& rows, int64_t index, int64_t row) const;

  std::vector<Table> tables_;
};

// 1 / theta^(2 i / dims) for i in [0, dims / 2), changed as the scaling says. In float32.
std::vector<float> RotaryFrequencies(const Rotary& rotary, bool beyond_training);

}  // namespace ferry::llm
