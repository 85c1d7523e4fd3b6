// ferry-pipeline-bench: how fast the pipeline is on one core, in processor time where a part does
// not say otherwise.
//
//   ferry-pipeline-bench [PART..] [--rounds N] [--json]
//
// Without a part all run. A figure is the median over rounds. What is measured now is told on
// standard error, figures as they come unless they go into one JSON. Fails when one misses its
// floor.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <string_view>

#include "common/base/json.h"
#include "tools/bench/pipeline/bench.h"

namespace ferry::bench {
namespace {

struct Part {
  std::string_view name;
  Status (*measure)(const Options& options, std::vector<Figure>* out);
};

constexpr Part kParts[] = {
    {"device", MeasureDevice},     {"ipv", MeasureIpv},     {"log", MeasureLog},
    {"realtime", MeasureRealtime}, {"rules", MeasureRules}, {"windows", MeasureWindows},
};

bool Holds(const Figure& figure) {
  if (figure.floor == 0) return true;
  return figure.at_most ? figure.value <= figure.floor : figure.value >= figure.floor;
}

void PrintLine(const Figure& figure) {
  std::printf("%-46s %12.3f %-12s", figure.name.c_str(), figure.value, figure.unit.c_str());
  if (figure.floor != 0)
    std::printf(" at %s %g%s", figure.at_most ? "most" : "least", figure.floor,
                Holds(figure) ? "" : ": MISSED");
  if (figure.aim != 0) std::printf(" (aim %g)", figure.aim);
  std::printf("\n");
}

// All figures as one object.
Json ToJson(const std::vector<Figure>& figures, bool holds) {
  Json out = {{"figures", Json::array()}};
  for (const Figure& figure : figures) {
    Json row = {{"name", figure.name}, {"value", figure.value}, {"unit", figure.unit}};
    if (figure.floor != 0) {
      row[figure.at_most ? "at_most" : "at_least"] = figure.floor;
      row["holds"] = Holds(figure);
    }
    if (figure.aim != 0) row["aim"] = figure.aim;
    out["figures"].push_back(std::move(row));
  }
  out["holds"] = holds;
  return out;
}

int Main(int argc, char** argv) {
  Options options;
  bool json = false;
  std::vector<const Part*> parts;
  for (int k = 1; k < argc; ++k) {
    const std::string_view word = argv[k];
    const auto* part = std::find_if(std::begin(kParts), std::end(kParts),
                                    [word](const Part& one) { return one.name == word; });
    if (part != std::end(kParts)) {
      parts.push_back(part);
    } else if (word == "--json") {
      json = true;
    } else if (word == "--rounds" && k + 1 < argc) {
      const std::string_view count = argv[++k];
      std::from_chars(count.data(), count.data() + count.size(), options.rounds);
    } else {
      std::fprintf(stderr,
                   "usage: tools/dev bench pipeline [PART..] [--rounds N] [--json]\nparts:");
      for (const Part& one : kParts) std::fprintf(stderr, " %s", one.name.data());
      std::fprintf(stderr, "\n");
      return word == "--help" || word == "-h" ? 0 : 2;
    }
  }
  if (parts.empty())
    for (const Part& one : kParts) parts.push_back(&one);
  options.rounds = std::clamp(options.rounds, 1, 1000);
  std::vector<Figure> figures;
  bool holds = true;
  for (const Part* part : parts) {
    std::fprintf(stderr, "measuring %s\n", part->name.data());
    const size_t before = figures.size();
    const Status measured = part->measure(options, &figures);
    for (size_t k = before; k < figures.size(); ++k) {
      holds = holds && Holds(figures[k]);
      if (!json) PrintLine(figures[k]);
    }
    std::fflush(stdout);
    if (measured.ok()) continue;
    std::fprintf(stderr, "%s: %s\n", part->name.data(), measured.ToString().c_str());
    return 1;
  }
  if (json) std::printf("%s\n", WriteJson(ToJson(figures, holds)).c_str());
  return holds ? 0 : 1;
}

}  // namespace

}  // namespace ferry::bench

int main(int argc, char** argv) {
  return ferry::bench::Main(argc, argv);
}
