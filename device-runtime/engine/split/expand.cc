// One expansion move as a smallest cut: a node for each step that may take the label.
#include "device-runtime/engine/split/min_cut.h"
#include "device-runtime/engine/split/placement.h"

namespace ferry::engine {
namespace {

// Whether a step takes the label: decided, or a node of the cut.
struct Choice {
  int node = -1;
  bool taken = false;  // where there is no node
};
constexpr Choice kTaken = {-1, true};

class Expansion {
 public:
  Expansion(const Dataflow& flow, const PlacementCosts& costs, std::span<const int> labels,
            int label)
      : flow_(flow), costs_(costs), labels_(labels), label_(label) {}

  std::vector<int> Run(std::span<const int> order) {
    for (size_t i = 0; i < labels_.size(); ++i) AddStep(i);
    for (size_t i = 0; i < flow_.values.size(); ++i) AddValue(i);
    for (size_t i = 0; i < order.size(); ++i) {
      AddNeighbours(i == 0 ? -1 : order[i - 1], order[i]);
    }
    const std::vector<bool> taken = cut_.Solve();
    std::vector<int> out(labels_.begin(), labels_.end());
    for (size_t i = 0; i < out.size(); ++i) {
      if (steps_[i].node >= 0 && taken[static_cast<size_t>(steps_[i].node)]) out[i] = label_;
    }
    return out;
  }

 private:
  void AddStep(size_t i) {
    const int64_t there = costs_.step[static_cast<size_t>(label_)][i];
    if (labels_[i] == label_ || there == PlacementCosts::kCannot) {
      steps_.push_back({-1, labels_[i] == label_});
      return;
    }
    const int node = cut_.AddNode();
    cut_.IfTaken(node, there);
    cut_.IfLeft(node, costs_.step[static_cast<size_t>(labels_[i])][i]);
    steps_.push_back({node, false});
  }

  int LabelOf(int step) const { return step < 0 ? 0 : labels_[static_cast<size_t>(step)]; }
  Choice ChoiceOf(int step) const {
    return step < 0 ? Choice{-1, label_ == 0} : steps_[static_cast<size_t>(step)];
  }

  // `cost` where `a` is taken and `b` is left.
  void Parted(Choice a, Choice b, int64_t cost) {
    if (cost <= 0) return;
    if (a.node >= 0 && b.node >= 0) {
      cut_.IfParted(a.node, b.node, cost);
    } else if (a.node >= 0) {
      if (!b.taken) cut_.IfTaken(a.node, cost);
    } else if (b.node >= 0) {
      if (a.taken) cut_.IfLeft(b.node, cost);
    }
  }
  // `cost` where any of `some` is taken and `one` is left.
  void AnyTaken(const std::vector<Choice>& some, Choice one, int64_t cost) {
    const Choice any = OneFor(some, true);
    for (const Choice& choice : some) Parted(choice, any, MinCut::kNever);
    Parted(any, one, cost);
  }
  // `cost` where `one` is taken and any of `some` is left.
  void AnyLeft(Choice one, const std::vector<Choice>& some, int64_t cost) {
    const Choice all = OneFor(some, false);
    for (const Choice& choice : some) Parted(all, choice, MinCut::kNever);
    Parted(one, all, cost);
  }
  // What is `taken` as soon as one of `some` is: one of them where that is decided or the only one
  // that can be, else a node of its own.
  Choice OneFor(const std::vector<Choice>& some, bool taken) {
    Choice found = {-1, !taken};
    int nodes = 0;
    for (const Choice& choice : some) {
      if (choice.node < 0 && choice.taken == taken) return choice;
      if (choice.node < 0) continue;
      found = choice;
      ++nodes;
    }
    return nodes > 1 ? Choice{cut_.AddNode(), false} : found;
  }

  // Copies of a value to and from each label that has to do with it; the CPU's cost nothing.
  void AddValue(size_t i) {
    const Dataflow::Value& value = flow_.values[i];
    const int made = LabelOf(value.producer);
    const Choice producer = ChoiceOf(value.producer);
    std::vector<Choice> readers;
    std::vector<std::vector<Choice>> by_label(static_cast<size_t>(costs_.labels()));
    for (const int reader : value.readers) {
      readers.push_back(ChoiceOf(reader));
      by_label[static_cast<size_t>(LabelOf(reader))].push_back(readers.back());
    }
    if (value.is_output) {
      readers.push_back(ChoiceOf(-1));
      by_label[0].push_back(readers.back());
    }
    for (int label = 1; label < costs_.labels(); ++label) {
      const int64_t cost = costs_.copy[static_cast<size_t>(label)][i];
      const std::vector<Choice>& here = by_label[static_cast<size_t>(label)];
      if (label == label_) {
        AnyTaken(readers, producer, cost);  // there
        AnyLeft(producer, readers, cost);   // and back
        continue;
      }
      // Readers that keep another label have it copied to them; it need not be copied back for
      // those that keep the producer's.
      AnyLeft(made == label ? producer : kTaken, here, cost);
      if (made != label) continue;
      std::vector<Choice> others = here;
      if (here.size() < readers.size()) others.push_back(kTaken);
      AnyTaken(others, producer, cost);
    }
  }

  // A part begins where a step's label is not that of the one before.
  void AddNeighbours(int before, int step) {
    const int label = LabelOf(step);
    const Choice first = before < 0 ? Choice{-1, false} : ChoiceOf(before);
    if (label_ != 0) Parted(ChoiceOf(step), first, costs_.part[static_cast<size_t>(label_)]);
    if (label == 0 || label == label_) return;
    const bool goes_on = before >= 0 && LabelOf(before) == label;
    Parted(goes_on ? first : kTaken, ChoiceOf(step), costs_.part[static_cast<size_t>(label)]);
  }

  const Dataflow& flow_;
  const PlacementCosts& costs_;
  std::span<const int> labels_;
  const int label_;
  std::vector<Choice> steps_;
  MinCut cut_;
};

}  // namespace

std::vector<int> Expand(const Dataflow& flow, const PlacementCosts& costs,
                        std::span<const int> labels, std::span<const int> order, int label) {
  return Expansion(flow, costs, labels, label).Run(order);
}

}  // namespace ferry::engine
