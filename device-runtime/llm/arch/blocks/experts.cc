// Experts: a router scores them for each token, the best of them are run and summed by weight.
// Source: Shazeer et al. 2017; groups and correction after DeepSeek-AI, "DeepSeek-V3" (2024).
#include <algorithm>
#include <cmath>

#include "device-runtime/llm/arch/blocks/pieces.h"

namespace ferry::llm {
namespace {

struct Expert {
  Product gate, up, down;
};

class ExpertsBlock final : public Block {
 public:
  explicit ExpertsBlock(const BlockParts& parts)
      : e_(parts.layer.experts),
        hidden_(parts.description.hidden),
        router_(FindProduct(parts, e_.weights, e_.router_bias)),
        correction_(e_.correction.empty() ? nullptr : parts.Vector(e_.correction)),
        activation_(parts.layer.dense.activation) {
    for (int64_t i = 0; i < e_.count; ++i) {
      experts_.push_back({Of(parts, e_.gate, i), Of(parts, e_.up, i), Of(parts, e_.down, i)});
    }
    if (e_.shared_width == 0) return;
    shared_ = {FindProduct(parts, e_.shared_gate), FindProduct(parts, e_.shared_up),
               FindProduct(parts, e_.shared_down)};
    if (!e_.shared_switch.empty()) switch_ = FindProduct(parts, e_.shared_switch);
  }

  int64_t scratch() const override {
    return 2 * e_.count + 2 * hidden_ + 2 * std::max(e_.width, e_.shared_width) + 2;
  }

  int64_t quantized_bytes() const override {
    int64_t most = MostQuantizedBytes({&router_, &switch_, &shared_.gate, &shared_.down});
    for (const Expert& expert : experts_) {
      most = std::max(most, MostQuantizedBytes({&expert.gate, &expert.up, &expert.down}));
    }
    return most;
  }

  void Run(const Rows& rows, const float* in, const float* add, float* out) const override {
    Scratch scratch(rows);
    float* weights = scratch.Take(e_.count);
    float* scores = scratch.Take(e_.count);
    float* gathered = scratch.Take(hidden_);
    float* made = scratch.Take(hidden_);
    float* hidden = scratch.Take(2 * std::max(e_.width, e_.shared_width));
    router_.Run(rows, in, nullptr, weights);
    for (int64_t row = 0; row < rows.count; ++row) {
      Choose(weights + row * e_.count, scores + row * e_.count);
    }
    if (add == nullptr) {
      std::fill_n(out, rows.count * hidden_, 0.0f);
    } else if (add != out) {
      std::copy_n(add, rows.count * hidden_, out);
    }
    // Expert by expert, so that each one's weights are read once; for a row always in this order.
    for (int64_t e = 0; e < e_.count; ++e) {
      int64_t count = 0;
      for (int64_t row = 0; row < rows.count; ++row) {
        if (weights[row * e_.count + e] == 0) continue;
        rows.pass.workspace.gathered[count] = row;
        std::copy_n(in + row * hidden_, hidden_, gathered + count++ * hidden_);
      }
      if (count == 0) continue;
      const Rows some = {rows.table,   rows.pass, count,
                         rows.adapted, 0,         rows.pass.workspace.gathered};
      Feed(some, experts_[static_cast<size_t>(e)], gathered, hidden, made);
      count = 0;
      for (int64_t row = 0; row < rows.count; ++row) {
        const float weight = weights[row * e_.count + e];
        if (weight != 0) AddRow(made + count++ * hidden_, weight, out + row * hidden_);
      }
    }
    if (e_.shared_width > 0) RunShared(rows, in, scratch, hidden, made, out);
  }

 private:
  Product Of(const BlockParts& parts, std::string_view name, int64_t expert) const {
    return {parts.Matrix(name, expert), parts.Bias(name, e_.bias, expert), parts.exact};
  }

  void Bound(int64_t count, float* gate, float* up) const {
    if (e_.clamp > 0) {
      const auto most = static_cast<float>(e_.clamp);
      for (int64_t i = 0; i < count; ++i) {
        gate[i] = std::min(gate[i], most);
        up[i] = std::clamp(up[i], -most, most);
      }
    }
    if (e_.up_offset == 0) return;
    const auto offset = static_cast<float>(e_.up_offset);
    for (int64_t i = 0; i < count; ++i) up[i] += offset;
  }

  void AddRow(const float* from, float weight, float* to) const {
    for (int64_t i = 0; i < hidden_; ++i) to[i] += weight * from[i];
  }

