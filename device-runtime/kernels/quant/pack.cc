#include <algorithm>
#include <cstring>
#include <vector>

#include "device-runtime/kernels/quant/product.h"

namespace ferry::kernels {

namespace {

constexpr int64_t kBytes = 4;        // of a group of a column
constexpr int64_t kMostFurther = 4;  // a panel has at most so many groups to a further one

// Where the parts of the packed panels of one product lie.
struct Layout {
  Layout(const KernelTable& table, int64_t columns, int64_t taps, int64_t depth)
      : width(table.quant->PanelWidth()),
        taps(taps),
        tap_groups((depth + table.quant->group - 1) / table.quant->group),
        panels_bytes((columns + table.quant->vector - 1) / table.quant->vector *
                     table.quant->vector * QuantPanelDepth(table, taps, depth)) {
    const QuantKernels& kernels = *table.quant;
    if (kernels.bounded == nullptr || taps > kMaxBoundedTaps) return;
    most = taps * tap_groups / kMostFurther;
    panels = (columns + width - 1) / width;
  }
  // The count, the places and the weights.
  int64_t FurtherBytes() const {
    return kBytes + most * (int64_t{sizeof(QuantFurtherGroup)} + width * kBytes);
  }
  int64_t Bytes() const { return panels_bytes + panels * FurtherBytes(); }

  int64_t width;
  int64_t taps, tap_groups;
  int64_t panels_bytes;
  int64_t panels = 0;  // with QuantFurther
  int64_t most = 0;    // further groups of a panel
};

// What the second weight of a pair has too much of; nothing where the signs differ.
int32_t ExcessOf(int8_t first, int8_t second) {
  const int32_t sum = first + second;
  return sum - std::clamp(sum, -kMaxPairSum, kMaxPairSum);
}

// Collects the excess of one panel, pair by pair, in further groups.
class Excess {
 public:
  explicit Excess(int64_t columns) : step_(columns * kBytes) {}

  // Of the pair that begins at byte `first` of a panel's group; `k`: of its second weight.
  void Add(const int8_t* group, int64_t first, int64_t tap, int64_t k) {
    int8_t excess[kMaxQuantWidth];
    int32_t any = 0;
    for (int64_t c = 0; c < step_ / kBytes; ++c) {
      const int8_t* pair = group + c * kBytes + first;
      excess[c] = static_cast<int8_t>(ExcessOf(pair[0], pair[1]));
      any |= excess[c];
    }
    if (any != 0) Place(excess, tap, k);
  }
  const std::vector<QuantFurtherGroup>& groups() const { return groups_; }
  const std::vector<int8_t>& weights() const { return weights_; }

 private:
  // In the next byte of the last group of this tap. Its pairs are bounded too.
  void Place(const int8_t* excess, int64_t tap, int64_t k) {
    if (used_ % 2 == 1 && !FitsBeside(excess)) ++used_;
    if (groups_.empty() || used_ >= kBytes || groups_.back().tap != tap) {
      groups_.push_back({static_cast<int32_t>(tap), {}});
      weights_.resize(weights_.size() + static_cast<size_t>(step_));
      used_ = 0;
    }
    groups_.back().k[used_] = static_cast<int32_t>(k);
    int8_t* const to = weights_.data() + weights_.size() - step_ + used_;
    for (int64_t c = 0; c < step_ / kBytes; ++c) to[c * kBytes] = excess[c];
    ++used_;
  }
  bool FitsBeside(const int8_t* excess) const {
    const int8_t* const before = weights_.data() + weights_.size() - step_ + used_ - 1;
    for (int64_t c = 0; c < step_ / kBytes; ++c)
      if (ExcessOf(before[c * kBytes], excess[c]) != 0) return false;
    return true;
  }

