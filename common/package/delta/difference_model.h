// What a difference of two numbers is likely to be, given the number's exponent, the differences
// just before it and those above it in its column; learns as it goes, the same when writing and
// when reading. Fine-tuning moves weights by alike amounts, which is many units of a small float
// and none of a large one. Private to common/package.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "common/package/delta/mixing.h"
#include "common/package/delta/numbers.h"
#include "common/package/delta/range_coder.h"

namespace ferry::package::delta {

inline constexpr uint32_t kMaxStride = 16384;  // numbers in a row that a column looks back over

// Of the numbers of one mode. One thread at a time. At most 4 MiB, all modes together 12 MiB.
class DifferenceModel {
 public:
  explicit DifferenceModel(Mode mode);

  // What comes is in rows of `stride` numbers (1 to kMaxStride; 1: no rows). Rows of the same
  // length go on where the last ones ended.
  void Begin(uint32_t stride);
  // Codes one difference (written by an encoder; what is passed to a decoder does not matter).
  template <typename Coder>
  int32_t Code(Coder& coder, uint32_t base, int32_t difference);

 private:
  static constexpr unsigned kContexts = 7;
  static constexpr unsigned kSignContexts = 5;
  static constexpr unsigned kExtraBits = 2;  // below the leading one, that are modelled

  // What is known of the columns and of the numbers before, in units of scale 0 with 16 more bits.
  struct Column {
    uint64_t size = 0;  // mean of |difference|
    int64_t lean = 0;   // mean of difference
    uint32_t last = 0;  // class of the one above
  };

  void Look(uint32_t base);
  void Note(int32_t difference, unsigned size_class);
  template <typename Coder>
  uint32_t CodeClass(Coder& coder, uint32_t size_class);
  template <typename Coder>
  uint32_t CodeSign(Coder& coder, uint32_t sign);
  template <typename Coder>
  uint32_t CodeRest(Coder& coder, uint32_t size_class, uint32_t magnitude);

  const Mode mode_;
  const unsigned bits_;
  const unsigned nodes_;  // of the tree over the classes
  uint32_t stride_ = 0;
  uint32_t at_ = 0;  // the column
  std::vector<Column> columns_;
  uint64_t fast_ = 0, slow_ = 0;      // means of |difference|
  int64_t lean_ = 0, lean_slow_ = 0;  // means of difference
  uint32_t before_[2] = {0, 0};       // classes, at their scales
  uint32_t scales_[2] = {0, 0};
  uint32_t signs_ = 0;  // of the last differences, two bits each

  unsigned scale_ = 0;  // of the present number
  std::array<uint32_t, kContexts> contexts_{};
  std::array<uint32_t, kSignContexts> sign_contexts_{};
  unsigned expected_ = 0;  // the class that the means speak for

  std::vector<Counter> classes_[kContexts];
  std::vector<Counter> sign_counters_[kSignContexts];
  std::vector<Counter> rest_[2];
  Mixer class_mixer_;
  Mixer sign_mixer_;
  Mixer rest_mixer_;
};

// A model for each mode, made when it is first asked for.
class DifferenceModels {
 public:
  // `mode` is of numbers.
  DifferenceModel& Get(Mode mode) {
    auto& model = models_[static_cast<size_t>(mode)];
    if (model == nullptr) model = std::make_unique<DifferenceModel>(mode);
    return *model;
  }

 private:
  std::array<std::unique_ptr<DifferenceModel>, kModes> models_;
};

}  // namespace ferry::package::delta
