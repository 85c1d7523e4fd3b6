// ferry task backend: what the Python package of sdk/python asks for when it runs a task under
// CPython: triggers, rules, streams and tokens, over lines of JSON on standard input and output.
#include <cstdio>
#include <iostream>

#include "device-runtime/task/rehearse/alone.h"
#include "device-runtime/task/tables/fill_tables.h"
#include "tools/ferry/task/desk_host.h"
#include "tools/ferry/task/packed.h"
#include "tools/ferry/task/subcommands.h"

namespace ferry::cli {
namespace {

constexpr size_t kMaxLineBytes = 256 << 20;

// Objects stay here and go over the line as numbers: {"o": 3}. Numbers that JSON lacks are {"f":
// "inf"}.
constexpr char kScript[] = R"(
from ferry import engine, llm

objects = {}
modules = {"engine": engine, "llm": llm}


def pack(value):
    if value is None or isinstance(value, (bool, int, str)):
        return {"v": value}
    if isinstance(value, float):
        return {"v": value} if value - value == 0 else {"f": repr(value)}
    if isinstance(value, list):
        return {"l": [pack(v) for v in value]}
    if isinstance(value, tuple):
        return {"t": [pack(v) for v in value]}
    if isinstance(value, dict):
        return {"d": [[pack(k), pack(v)] for k, v in value.items()]}
    number = len(objects) + 1
    objects[number] = value
    return {"o": number, "repr": repr(value)}


def unpack(x):
    if "v" in x:
        return x["v"]
    if "f" in x:
        return float(x["f"])
    if "l" in x:
        return [unpack(v) for v in x["l"]]
    if "t" in x:
        return tuple([unpack(v) for v in x["t"]])
    if "d" in x:
        return {unpack(k): unpack(v) for k, v in x["d"]}
    return objects[x["o"]]


def answer(request):
    target = request["on"]
    target = objects[target] if isinstance(target, int) else modules[target]
    op = request["op"]
    if op == "len":
        return {"ok": pack(len(target))}
    if op == "item":
        return {"ok": pack(target[unpack(request["key"])])}
    value = getattr(target, request["name"])
    if op == "get":
        return {"method": True} if callable(value) else {"ok": pack(value)}
    args = [unpack(v) for v in request["args"]]
    kwargs = {k: unpack(v) for k, v in request["kwargs"].items()}
    return {"ok": pack(value(*args, **kwargs))}


def handle(request):
    try:
        return answer(request)
    except Exception as e:
        return {"error": type(e).__name__, "text": str(e)}
)";

class Backend {
 public:
  explicit Backend(std::shared_ptr<const task::Program> program) : host_(std::move(program)) {}

  Status Start() {
    const task::Program& program = host_.program();
    FERRY_ASSIGN_OR_RETURN(flow_, task::Alone::Create({program.spec.flow}));
    FERRY_TRY(
        task::FillTables(*program.package, *program.spec.flow, flow_->store(), host_.NowMs()));
    vm::Isolate::Options options = host_.Options();
    options.limits = vm::Limits::None();
    FERRY_ASSIGN_OR_RETURN(isolate_, vm::Isolate::Create(std::move(options)));
    return isolate_->RunSource(kScript, "backend").status();
  }

  Result<Json> Answer(std::string_view line) {
    FERRY_ASSIGN_OR_RETURN(const Json request, ParseJson(line));
    FERRY_ASSIGN_OR_RETURN(const std::string op, GetString(request, "op"));
    if (op == "event") return OnEvent(request);
    if (op == "emit") return OnRow(request);
    if (op == "end") return OnEnd();
    return isolate_->CallJson("backend", "handle", std::span(&request, 1));
  }

 private:
  // What the functions to run now are given: {"starts":[{"function","argument","time_ms"}],
  // "rows":[[stream, row]] of those that leave for the tunnel or the app}.
  Json Answered(const task::Alone::Happened& happened) const {
    const std::string& entry = host_.program().spec.entry;
    Json starts = Json::array(), rows = Json::array();
    for (const flow::Start& start : happened.starts)
      starts.push_back({{"function", start.function.empty() ? entry : start.function},
                        {"argument", flow::ArgumentOf(start)},
                        {"time_ms", flow::TimeOf(start)}});
    for (const flow::LeavingRow& row : happened.rows)
      if (row.output.upload || row.output.app)
        rows.push_back({row.output.stream, row.output.row.fields});
    return {{"starts", std::move(starts)}, {"rows", std::move(rows)}};
  }

  Result<Json> OnEvent(const Json& request) {
    FERRY_ASSIGN_OR_RETURN(const Json* json, GetObject(request, "event"));
    FERRY_ASSIGN_OR_RETURN(event::Event event, event::EventFromJson(*json));
    if (event.time_ms == 0) event.time_ms = host_.NowMs();
    return Answered(flow_->OnEvent(std::make_shared<const event::Event>(std::move(event))));
  }
  Result<Json> OnRow(const Json& request) {
    FERRY_ASSIGN_OR_RETURN(const std::string source, GetString(request, "source"));
    FERRY_ASSIGN_OR_RETURN(const Json* row, GetObject(request, "row"));
    FERRY_ASSIGN_OR_RETURN(const int64_t time_ms, GetInt(request, "time_ms"));
    FERRY_ASSIGN_OR_RETURN(const auto happened, flow_->Emit(source, {time_ms, *row}));
    return Answered(happened);
  }
  Result<Json> OnEnd() { return Answered(flow_->End()); }

  DeskHost host_;
  std::unique_ptr<task::Alone> flow_;
  std::unique_ptr<vm::Isolate> isolate_;
};

Result<Output> Serve(const std::string& path) {
  FERRY_ASSIGN_OR_RETURN(const PackedTask packed, PackedTask::Make(path));
  FERRY_ASSIGN_OR_RETURN(auto program, packed.Load());
  Backend backend(std::move(program));
  FERRY_TRY(backend.Start());
  for (std::string line; std::getline(std::cin, line);) {
    auto answer = line.size() > kMaxLineBytes
                      ? Result<Json>(Status(Code::kLimitExceeded, "the line is too long"))
                      : backend.Answer(line);
    const Json json = answer.ok()
                          ? *answer
                          : Json{{"error", "RuntimeError"}, {"text", answer.status().ToString()}};
    const std::string text = WriteJson(json) + "\n";
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  }
  return Output();
}

}  // namespace

void AddTaskBackend(Commands& commands, CLI::App* task) {
  const auto path = std::make_shared<std::string>();
  CLI::App* command = commands.Add(
      task, "backend", "serve tasks to the Python package (sdk/python)",
      "ferry task backend tasks/digits", [path](const GlobalOptions&) { return Serve(*path); });
  command->add_option("path", *path, "a task's folder or package")->required();
}

}  // namespace ferry::cli
