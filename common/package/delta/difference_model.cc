#include "common/package/delta/difference_model.h"

#include <algorithm>
#include <bit>

namespace ferry::package::delta {
namespace {

constexpr unsigned kPoint = 16;  // bits below one of the means
constexpr unsigned kFastShift = 4;
constexpr unsigned kSlowShift = 7;
constexpr unsigned kColumnShift = 3;
constexpr uint64_t kLargest = uint64_t{1} << 16;  // differences count as at most this

// log2 in steps of 1/2^`fine`, from 0 to `most`. `value` is a mean seen at a number's scale.
unsigned Level(uint64_t value, unsigned fine, unsigned most) {
  if (value == 0) return 0;
  const auto width = static_cast<unsigned>(std::bit_width(value));
  uint64_t part = value;
  if (width > fine + 1) {
    part = value >> (width - fine - 1);
  } else {
    part = value << (fine + 1 - width);
  }
  const unsigned level =
      ((width - 1) << fine) + static_cast<unsigned>(part & ((1U << fine) - 1)) + 1;
  return std::min(level, most);
}

// -1 to 1 in nine steps: how one-sided the differences are.
unsigned Lean(int64_t lean, uint64_t size) {
  if (size == 0) return 4;
  const int64_t part = lean * 8 / static_cast<int64_t>(size + 1);
  return static_cast<unsigned>(std::clamp<int64_t>((part + (part < 0 ? -1 : 1)) / 2, -4, 4) + 4);
}

// Levels of halves, quarters, whole octaves and pairs of them.
constexpr unsigned kFine = 64, kVeryFine = 128, kCoarse = 32, kRough = 16;
constexpr unsigned kRelative = 24;
constexpr unsigned kLasts = 5;
constexpr unsigned kMeanSets = 4;

// Weights of its own for means below 1/16, 1, 16 and above.
unsigned MeanSet(unsigned level) {
  return level < 24 ? 0 : level < 33 ? 1 : level < 41 ? 2 : 3;
}

}  // namespace

DifferenceModel::DifferenceModel(Mode mode)
    : mode_(mode),
      bits_(8 * WidthOf(mode)),
      nodes_(2 * bits_),
      class_mixer_(nodes_ * kMeanSets),
      sign_mixer_(kMeanSets),
      rest_mixer_(64) {
  const size_t sizes[kContexts] = {(kMaxScale + 1) * 9,
                                   (kFine + 1) * (kCoarse + 1),
                                   (kVeryFine + 1) * 3,
                                   (kCoarse + 1) * (kFine + 1),
                                   (kVeryFine + 1) * 3,
                                   kRelative * kRelative * kLasts,
                                   (kRough + 1) * (kRough + 1) * (kRough + 1)};
  for (unsigned i = 0; i < kContexts; ++i) classes_[i].assign(sizes[i] * nodes_, kFreshCounter);
  const size_t sign_sizes[kSignContexts] = {256, 9 * 9 * 9, 9 * 9 * 2, (kMaxScale + 1) * 2, 16 * 9};
  for (unsigned i = 0; i < kSignContexts; ++i)
    sign_counters_[i].assign(sign_sizes[i], kFreshCounter);
  rest_[0].assign(33 * 8, kFreshCounter);
  rest_[1].assign(33 * 8 * (kFine + 1), kFreshCounter);
}

void DifferenceModel::Begin(uint32_t stride) {
  if (stride == stride_) return;
  stride_ = stride;
  at_ = 0;
  columns_.assign(stride, Column());
}

// Contexts of the number to come.
void DifferenceModel::Look(uint32_t base) {
  scale_ = ScaleOf(mode_, base);
  const Column& column = columns_[at_];
  const uint64_t fast = fast_ >> scale_, slow = slow_ >> scale_, above = column.size >> scale_;
  const unsigned fast_level = Level(fast, 1, kFine), slow_level = Level(slow, 1, kFine);
  const unsigned above_level = Level(above, 1, kFine);
  const auto relative = [&](unsigned i) -> uint32_t {
    if (before_[i] == 0) return 0;
    const int level = static_cast<int>(before_[i] + scales_[i]) - static_cast<int>(scale_);
    return static_cast<uint32_t>(std::clamp(level + 4, 1, static_cast<int>(kRelative) - 1));
  };
  // How large the number itself is among its neighbours: an int8 weight of the largest magnitude,
  // a float's mantissa near its end.
  unsigned own = 0;
  if (IsFloat(mode_)) {
    const unsigned mantissa =
        mode_ == Mode::kF16 ? base >> 8 & 3 : base >> (bits_ == 32 ? 21 : 5) & 3;
    own = mantissa;
  } else {
    const auto value = static_cast<int32_t>(base << (32 - bits_)) >> (32 - bits_);
    own = std::min<unsigned>(static_cast<unsigned>(std::bit_width(
                                 static_cast<uint32_t>(std::abs(static_cast<int64_t>(value))))),
                             8);
  }
  const bool rows = stride_ > 1;
  contexts_[0] = scale_ * 9 + own;
  contexts_[1] = fast_level * (kCoarse + 1) + slow_level / 2;
  contexts_[2] = Level(slow, 2, kVeryFine) * 3 + std::min(before_[0], 2U);
  contexts_[3] = above_level / 2 * (kFine + 1) + slow_level;
  contexts_[4] =
      Level(rows ? above : fast, 2, kVeryFine) * 3 + std::min(rows ? column.last : before_[1], 2U);
  contexts_[5] =
      (relative(0) * kRelative + relative(1)) * kLasts + std::min(column.last, kLasts - 1);
  contexts_[6] = (above_level / 4 * (kRough + 1) + slow_level / 4) * (kRough + 1) + fast_level / 4;
  expected_ = slow_level;
  const unsigned row_lean = Lean(lean_, fast_), slow_lean = Lean(lean_slow_, slow_);
  const unsigned column_lean = Lean(column.lean, column.size);
  const uint32_t own_sign = base >> (bits_ - 1) & 1;
  sign_contexts_[0] = signs_ & 255;
  sign_contexts_[1] = (row_lean * 9 + slow_lean) * 9 + column_lean;
  sign_contexts_[2] = (slow_lean * 9 + column_lean) * 2 + own_sign;
  sign_contexts_[3] = scale_ * 2 + own_sign;
  sign_contexts_[4] = (signs_ & 15) * 9 + column_lean;
}

void DifferenceModel::Note(int32_t difference, unsigned size_class) {
  const uint64_t size =
      std::min<uint64_t>(static_cast<uint64_t>(std::abs(int64_t{difference})), kLargest)
      << (scale_ + kPoint);
  const int64_t value = difference < 0 ? -static_cast<int64_t>(size) : static_cast<int64_t>(size);
  const auto move = [](auto mean, auto to, unsigned shift) {
    using Number = decltype(mean);
    // Rounded towards the mean, so that it can come to rest at any value.
    return static_cast<Number>(mean + (static_cast<int64_t>(to - mean) >> shift));
  };
  fast_ = move(fast_, size, kFastShift);
  slow_ = move(slow_, size, kSlowShift);
  lean_ = move(lean_, value, kFastShift);
  lean_slow_ = move(lean_slow_, value, kSlowShift);
  Column& column = columns_[at_];
  column.size = move(column.size, size, kColumnShift);
  column.lean = move(column.lean, value, kColumnShift);
  column.last = size_class;
  before_[1] = before_[0], scales_[1] = scales_[0];
  before_[0] = size_class, scales_[0] = scale_;
  signs_ = signs_ << 2 | (difference == 0 ? 0U : difference < 0 ? 1U : 2U);
  if (++at_ == stride_) at_ = 0;
}

template <typename Coder>
uint32_t DifferenceModel::CodeClass(Coder& coder, uint32_t size_class) {
  // Zero or not, then the class below a binary tree: 8, 16 and 32 bits need 3, 4 and 5 steps.
  Counter* counters[kContexts];
  uint32_t node = 0;
  const auto code = [&](uint32_t bit) {
    for (unsigned i = 0; i < kContexts; ++i)
      counters[i] = &classes_[i][contexts_[i] * nodes_ + node];
    const unsigned set = node * kMeanSets + MeanSet(expected_);
    const uint32_t coded = coder.Code(bit, class_mixer_.Predict(set, counters, kContexts));
    class_mixer_.Learn(coded);
    return coded;
  };
  if (code(size_class == 0 ? 1 : 0) != 0) return 0;
  const uint32_t left = size_class - 1;  // 0 to bits - 1
  const auto depth = static_cast<unsigned>(std::bit_width(bits_ - 1));
  uint32_t read = 1;
  for (unsigned i = depth; i-- > 0;) {
    node = read;
    read = read << 1 | code(left >> i & 1);
  }
  return (read & ((1U << depth) - 1)) + 1;
}

template <typename Coder>
uint32_t DifferenceModel::CodeSign(Coder& coder, uint32_t sign) {
  Counter* counters[kSignContexts];
  for (unsigned i = 0; i < kSignContexts; ++i) counters[i] = &sign_counters_[i][sign_contexts_[i]];
  const unsigned set = MeanSet(expected_);
  const uint32_t coded = coder.Code(sign, sign_mixer_.Predict(set, counters, kSignContexts));
  sign_mixer_.Learn(coded);
  return coded;
}

// The bits below the leading one; the lowest of many are noise.
template <typename Coder>
uint32_t DifferenceModel::CodeRest(Coder& coder, uint32_t size_class, uint32_t magnitude) {
  uint32_t read = 1;
  for (unsigned i = size_class - 1; i-- > 0;) {
    const uint32_t bit = magnitude >> i & 1;
    const unsigned taken = size_class - 2 - i;
    uint32_t coded = 0;
    if (taken < kExtraBits + 1) {
      const uint32_t node = size_class * 8 + (read & 7) % 8;
      Counter* counters[2] = {&rest_[0][node], &rest_[1][node * (kFine + 1) + expected_]};
      coded = coder.Code(bit, rest_mixer_.Predict(size_class, counters, 2));
      rest_mixer_.Learn(coded);
    } else {
      coded = coder.Code(bit, kHalf);
    }
    read = read << 1 | coded;
  }
  return read;
}

template <typename Coder>
int32_t DifferenceModel::Code(Coder& coder, uint32_t base, int32_t difference) {
  Look(base);
  const auto magnitude = static_cast<uint32_t>(std::abs(int64_t{difference}));
  const uint32_t size_class = CodeClass(coder, static_cast<uint32_t>(std::bit_width(magnitude)));
  int64_t coded = 0;
  if (size_class > 0) {
    // The largest class has one member, the negative one.
    const uint32_t sign = size_class == bits_ ? 1 : CodeSign(coder, difference < 0 ? 1 : 0);
    coded = CodeRest(coder, size_class, magnitude);
    if (sign != 0) coded = -coded;
  }
  const auto out = static_cast<int32_t>(coded);
  Note(out, size_class);
  return out;
}

template int32_t DifferenceModel::Code<RangeEncoder>(RangeEncoder&, uint32_t, int32_t);
template int32_t DifferenceModel::Code<RangeDecoder>(RangeDecoder&, uint32_t, int32_t);

}  // namespace ferry::package::delta
