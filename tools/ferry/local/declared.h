// Rules, streams, tables and classes of fields that a task's script declares with ferry.stream,
// and the functions that they lead to: found by running the script's top level, as a device does
// when it loads the task.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "common/base/bytes.h"
#include "common/base/json.h"
#include "common/base/status.h"
#include "device-runtime/bindings/declarations.h"

namespace ferry::cli {

// What the script finds while it runs.
struct ScriptGround {
  std::string folder;                                 // for messages
  std::string script;                                 // "task.py"
  const std::map<std::string, std::string>* sources;  // of all scripts, by path in the folder
  const std::map<std::string, Bytes>* files;          // of the package, models among them
};

// Whether any of the sources imports ferry.stream.
Result<bool> UsesStreamModule(const ScriptGround& ground);

// Runs the top level within the limits of `task` (task.json with models as the package has them)
// and adds what it declares to the task's "rules", "streams", "tables" and "fields". Nothing that
// it emits, logs or counts goes anywhere. Errors name file and line: kAlreadyExists for a name that
// is there twice, kNotFound for a function that the script does not have, with the nearest one,
// else those of the part or of the script.
Status AddDeclared(const ScriptGround& ground, Json* task);

// `status` with the place of the declaration that it names, if it names one.
class DeclaredPlaces {
 public:
  void Add(const std::string& what, const std::string& name, std::string place);
  Status Locate(const Status& status) const;
  // The place; empty when it is not there.
  std::string Find(const std::string& what, const std::string& name) const;

 private:
  std::map<std::string, std::string> places_;  // by "rule NAME"
};

}  // namespace ferry::cli