  const int64_t step_;
  int64_t used_ = 0;  // bytes of the last group
  std::vector<QuantFurtherGroup> groups_;
  std::vector<int8_t> weights_;
};

// Bounds the weights of one packed panel of `columns` padded columns, if that takes few enough
// further groups.
void PackFurther(const Layout& layout, int64_t columns, int8_t* panel, int8_t* further) {
  const int64_t step = columns * kBytes;
  Excess excess(columns);
  for (int64_t g = 0; g < layout.taps * layout.tap_groups; ++g)
    for (int64_t first = 0; first < kBytes; first += 2)
      excess.Add(panel + g * step, first, g / layout.tap_groups,
                 g % layout.tap_groups * kBytes + first + 1);
  const auto count = static_cast<int64_t>(excess.groups().size());
  const auto stored = static_cast<int32_t>(count > layout.most ? -1 : count);
  std::memcpy(further, &stored, sizeof stored);
  if (stored <= 0) return;
  std::memcpy(further + kBytes, excess.groups().data(), sizeof(QuantFurtherGroup) * count);
  std::memcpy(further + kBytes + layout.most * sizeof(QuantFurtherGroup), excess.weights().data(),
              excess.weights().size());
  for (int8_t* pair = panel; pair < panel + layout.taps * layout.tap_groups * step; pair += 2)
    pair[1] = static_cast<int8_t>(pair[1] - ExcessOf(pair[0], pair[1]));
}

}  // namespace

int64_t QuantPanelDepth(const KernelTable& table, int64_t taps, int64_t depth) {
  const int64_t group = table.quant->group;
  const int64_t bytes = taps * ((depth + group - 1) / group * group);
  return HasTiles(table) ? TiledColumnBytes(table.tiled->bytes, bytes) : bytes;
}

int64_t QuantPanelsSize(const KernelTable& table, int64_t columns, int64_t taps, int64_t depth) {
  return Layout(table, columns, taps, depth).Bytes();
}

QuantFurtherParts::QuantFurtherParts(const KernelTable& table, const QuantProduct& p) {
  const Layout layout(table, p.columns, p.taps, p.depth);
  if (layout.panels == 0) return;
  first_ = p.panels + layout.panels_bytes;
  step_ = layout.FurtherBytes();
  most_ = layout.most;
}

QuantFurther QuantFurtherParts::Of(int64_t panel) const {
  if (first_ == nullptr) return {nullptr, nullptr, -1};
  const int8_t* const at = first_ + panel * step_;
  QuantFurther further = {reinterpret_cast<const QuantFurtherGroup*>(at + kBytes), nullptr, 0};
  std::memcpy(&further.count, at, sizeof further.count);
  further.b = reinterpret_cast<const int8_t*>(further.groups + most_);
  return further;
}

void PackPanels(const KernelTable& table, int64_t columns, int64_t taps, int64_t depth,
                const int8_t* weights, int8_t* panels) {
  const Layout layout(table, columns, taps, depth);
  int8_t* further = panels + layout.panels_bytes;
  const int64_t vector = table.quant->vector, group = table.quant->group;
  const int64_t width = table.quant->PanelWidth();
  for (int64_t column = 0; column < columns; column += width) {
    const int64_t count = std::min(width, columns - column);
    const int64_t padded = (count + vector - 1) / vector * vector;
    int8_t* const first = panels;
    for (int64_t t = 0; t < taps; ++t) {
      for (int64_t k = 0; k < depth; k += group) {
        std::memset(panels, 0, static_cast<size_t>(padded * group));
        for (int64_t j = 0; j < count; ++j) {
          for (int64_t i = k; i < std::min(depth, k + group); ++i) {
            panels[j * group + i - k] = weights[((column + j) * depth + i) * taps + t];
          }
        }
        panels += padded * group;
      }
    }
    const int64_t rest = padded * QuantPanelDepth(table, taps, depth) - (panels - first);
    std::memset(panels, 0, static_cast<size_t>(rest));
    panels += rest;
    if (layout.panels == 0) continue;
    PackFurther(layout, padded, first, further);
    further += layout.FurtherBytes();
  }
}

void StartSums(int64_t columns, const int32_t* weight_sums, int32_t zero, const int32_t* bias,
               int32_t* start) {
  for (int64_t c = 0; c < columns; ++c) {
    const uint32_t from = bias == nullptr ? 0 : static_cast<uint32_t>(bias[c]);
    start[c] = static_cast<int32_t>(from - static_cast<uint32_t>(zero) *
                                               static_cast<uint32_t>(weight_sums[c]));
  }
  std::fill(start + columns, start + QuantPadded(columns), 0);
}

}  // namespace ferry::kernels
