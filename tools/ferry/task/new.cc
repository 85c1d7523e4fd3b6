// ferry task new: a folder with a task that runs.
#include <cctype>

#include "common/base/json.h"
#include "common/sys/filesystem.h"
#include "tools/ferry/task/subcommands.h"

namespace ferry::cli {
namespace {

constexpr char kTaskJson[] = R"({
  "name": "NAME",
  "version": "1.0.0",
  "script": "task.py",
  "entry": "on_trigger",
  "modules": [],
  "trigger": {"sequence": [{"event": "reading"}]},
  "streams": [{"name": "NAME.mean", "source": "NAME.mean", "operators": [], "upload": true}],
  "limits": {"steps": 1000000, "memory_bytes": 16777216, "depth": 100},
  "probe": {"cases": "cases.json", "count": 1},
  "simulation": {"cases": "cases.json"}
}
)";

constexpr char kNewScript[] = R"("""NAME: a reading of a sensor in, the mean of its values out."""
from ferry import events, log, metrics


def mean(values):
    if not values:
        raise ValueError("a reading without values")
    return sum(values) / len(values)


def on_trigger(matched):
    values = matched[-1]["data"]["values"]
    result = {"mean": mean(values), "count": len(values)}
    metrics.count("readings")
    log.debug("reading", count=len(values))
    events.emit("NAME.mean", result)
    return result
)";

constexpr char kCases[] = R"({"cases": [
  {"name": "three", "events": [{"id": "reading", "time_ms": 1000, "data": {"values": [1, 2, 6]}}],
   "expect": {"mean": 3, "count": 3}},
  {"name": "none", "events": [{"id": "reading", "time_ms": 2000, "data": {"values": []}}],
   "error": "a reading without values"}
]}
)";

constexpr char kTests[] =
    R"("""The task's own tests: `ferry task test` runs every function test_*, as does pytest."""
import task


def test_mean():
    assert task.mean([2, 4]) == 3


def test_no_values():
    try:
        task.mean([])
    except ValueError:
        return
    raise AssertionError("an empty reading must raise")
)";

std::string Filled(std::string text, const std::string& name) {
  for (size_t at = 0; (at = text.find("NAME", at)) != std::string::npos; at += name.size())
    text.replace(at, 4, name);
  return text;
}

bool IsName(const std::string& name) {
  if (name.empty() || name.size() > 64 || std::isalpha(static_cast<unsigned char>(name[0])) == 0)
    return false;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '_') return false;
  return true;
}

Result<Output> New(const std::string& folder) {
  const std::string name = folder.substr(folder.find_last_of('/') + 1);
  if (!IsName(name))
    return Status::Of(Code::kInvalidArgument,
                      "\"{}\": a task's name is letters, digits, - and _, a letter first", name);
  sys::FileSystem& fs = sys::SystemFileSystem();
  if (sys::Exists(fs, folder)) return Status::Of(Code::kAlreadyExists, "{} exists", folder);
  FERRY_TRY(fs.MakeDirectories(folder));
  Output out;
  out.json() = {{"task", name}, {"folder", folder}, {"files", Json::array()}};
  for (const auto& [file, text] :
       {std::pair("task.json", kTaskJson), std::pair("task.py", kNewScript),
        std::pair("cases.json", kCases), std::pair("test_task.py", kTests)}) {
    const std::string filled = Filled(text, name);
    FERRY_TRY(sys::WriteFileAtomically(fs, sys::JoinPath(folder, file), AsBytes(filled),
                                       sys::kPublicFile));
    out.json()["files"].push_back(file);
  }
  out.text = fmt::format("{}: a task that runs. Next: ferry task test {}\n", folder, folder);
  return out;
}

}  // namespace

void AddTaskNew(Commands& commands, CLI::App* task) {
  const auto folder = std::make_shared<std::string>();
  CLI::App* command =
      commands.Add(task, "new", "make a task that runs, to begin with", "ferry task new steps",
                   [folder](const GlobalOptions&) { return New(*folder); });
  command->add_option("folder", *folder, "where it goes; its last part is the task's name")
      ->required();
}

}  // namespace ferry::cli
