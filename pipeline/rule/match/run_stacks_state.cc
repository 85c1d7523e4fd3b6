// Runs of stacks as runs one by one, the form in which they are stored, and back.
#include "pipeline/event/event.h"
#include "pipeline/rule/match/run_stacks.h"

namespace ferry::rule {
namespace {

void Extend(Run* run, size_t step, const HeldEvent& held) {
  run->last = std::make_shared<const Link>(
      Link{held.event, held.seq, static_cast<uint32_t>(step), held.by_value, std::move(run->last)});
  run->alive = StepMask{2} << step;
}

}  // namespace

void RunStacks::Save(const PlainRule& rule, const Starts& starts, KeyRuns* out) const {
  const auto& list = starts.list();
  for (size_t k = starts.PlaceOf(from_); k < list.size(); ++k) {
    Run& run = out->runs.emplace_back();
    Extend(&run, 0, *list[k].held);
    uint64_t seq = list[k].seq;
    for (size_t step = 1; step <= stacks_.size(); ++step) {
      const Stack::Entry* const next = stacks_[step - 1].FirstAfter(seq);
      if (next == nullptr) break;
      Extend(&run, step, *next->held);
      seq = next->seq;
    }
    if (rule.within_ms == 0) return;  // the others would never be the match
  }
}

bool RunStacks::LoadRun(const Run& run, std::vector<uint64_t>* before, HeldEvents* held,
                        std::vector<Starts::Start>* starts) {
  std::vector<const Link*> links;  // of the steps
  for (const Link* at = run.last.get(); at != nullptr; at = at->before.get()) links.push_back(at);
  std::reverse(links.begin(), links.end());
  if (run.waits || links.size() > stacks_.size() + 1 || run.alive != StepMask{1} << links.size())
    return false;
  for (size_t step = 0; step < links.size(); ++step)
    if (links[step]->step != step) return false;
  if (!starts->empty() && links[0]->seq <= starts->back().seq) return false;
  for (size_t step = 1; step <= stacks_.size(); ++step) {
    const uint64_t last = stacks_[step - 1].last_seq(), from = links[step - 1]->seq;
    if (step == links.size()) {  // waits: went on at none of those
      if (from < last) return false;
      break;
    }
    const Link& link = *links[step];
    if (link.seq < last || from < (link.seq == last ? (*before)[step] : last)) return false;
    if (link.seq == last) continue;  // goes on together with the run before
    (*before)[step] = last;
    Take(step, held->New(link.event, link.seq, link.by_value));
  }
  HeldEvent* const start = held->New(links[0]->event, links[0]->seq, links[0]->by_value);
  ++start->users;
  starts->push_back({start->seq, start->event->time_ms, start});
  return true;
}

bool RunStacks::Load(const KeyRuns& runs, HeldEvents* held, std::vector<Starts::Start>* starts) {
  std::vector<uint64_t> before(stacks_.size() + 1);  // by step: the last event but one of its stack
  for (const Run& run : runs.runs) {
    if (LoadRun(run, &before, held, starts)) continue;
    Clear(from_, held);
    for (const Starts::Start& start : *starts) held->Drop(start.held);
    starts->clear();
    return false;
  }
  if (!starts->empty()) from_ = starts->front().seq;
  return true;
}

}  // namespace ferry::rule
