// A task in Python's language: script, cases, tests.
#include "tools/ferry/local/project/project.h"

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

Result<ProjectFiles> TaskFiles(const std::string& name) {
  return ProjectFiles{TextFile("task.json", kTaskJson, name), TextFile("task.py", kNewScript, name),
                      TextFile("cases.json", kCases, name), TextFile("test_task.py", kTests, name)};
}

}  // namespace

extern const ProjectKind kTaskPythonProject;
const ProjectKind kTaskPythonProject = {
    .kind = "task", .language = "python", .test = "ferry task test FOLDER", .files = TaskFiles};

}  // namespace ferry::cli
