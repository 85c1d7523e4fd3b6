#include "cloud-server/fleet/matcher.h"

#include "policy/target/predicate.h"

namespace ferry::server::fleet {
namespace {

using target::Node;
using target::Truth;

}  // namespace

Matcher::Matcher(const target::Rule& filter) : filter_(filter), root_(Prepare(*filter_.root())) {}

Matcher::Step Matcher::Prepare(const Node& node) {
  Step step;
  step.node = &node;
  for (const target::NodePtr& child : node.children) step.children.push_back(Prepare(*child));
  if (node.kind != Node::Kind::kCondition) return step;
  if (const auto part = PartReadBy(node.condition)) step.known.push_back({*part, {}});
  if (node.condition.predicate->name() == "percent") {
    const Result<target::Share> share = target::ParseShare(node.condition.values[0]);
    if (share.ok()) step.share = *share;
  }
  step.blocked = node.condition.predicate->name() == "blocked";
  step.text = node.condition.predicate == DeviceTextPredicate();
  for (size_t part = 0; step.text && part < kParts; ++part) step.known.push_back({part, {}});
  return step;
}

Truth Matcher::JudgeCondition(Step* step, const Face& face, const Device& device) {
  const target::Condition& condition = step->node->condition;
  if (step->share && face.id_bytes > 0) {
    const std::string_view salt =
        condition.values.size() > 1 ? std::string_view(condition.values[1]) : "";
    const bool is_in = target::InShare(*step->share, salt, face.IdOf(device));
    return is_in ? Truth::kTrue : Truth::kFalse;
  }
  if (step->blocked) {
    signed char& found = step->of_blocked[face.blocked ? 1 : 0];
    if (found == Known::kOpen)
      found = static_cast<signed char>(condition.predicate->Decide(condition, device, {}));
    return static_cast<Truth>(found);
  }
  if (step->known.empty()) return condition.predicate->Decide(condition, device, {});
  Truth truth = Truth::kFalse;
  for (Known& known : step->known) {
    const size_t code = face.codes[known.part];
    if (code >= known.truths.size()) known.truths.resize(code + 1, Known::kOpen);
    signed char& found = known.truths[code];
    if (found == Known::kOpen) {
      const Truth asked = !step->text ? condition.predicate->Decide(condition, device, {})
                          : PartHasText(device, known.part, condition.values[0]) ? Truth::kTrue
                                                                                 : Truth::kFalse;
      found = static_cast<signed char>(asked);
    }
    truth = static_cast<Truth>(found);
    if (truth == Truth::kTrue) return truth;
  }
  // Parts are known after the first device that has them; the id is nobody else's.
  if (step->text && list::ContainsText(face.IdOf(device), condition.values[0])) return Truth::kTrue;
  return truth;
}

// As target::TruthOf: Kleene's logic, where unknown is neither.
Truth Matcher::Judge(Step* step, const Face& face, const Device& device) {
  switch (step->node->kind) {
    case Node::Kind::kAll:
      return Truth::kTrue;
    case Node::Kind::kCondition:
      return JudgeCondition(step, face, device);
    case Node::Kind::kNot: {
      const Truth truth = Judge(&step->children[0], face, device);
      if (truth == Truth::kUnknown) return truth;
      return truth == Truth::kTrue ? Truth::kFalse : Truth::kTrue;
    }
    case Node::Kind::kAnd:
    case Node::Kind::kOr:
      break;
  }
  const bool both = step->node->kind == Node::Kind::kAnd;
  const Truth decides = both ? Truth::kFalse : Truth::kTrue;
  Truth truth = both ? Truth::kTrue : Truth::kFalse;
  for (Step& child : step->children) {
    const Truth one = Judge(&child, face, device);
    if (one == decides) return one;
    if (one == Truth::kUnknown) truth = one;
  }
  return truth;
}

}  // namespace ferry::server::fleet
