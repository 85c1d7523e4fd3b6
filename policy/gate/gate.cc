#include "policy/gate/gate.h"

#include "policy/gate/gates/make.h"

namespace ferry::gate {

const std::vector<const Gate*>& AllGates() {
  static const auto* const kAll = new std::vector<const Gate*>{
#define FERRY_GATE(Name) Make##Name().release(),
#include "policy/gate/gates/list.inc"
#undef FERRY_GATE
  };
  return *kAll;
}

Judgement JudgeAll(const Settings& settings, const Input& input) {
  Judgement out;
  for (const Gate* gate : AllGates()) {
    Verdict verdict = gate->Judge(settings, input);
    verdict.gate = gate->name();
    if (verdict.stops_slice && out.stopped_slice.empty()) out.stopped_slice = verdict.slice;
    // The release waits until it is counted without the slice, and is then asked again.
    const Decision decision = verdict.stops_slice ? Decision::kWait : verdict.decision;
    if (out.verdicts.empty() || decision > out.decision) {
      out.decision = decision;
      out.reason = verdict.reason;
    }
    out.verdicts.push_back(std::move(verdict));
  }
  return out;
}

}  // namespace ferry::gate
