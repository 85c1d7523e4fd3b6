// Stages of a release from a file or from flags.
#pragma once

#include <string>
#include <vector>

#include "common/base/json.h"

namespace ferry::cli {

struct StageFlags {
  std::string file;               // JSON: an array of stages, or {"stages": [...]}
  std::vector<std::string> beta;  // rules, each a stage
  std::vector<double> gray;       // percentages, growing
  double min_healthy_s = -1;      // of each stage after the simulation; negative: the default
  int64_t min_reports = -1;
  bool no_simulation = false;
};

// An array of stages as policy/stage reads them; null when nothing was asked for (the server's
// default). The form is checked here, so that a wrong stage is found before anything is sent.
Result<Json> StagesFrom(const StageFlags& flags);

// A small JSON file; kNotFound, kMalformed name it.
Result<Json> JsonFile(const std::string& path);

}  // namespace ferry::cli
