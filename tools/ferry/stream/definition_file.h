// Rules and streams from the files that the commands below `ferry stream` take.
#pragma once

#include <memory>
#include <string>

#include "pipeline/flow/definition.h"

namespace ferry::cli {

// `rules`: {"rules":[..]}, a list of rules, or their text form; `streams`: a list of streams as in
// task.json, or an object with "streams" and "tables". Either may be empty, not both. Errors name
// the file, and line and column of the text form.
Result<flow::Definition> ReadDefinition(const std::string& rules, const std::string& streams);

// One file that says by itself what it is: a task's folder or package (what its script declares
// too), task.json, rules, or streams.
Result<flow::Definition> ReadAnyDefinition(const std::string& path);

// A task's folder or package. Rules name its streams NAME/STREAM.
struct NamedTask {
  std::string name;
  std::shared_ptr<const flow::Definition> definition;
};
Result<NamedTask> ReadNamedTask(const std::string& path);

// A file's text. kLimitExceeded above kMaxJsonBytes.
Result<std::string> ReadDefinitionText(const std::string& path);

}  // namespace ferry::cli
