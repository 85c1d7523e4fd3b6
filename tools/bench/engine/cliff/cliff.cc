#include "tools/bench/engine/cliff/cliff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "common/base/json.h"
#include "common/sys/clock.h"
#include "device-runtime/engine/engine.h"
#include "device-runtime/ir/graph.h"
#include "tools/bench/data.h"
#include "tools/bench/engine/cliff/models.h"

namespace ferry::bench {
namespace {

using engine::DType;
using engine::Model;
using engine::NamedTensor;
using engine::Session;
using engine::SessionOptions;
using engine::Shape;
using engine::Tensor;

constexpr int64_t kLoopSteps = 64;
constexpr int64_t kWideLoop = 4;  // times as wide
constexpr int kLoopRuns = 5;
constexpr int kRandomRuns = 500;
constexpr int64_t kMaxRows = 256;
constexpr int kSessions = 10000;

// Floors.
constexpr double kLoopRatio = 1.2;
constexpr double kRunRatio = 3;
constexpr double kRunMoreMs = 1;
constexpr double kPlanMs = 0.3;
constexpr double kFoldMs = 5;
constexpr double kGrownMb = 1;

double NowMs() {
  return static_cast<double>(sys::SystemClock().MonotonicNs()) / 1e6;
}

double Median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

int64_t Resident() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  long long all = 0, resident = 0;
  if (std::fscanf(file, "%lld %lld", &all, &resident) != 2) resident = 0;
  std::fclose(file);
  return resident * 4096;
}

Result<Tensor> Rows(int64_t rows, int64_t width) {
  FERRY_ASSIGN_OR_RETURN(Tensor t, Tensor::Zeros(DType::kF32, Shape({rows, width})));
  const Floats values = RandomFloats(static_cast<size_t>(t.elements()));
  std::copy_n(values.get(), t.elements(), t.mutable_data<float>().begin());
  return t;
}

struct Floor {
  std::string name;
  double value, limit;
  std::string unit, note;
};

class Cliff {
 public:
  explicit Cliff(const CliffArguments& arguments)
      : width_(arguments.width), rounds_(arguments.rounds), only_(arguments.only) {
    options_.isa = arguments.isa;
  }
  std::vector<Floor> floors;

  Status Run() {
    using Part = Status (Cliff::*)();
    static constexpr std::pair<std::string_view, Part> kParts[] = {
        {"planning", &Cliff::Planning},     {"loop", &Cliff::Loops},
        {"lengths", &Cliff::RandomLengths}, {"parts", &Cliff::ChosenRows},
        {"folding", &Cliff::Folding},       {"sessions", &Cliff::Sessions}};
    for (const auto& [name, part] : kParts) {
      if (only_.empty() || only_ == name) FERRY_TRY((this->*part)());
    }
    return OkStatus();
  }

 private:
  void Add(Floor floor) { floors.push_back(std::move(floor)); }

  // The fastest of some runs: what else the machine does only adds.
  Result<double> PlannedRun(Session& session, int64_t rows, int64_t width) {
    FERRY_ASSIGN_OR_RETURN(Tensor x, Rows(rows, width));
    const std::vector<NamedTensor> inputs = {{"x", x}};
    FERRY_TRY(session.Execute(inputs));
    double best = std::numeric_limits<double>::max();
    for (int i = 0; i < rounds_; ++i) {
      const double start = NowMs();
      FERRY_TRY(session.Execute(inputs));
      best = std::min(best, NowMs() - start);
    }
    return best;
  }

  // Milliseconds of one planned run of the block, by rows.
  Result<double> PlannedBlock(int64_t rows) {
    if (const auto found = planned_.find(rows); found != planned_.end()) return found->second;
    if (block_ == nullptr) {
      FERRY_ASSIGN_OR_RETURN(auto model, BlockModel(width_));
      FERRY_ASSIGN_OR_RETURN(block_, Session::Create(model, options_));
    }
    FERRY_ASSIGN_OR_RETURN(planned_[rows], PlannedRun(*block_, rows, width_));
    return planned_[rows];
  }

  // The median over lengths, of each length the fastest of the rounds.
  Status Planning() {
    FERRY_ASSIGN_OR_RETURN(auto model, BlockModel(width_));
    std::vector<double> times(kMaxRows, std::numeric_limits<double>::max());
    int steps = 0;
    for (int round = 0; round < rounds_; ++round) {
      FERRY_ASSIGN_OR_RETURN(auto session, Session::Create(model, options_));
      for (int64_t rows = 2; rows <= kMaxRows; ++rows) {
        const Shape shape({rows, width_});
        const double start = NowMs();
        FERRY_TRY(session->Resize({&shape, 1}));
        double& best = times[static_cast<size_t>(rows - 1)];
        best = std::min(best, NowMs() - start);
      }
      steps = session->plan().steps;
    }
    Add({fmt::format("planning a block of {} nodes", kBlockNodes), Median(times), kPlanMs, "ms",
         fmt::format("{} steps", steps)});
    return OkStatus();
  }

