// Windows: rows of 1,000 keys, one a millisecond, through keyed windows of each
// kind. Figures are rows a second of one core, in processor time, the rows out included.
#include <random>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "pipeline/event/event.h"
#include "pipeline/graph/graph.h"
#include "tools/bench/pipeline/bench.h"

namespace ferry::bench {
namespace {

constexpr size_t kWindowRows = 200'000, kWindowKeys = 1'000;
constexpr size_t kRowsAtOnce = 200;  // that are made, then pushed: as fresh as from a parser
constexpr double kWindowFloor = 2.5e6, kWindowAim = 5e6;

struct WindowCase {
  const char* name;
  const char* operators;
  bool judged;  // by the floor; else told only
};

constexpr char kFive[] = R"("aggregates":[{"op":"count","as":"n"},
  {"op":"sum","field":"value","as":"sum"},{"op":"mean","field":"value","as":"mean"},
  {"op":"min","field":"value","as":"min"},{"op":"max","field":"value","as":"max"}])";

constexpr WindowCase kWindowCases[] = {
    {"tumbling, count and mean",
     R"([{"op":"window","size_ms":10000,"key":["user"],"aggregates":[{"op":"count","as":"n"},
       {"op":"mean","field":"value","as":"mean"}]}])",
     true},
    {"tumbling, five aggregates", R"([{"op":"window","size_ms":10000,"key":["user"],FIVE}])", true},
    {"tumbling, two keys",
     R"([{"op":"window","size_ms":10000,"key":["user","kind"],"aggregates":[{"op":"count","as":"n"},
       {"op":"sum","field":"value","as":"sum"}]}])",
     false},
    {"sliding, 6 slices",
     R"([{"op":"window","kind":"sliding","size_ms":60000,"step_ms":10000,"key":["user"],
       "aggregates":[{"op":"count","as":"n"},{"op":"max","field":"value","as":"max"}]}])",
     true},
    {"session",
     R"([{"op":"window","kind":"session","gap_ms":2500,"key":["user"],
       "aggregates":[{"op":"count","as":"n"}]}])",
     false},
    {"count",
     R"([{"op":"window","kind":"count","size":10,"key":["user"],
       "aggregates":[{"op":"count","as":"n"}]}])",
     false},
    {"filter, then tumbling",
     R"([{"op":"filter","where":"value > 0"},{"op":"window","size_ms":10000,"key":["user"],
       "aggregates":[{"op":"count","as":"n"}]}])",
     false},
};

// The rows, the same each time, a few at a time.
class WindowRows {
 public:
  const std::vector<event::Row>& Next() {
    rows_.assign(kRowsAtOnce, {});
    for (event::Row& row : rows_) {
      row.time_ms = made_++;
      row.fields["user"] = "user_" + std::to_string(random_() % kWindowKeys);
      row.fields["kind"] = random_() % 4;
      row.fields["value"] = static_cast<double>(random_() % 1'000'000) / 997.0;
      row.fields["item"] = random_() % 100'000;
    }
    return rows_;
  }

 private:
  std::mt19937_64 random_{7};
  std::vector<event::Row> rows_;
  int64_t made_ = 0;
};

Result<double> RowsASecond(const Json& operators) {
  const Json spec = {{{"name", "w"}, {"source", "r"}, {"operators", operators}}};
  FERRY_ASSIGN_OR_RETURN(const auto graph, graph::Graph::Build(spec));
  std::vector<graph::Output> out;
  WindowRows source;
  double seconds = 0;
  for (size_t k = 0; k < kWindowRows; k += kRowsAtOnce) {
    const std::vector<event::Row>& rows = source.Next();
    const double start = ProcessorSeconds();
    for (const event::Row& row : rows) {
      FERRY_TRY(graph->Push("r", row, 0, &out));
      if (out.size() > kWindowKeys) out.clear();
    }
    seconds += ProcessorSeconds() - start;
  }
  const double start = ProcessorSeconds();
  graph->Flush(&out);
  seconds += ProcessorSeconds() - start;
  return static_cast<double>(kWindowRows) / seconds;
}

}  // namespace

Status MeasureWindows(const Options& options, std::vector<Figure>* out) {
  constexpr size_t kCases = std::size(kWindowCases);
  std::vector<std::vector<double>> figures(kCases);
  for (int round = -1; round < options.rounds; ++round) {  // the first warms up
    for (size_t k = 0; k < kCases; ++k) {
      std::string text = kWindowCases[k].operators;
      if (const size_t at = text.find("FIVE"); at != text.npos) text.replace(at, 4, kFive);
      FERRY_ASSIGN_OR_RETURN(const Json operators, ParseJson(text));
      FERRY_ASSIGN_OR_RETURN(const double speed, RowsASecond(operators));
      if (round >= 0) figures[k].push_back(speed);
    }
  }
  for (size_t k = 0; k < kCases; ++k) {
    Figure figure{std::string("windows: ") + kWindowCases[k].name, MedianOf(figures[k]), "rows/s"};
    if (kWindowCases[k].judged) {
      figure.floor = kWindowFloor;
      figure.aim = kWindowAim;
    }
    out->push_back(std::move(figure));
  }
  return OkStatus();
}

}  // namespace ferry::bench
