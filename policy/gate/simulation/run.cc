#include <algorithm>
#include <queue>

#include "policy/gate/simulation/fleet.h"

namespace ferry::gate {
namespace {

struct Event {
  int64_t at_ms;
  int64_t order;  // of events at the same time: as they were made
  enum class Kind { kAsk, kReport, kSoak, kClose, kLook } kind;
  size_t device;
};
struct IsLater {
  bool operator()(const Event& a, const Event& b) const {
    return a.at_ms != b.at_ms ? a.at_ms > b.at_ms : a.order > b.order;
  }
};

class Run {
 public:
  Run(const Scenario& scenario, int64_t k)
      : scenario_(scenario),
        stages_(StagesOf(scenario)),
        dice_(scenario.seed, k),
        fleet_(scenario, dice_) {}

  SimulatedRun Go() {
    Enter(0);
    int64_t asks_ms = 0;
    for (size_t k = 0; k < fleet_.devices.size(); ++k) {
      asks_ms += dice_.Delay(scenario_.arrive_ms, Spread::kExponential);
      Push(asks_ms, Event::Kind::kAsk, k);
    }
    // A device that no stage took asks again a round of the fleet later.
    round_ms_ = asks_ms + 1;
    Push(scenario_.look_ms, Event::Kind::kLook, 0);
    const int64_t end_ms = EndMs();
    while (!out_.stopped && !events_.empty() && events_.top().at_ms <= end_ms) {
      const Event event = events_.top();
      events_.pop();
      now_ms_ = event.at_ms;
      Do(event);
      if (out_.complete && pending_ == 0) break;
    }
    out_.ms = now_ms_;
    return std::move(out_);
  }

 private:
  const SimulatedStage& stage() const { return stages_[stage_]; }
  int64_t WindowOf(size_t stage) const {
    return WindowMs(scenario_.settings, stages_[stage].min_healthy_ms,
                    stages_[stage].report_timeout_ms);
  }

  // By then every stage had two rounds of the fleet to find its devices and to watch them.
  int64_t EndMs() const {
    int64_t end_ms = 2 * round_ms_;
    for (size_t k = 0; k < stages_.size(); ++k)
      end_ms += 2 * (round_ms_ + WindowOf(k) + stages_[k].min_healthy_ms);
    return end_ms;
  }

  void Push(int64_t at_ms, Event::Kind kind, size_t device) {
    // Devices that ask again after the release is complete are taken: nobody is pending for ever.
    pending_ += kind != Event::Kind::kLook;
    events_.push({at_ms, order_++, kind, device});
  }

  void Enter(size_t stage) {
    stage_ = stage;
    stage_since_ms_ = now_ms_;
    fleet_.Enter(stages_[stage]);
    Plan();
  }

  void Plan() {
    const double before = stage_ == 0 ? 0 : stages_[stage_ - 1].percent;
    planned_ = std::count_if(
        fleet_.devices.begin(), fleet_.devices.end(), [&](const SimulatedDevice& device) {
          return !device.excluded && device.bucket >= before && device.bucket < stage().percent &&
                 device.control_bucket >= stage().control_percent;
        });
  }

  void Do(const Event& event) {
    if (event.kind == Event::Kind::kLook) {
      Look(true);
      Push(now_ms_ + scenario_.look_ms, Event::Kind::kLook, 0);
      return;
    }
    --pending_;
    SimulatedDevice& device = fleet_.devices[event.device];
    if (device.excluded) return;
    if (event.kind == Event::Kind::kAsk) Ask(event.device);
    if (event.kind == Event::Kind::kReport) Report(device);
    if (event.kind == Event::Kind::kSoak) Soak(device);
    if (event.kind == Event::Kind::kClose) Close(device);
  }