  void Feed(const Rows& rows, const Expert& expert, const float* x, float* hidden,
            float* out) const {
    const int64_t width = expert.gate.width();
    float* up = hidden + rows.count * width;
    if (&expert == &shared_ || (e_.clamp <= 0 && e_.up_offset == 0)) {
      RunGated(rows, activation_, expert.gate, expert.up, x, hidden, up);
    } else {
      Input input(rows, x, hidden_);
      RunTogether(rows, input, {&expert.gate, &expert.up}, {hidden, up});
      Bound(rows.count * width, hidden, up);
      GateRows(rows, activation_, {hidden, up, hidden, width, width, width, width});
    }
    expert.down.Run(rows, hidden, nullptr, out);
  }

  void RunShared(const Rows& rows, const float* in, Scratch& scratch, float* hidden, float* made,
                 float* out) const {
    Feed(rows, shared_, in, hidden, made);
    float* open = scratch.Take(1);
    if (switch_.weights.present()) switch_.Run(rows, in, nullptr, open);
    for (int64_t row = 0; row < rows.count; ++row) {
      const float weight = !switch_.weights.present() ? 1.0f : Sigmoid(open[row]);
      AddRow(made + row * hidden_, weight, out + row * hidden_);
    }
  }

  // Turns the router's logits of one row into weights, zero for experts that are not chosen.
  // `scores` is room for as many.
  void Choose(float* logits, float* scores) const {
    const int64_t count = e_.count;
    if (e_.router == RouterKind::kSigmoid) {
      for (int64_t i = 0; i < count; ++i) logits[i] = Sigmoid(logits[i]);
    } else {
      const float largest = *std::max_element(logits, logits + count);
      float sum = 0;
      for (int64_t i = 0; i < count; ++i) sum += logits[i] = std::exp(logits[i] - largest);
      for (int64_t i = 0; i < count; ++i) logits[i] /= sum;
    }
    for (int64_t i = 0; i < count; ++i) {
      scores[i] = logits[i] + (correction_ == nullptr ? 0 : correction_[i]);
    }
    if (e_.groups > 1) DropGroups(scores);
    float total = 0;
    int64_t chosen[kMaxExperts];
    for (int64_t k = 0; k < e_.used; ++k) {
      chosen[k] = std::max_element(scores, scores + count) - scores;
      scores[chosen[k]] = -HUGE_VALF;
      total += logits[chosen[k]];
    }
    // Source of the small number: DeepSeek's code; it keeps a sum of zeros from dividing.
    constexpr float kLeast = 1e-20f;
    const float factor =
        static_cast<float>(e_.scale) / (e_.normalise ? std::max(total, kLeast) : 1.0f);
    float kept[kMaxExperts];
    for (int64_t k = 0; k < e_.used; ++k) kept[k] = logits[chosen[k]] * factor;
    std::fill_n(logits, count, 0.0f);
    for (int64_t k = 0; k < e_.used; ++k) logits[chosen[k]] = kept[k];
  }

  // Experts outside of the best groups get the lowest score.
  void DropGroups(float* scores) const {
    const int64_t size = e_.count / e_.groups;
    float group_scores[kMaxExperts];
    for (int64_t g = 0; g < e_.groups; ++g) {
      const float* group = scores + g * size;
      float best = -HUGE_VALF;
      float second = -HUGE_VALF;
      for (int64_t i = 0; i < size; ++i) {
        if (group[i] > best) {
          second = best;
          best = group[i];
        } else if (group[i] > second) {
          second = group[i];
        }
      }
      const bool two = e_.group_score == GroupScore::kTopTwo && size > 1;
      group_scores[g] = two ? best + second : best;
    }
    bool stays[kMaxExperts] = {};
    for (int64_t k = 0; k < e_.groups_used; ++k) {
      const int64_t g = std::max_element(group_scores, group_scores + e_.groups) - group_scores;
      stays[g] = true;
      group_scores[g] = -HUGE_VALF;
    }
    for (int64_t g = 0; g < e_.groups; ++g) {
      if (!stays[g]) std::fill_n(scores + g * size, size, -HUGE_VALF);
    }
  }

  const ExpertsPart e_;
  const int64_t hidden_;
  const Product router_;
  const float* correction_;
  const ActivationKind activation_;
  std::vector<Expert> experts_;
  Expert shared_;
  Product switch_;
};

}  // namespace

std::unique_ptr<Block> MakeExpertsBlock(const BlockParts& parts) {
  return std::make_unique<ExpertsBlock>(parts);
}

}  // namespace ferry::llm