  // Steps of a few tenths of a millisecond, and of some milliseconds; planning a step is nothing
  // beside the latter alone.
  Status Loops() {
    FERRY_TRY(Loop(width_, std::numeric_limits<double>::infinity()));
    return Loop(kWideLoop * width_, kLoopRatio);
  }

  // Each round is a session of its own; the weights are packed before, as steps planned alone have
  // them.
  Status Loop(int64_t width, double first_limit) {
    FERRY_ASSIGN_OR_RETURN(auto model, LoopModel(width));
    FERRY_ASSIGN_OR_RETURN(auto block, BlockModel(width));
    FERRY_ASSIGN_OR_RETURN(auto alone, Session::Create(block, options_));
    FERRY_ASSIGN_OR_RETURN(Tensor x, Rows(1, width));
    FERRY_ASSIGN_OR_RETURN(Tensor steps, Tensor::Zeros(DType::kI64, Shape()));
    steps.mutable_data<int64_t>()[0] = kLoopSteps;
    const std::vector<NamedTensor> inputs = {{"steps", steps}, {"x", x}};
    double first = std::numeric_limits<double>::max(), later = first;
    for (int round = 0; round < rounds_; ++round) {
      FERRY_ASSIGN_OR_RETURN(auto session, Session::Create(model, options_));
      for (int i = 0; i <= kLoopRuns; ++i) {
        const double start = NowMs();
        FERRY_TRY(session->Execute(inputs));
        double& best = i == 0 ? first : later;
        best = std::min(best, NowMs() - start);
      }
    }
    double sum = 0;
    for (int64_t rows = 1; rows <= kLoopSteps; ++rows) {
      FERRY_ASSIGN_OR_RETURN(const double one, PlannedRun(*alone, rows, width));
      sum += one;
    }
    const auto note = [&](double ms) { return fmt::format("{:.1f} ms of {:.1f}", ms, sum); };
    const auto name = [&](const char* runs) {
      return fmt::format("a loop over {} lengths, {} wide, {}", kLoopSteps, width, runs);
    };
    Add({name("first run"), first / sum, first_limit, "x", note(first)});
    Add({name("later runs"), later / sum, kLoopRatio, "x", note(later)});
    return OkStatus();
  }

  // The worst of 500 runs of random lengths, as a share of what it may take. Each round is a model
  // and a session of its own with the same lengths; of a run the fastest round counts, for what
  // else the machine does hits one round alone.
  template <typename Inputs>
  Status Lengths(const std::string& name,
                 Result<std::shared_ptr<const Model>> (*make)(int64_t width),
                 const Inputs& inputs_of) {
    std::vector<double> took(kRandomRuns, std::numeric_limits<double>::max());
    std::vector<int64_t> lengths;
    std::minstd_rand random(7);
    for (int i = 0; i < kRandomRuns; ++i) {
      lengths.push_back(1 + static_cast<int64_t>(random() % kMaxRows));
    }
    int64_t grown = std::numeric_limits<int64_t>::max();
    for (int round = 0; round < rounds_; ++round) {
      FERRY_ASSIGN_OR_RETURN(auto model, make(width_));
      FERRY_ASSIGN_OR_RETURN(auto session, Session::Create(model, options_));
      int64_t early = 0;
      for (size_t i = 0; i < lengths.size(); ++i) {
        FERRY_ASSIGN_OR_RETURN(std::vector<NamedTensor> inputs, inputs_of(lengths[i]));
        const double start = NowMs();
        FERRY_TRY(session->Execute(inputs));
        took[i] = std::min(took[i], NowMs() - start);
        if (i == lengths.size() / 2) early = Resident();
      }
      grown = std::min(grown, Resident() - early);
    }
    double worst = 0, total = 0, planned_total = 0;
    std::string note;
    for (size_t i = 0; i < lengths.size(); ++i) {
      FERRY_ASSIGN_OR_RETURN(double planned, PlannedBlock(lengths[i]));
      total += took[i];
      planned_total += planned;
      const double share = took[i] / (kRunRatio * planned + kRunMoreMs);
      if (share <= worst) continue;
      worst = share;
      note = fmt::format("run {}: {:.2f} ms for {:.2f}", i, took[i], planned);
    }
    note += fmt::format("; all {:.2f} of planned", total / planned_total);
    Add({name + ": worst of 500 lengths, of what it may take", worst, 1, "x", note});
    Add({name + ": memory, the last 250 lengths", static_cast<double>(grown) / 1e6, kGrownMb, "MB",
         ""});
    return OkStatus();
  }

