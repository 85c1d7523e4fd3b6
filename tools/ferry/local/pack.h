// Makes a package of a task folder or of one model.
#pragma once

#include <optional>
#include <string>

#include "common/base/json.h"
#include "common/base/status.h"
#include "common/trust/targets.h"

namespace ferry::cli {

struct PackRequest {
  std::string source;                   // a folder with task.json, or an .onnx, .fm or .flm file
  std::string out;                      // the .fpk
  std::string name;                     // of a model's package; a task's comes from task.json
  std::string version;                  // likewise
  std::string about;                    // of a model: a JSON file; a task's says it in task.json
  bool load = true;                     // load the packed task as a device would
  bool with_source = true;              // compiled scripts carry their source
  std::optional<trust::GitOrigin> git;  // of a task: where `source` comes from; checked
};

inline constexpr uint64_t kMaxTaskJsonBytes = 1 << 20;

// Scripts are compiled (kScriptSyntax names file and line), ONNX models converted (kBadModel,
// kUnsupportedOperator name the node), language models (.flm) taken as they are; every file that
// task.json names must be there. Returns
// {"package","version","file","bytes","files":[..],"models":{name: summary}}.
Result<Json> Pack(const PackRequest& request);

}  // namespace ferry::cli