  void Ask(size_t index) {
    SimulatedDevice& device = fleet_.devices[index];
    if (device.bucket >= stage().percent) {
      Push(now_ms_ + round_ms_, Event::Kind::kAsk, index);
      return;
    }
    device.taken = true;
    device.stage = stage_;
    device.control = device.control_bucket < stage().control_percent;
    device.fails = dice_.Is(device.control ? scenario_.control_rate : device.rate);
    out_.devices += !device.control;
    Counts counted;
    counted.exposed = counted.pending = 1;
    fleet_.Count(device, counted);
    const int64_t delay_ms = dice_.Delay(
        device.fails ? scenario_.fail_after_ms : scenario_.succeed_after_ms, scenario_.spread);
    if (!device.fails || !dice_.Is(scenario_.silent))
      Push(now_ms_ + delay_ms, Event::Kind::kReport, index);
    Push(now_ms_ + stage().min_healthy_ms, Event::Kind::kSoak, index);
    Push(now_ms_ + WindowOf(stage_), Event::Kind::kClose, index);
  }

  void Report(SimulatedDevice& device) {
    Counts counted = device.counted;
    if (counted.silent == 1) {  // it speaks after all
      counted.silent = counted.failed = counted.closed_failed = 0;
    }
    if (device.fails) {
      ++(counted.closed == 1 ? counted.late : counted.failed);
    }
    counted.pending = 0;
    device.well = !device.fails;
    counted.healthy = device.well && device.soaked;
    fleet_.Count(device, counted);
    if (device.fails) Look(false);
  }

  void Soak(SimulatedDevice& device) {
    device.soaked = true;
    Counts counted = device.counted;
    counted.healthy = device.well;
    fleet_.Count(device, counted);
  }

  void Close(SimulatedDevice& device) {
    Counts counted = device.counted;
    counted.closed = 1;
    counted.pending = 0;
    if (counted.failed == 0 && !device.well && stages_[device.stage].report_timeout_ms > 0) {
      counted.failed = counted.silent = 1;
    }
    counted.closed_failed = counted.failed;
    fleet_.Count(device, counted);
    if (counted.silent == 1) Look(false);
  }

  Input Now() {
    Input input;
    input.now_ms = now_ms_;
    input.stage_since_ms = stage_since_ms_;
    input.min_healthy_ms = stage().min_healthy_ms;
    input.min_reports = stage().min_reports;
    input.planned = planned_;
    if (stage().report_timeout_ms > 0) input.next_overdue_ms = now_ms_ + WindowOf(stage_);
    input.stages = fleet_.cohorts;
    return input;
  }

  void Look(bool may_pass) {
    const Judgement judgement = JudgeAll(scenario_.settings, Now());
    if (!judgement.stopped_slice.empty()) {
      out_.stopped_slices.push_back(judgement.stopped_slice);
      fleet_.Exclude(judgement.stopped_slice);
      Plan();
    }
    if (judgement.decision == Decision::kStop) {
      out_.stopped = true;
      for (const Verdict& verdict : judgement.verdicts)
        if (verdict.decision == Decision::kStop && out_.gate.empty()) out_.gate = verdict.gate;
    }
    if (!may_pass || out_.complete || judgement.decision != Decision::kPass) return;
    if (stage_ + 1 == stages_.size()) {
      out_.complete = true;
    } else {
      Enter(stage_ + 1);
    }
  }

  const Scenario& scenario_;
  const std::vector<SimulatedStage> stages_;
  Dice dice_;
  Fleet fleet_;
  SimulatedRun out_;
  std::priority_queue<Event, std::vector<Event>, IsLater> events_;
  int64_t order_ = 0;
  int64_t pending_ = 0;  // events but for looks
  int64_t now_ms_ = 0;
  int64_t round_ms_ = 0;
  size_t stage_ = 0;
  int64_t stage_since_ms_ = 0;
  int64_t planned_ = 0;
};

}  // namespace

SimulatedRun SimulateRun(const Scenario& scenario, int64_t k) {
  return Run(scenario, k).Go();
}

}  // namespace ferry::gate