  Status RandomLengths() {
    return Lengths("one plan", BlockModel, [&](int64_t rows) -> Result<std::vector<NamedTensor>> {
      FERRY_ASSIGN_OR_RETURN(Tensor x, Rows(rows, width_));
      return std::vector<NamedTensor>{{"x", x}};
    });
  }

  Status ChosenRows() {
    return Lengths("parts", ChosenRowsModel, [&](int64_t rows) -> Result<std::vector<NamedTensor>> {
      FERRY_ASSIGN_OR_RETURN(Tensor x, Rows(kMaxRows, width_));
      FERRY_ASSIGN_OR_RETURN(Tensor keep, Tensor::Zeros(DType::kF32, Shape({kMaxRows})));
      std::ranges::fill(keep.mutable_data<float>().first(static_cast<size_t>(rows)), 1.0f);
      return std::vector<NamedTensor>{{"all", x}, {"keep", keep}};
    });
  }

  Status Folding() {
    std::vector<double> times;
    for (int i = 0; i < rounds_; ++i) {
      FERRY_ASSIGN_OR_RETURN(ir::Graph graph, FoldedProduct());
      const double start = NowMs();
      FERRY_TRY(Model::FromGraph(std::move(graph)).status());
      times.push_back(NowMs() - start);
    }
    std::ranges::sort(times);
    Add({"folding a product of 200x256x256", times[0], kFoldMs, "ms", ""});
    return OkStatus();
  }

  Status Sessions() {
    FERRY_ASSIGN_OR_RETURN(auto model, BlockModel(64));
    FERRY_ASSIGN_OR_RETURN(Tensor x, Rows(3, 64));
    int64_t early = 0;
    for (int i = 0; i < kSessions; ++i) {
      FERRY_ASSIGN_OR_RETURN(auto session, Session::Create(model, options_));
      if (i % 16 == 0) FERRY_TRY(session->Execute(std::vector<NamedTensor>{{"x", x}}));
      if (i == kSessions / 10) early = Resident();
    }
    Add({"10,000 sessions: memory grows", static_cast<double>(Resident() - early) / 1e6, kGrownMb,
         "MB", ""});
    return OkStatus();
  }

  const int64_t width_;
  const int rounds_;
  const std::string only_;
  SessionOptions options_;
  std::unique_ptr<Session> block_;
  std::map<int64_t, double> planned_;
};

}  // namespace

void AddCliffCommand(CLI::App& app, CliffArguments& arguments, bool* chosen) {
  CLI::App* command = app.add_subcommand("cliff", "models whose shapes change, with floors");
  command->add_option("--isa", arguments.isa, "of the kernels; default: the fastest");
  command->add_option("--only", arguments.only, "one part")
      ->check(CLI::IsMember({"planning", "loop", "lengths", "parts", "folding", "sessions"}));
  command->add_option("--width", arguments.width, "of the block")->check(CLI::Range(64, 4096));
  command->add_option("--rounds", arguments.rounds, "of each measurement")
      ->check(CLI::Range(1, 1000));
  command->add_flag("--json", arguments.json, "print JSON");
  command->callback([chosen] { *chosen = true; });
}

int RunCliff(const CliffArguments& arguments) {
  Cliff cliff(arguments);
  const Status done = cliff.Run();
  bool holds = done.ok();
  Json rows = Json::array();
  for (const Floor& floor : cliff.floors) {
    const bool ok = floor.value <= floor.limit;
    holds = holds && ok;
    const bool has_limit = std::isfinite(floor.limit);
    rows.push_back({{"name", floor.name},
                    {"value", floor.value},
                    {"limit", has_limit ? Json(floor.limit) : Json()},
                    {"unit", floor.unit},
                    {"note", floor.note},
                    {"holds", ok}});
    if (arguments.json) continue;
    fmt::print("{:<58} {:>8.3f} {:<2} {:<12} {:<5} {}\n", floor.name, floor.value, floor.unit,
               has_limit ? fmt::format("at most {}", floor.limit) : "no floor", ok ? "" : "FAILS",
               floor.note);
  }
  if (arguments.json) fmt::print("{}\n", Json{{"floors", rows}}.dump(2));
  if (!done.ok()) fmt::print(stderr, "ferry-bench cliff: {}\n", done.ToString());
  return holds ? 0 : 1;
}

}  // namespace ferry::bench
