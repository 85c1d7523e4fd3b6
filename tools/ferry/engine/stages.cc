#include "common/sys/filesystem.h"
#include "device-runtime/engine/engine.h"
#include "device-runtime/formats/onnx.h"
#include "device-runtime/ir/text.h"
#include "device-runtime/passes/graph_pass.h"
#include "device-runtime/passes/lower.h"
#include "device-runtime/passes/program_pass.h"
#include "tools/ferry/engine/commands.h"
#include "tools/ferry/engine/io.h"
#include "tools/ferry/local/models.h"

namespace ferry::cli {
namespace {

constexpr int64_t kShownElements = 16;  // of a constant

template <typename Pass>
bool Has(std::span<const Pass> passes, const std::string& name) {
  return std::ranges::find(passes, name, &Pass::name) != passes.end();
}

// The passes up to `after` ("": all).
template <typename Pass>
std::span<const Pass> Until(std::span<const Pass> passes, const std::string& after) {
  const auto at = std::ranges::find(passes, after, &Pass::name);
  return at == passes.end() ? passes : passes.first(static_cast<size_t>(at - passes.begin()) + 1);
}

// The stage that `after` belongs to where none is named, and an error where it is none of that
// stage's passes.
Result<std::string> StageOf(const StageRequest& request) {
  const bool compiles = Has(passes::CompilePasses(), request.after);
  const bool specializes = Has(passes::SpecializePasses(), request.after);
  const bool lowers = Has(passes::ProgramPasses(), request.after);
  std::string stage = request.stage;
  if (stage.empty()) {
    stage = compiles ? "compiled" : specializes ? "specialized" : lowers ? "program" : "";
  }
  const bool fits = request.after.empty() || (stage == "compiled" && compiles) ||
                    (stage == "specialized" && specializes) || (stage == "program" && lowers);
  if (fits && !stage.empty()) return stage;
  std::string names;
  auto list = [&](const char* of, auto passes) {
    names += fmt::format("\n  {}:", of);
    for (const auto& pass : passes) names += fmt::format(" '{}'", pass.name);
  };
  list("compiled", passes::CompilePasses());
  list("specialized", passes::SpecializePasses());
  list("program", passes::ProgramPasses());
  return Status::Of(Code::kInvalidArgument, "no pass '{}' of stage '{}'; there are{}",
                    request.after, stage, names);
}

// The shapes of a graph's inputs, free dimensions by name or 1.
Result<std::vector<ir::Shape>> ShapesOf(const ir::Graph& graph,
                                        const std::vector<std::string>& texts) {
  FERRY_ASSIGN_OR_RETURN(InputShapes given, ParseInputShapes(texts));
  std::vector<ir::Shape> shapes;
  for (ir::ValueId id : graph.inputs) {
    const ir::Value& value = graph.values[static_cast<size_t>(id)];
    std::vector<int64_t> dims;
    if (auto at = given.find(value.name); at != given.end()) {
      dims = at->second;
      given.erase(at);
    } else if (value.dims) {
      for (const ir::Dim& dim : *value.dims) dims.push_back(dim.extent < 0 ? 1 : dim.extent);
    }
    FERRY_ASSIGN_OR_RETURN(ir::Shape shape, ir::Shape::Make(dims));
    shapes.push_back(shape);
  }
  if (given.empty()) return shapes;
  return Status::Of(Code::kInvalidArgument, "the model has no input '{}'", given.begin()->first);
}

Result<std::string> PlanText(std::shared_ptr<const engine::Model> model,
                             std::span<const ir::Shape> shapes) {
  FERRY_ASSIGN_OR_RETURN(const auto session, engine::Session::Create(std::move(model)));
  FERRY_TRY(session->Resize(shapes));
  const auto& plan = session->plan();
  if (!plan.is_static) {
    return Status(Code::kUnsupported, "types depend on values of the run: there is no one plan");
  }
  return fmt::format("{}# {} steps, {} bytes of activations, {} without reuse\n", plan.text,
                     plan.steps, plan.arena_bytes, plan.unshared_bytes);
}

Result<std::string> StageText(const StageRequest& request, const std::string& stage) {
  const bool is_onnx = request.file.ends_with(".onnx");
  ir::PrintOptions options;
  options.max_elements = kShownElements;
  ir::Graph graph;
  if (is_onnx) {
    FERRY_ASSIGN_OR_RETURN(graph, formats::ImportOnnxFile(sys::SystemFileSystem(), request.file));
    if (stage == "imported") return ir::Print(graph, options);
    const bool part = stage == "compiled";
    FERRY_TRY(passes::RunPasses(graph, Until(passes::CompilePasses(), part ? request.after : "")));
  } else {
    if (stage == "imported" || (stage == "compiled" && !request.after.empty())) {
      return Status::Of(Code::kInvalidArgument, "{} is compiled already", request.file);
    }
    FERRY_ASSIGN_OR_RETURN(const auto model, OpenModel(request.file));
    graph = model->graph();
    if (stage == "plan") {
      FERRY_ASSIGN_OR_RETURN(const auto shapes, ShapesOf(graph, request.shapes));
      return PlanText(model, shapes);
    }
  }
  if (stage == "compiled") return ir::Print(graph, options);
  FERRY_ASSIGN_OR_RETURN(const auto shapes, ShapesOf(graph, request.shapes));
  if (stage == "plan") {
    FERRY_ASSIGN_OR_RETURN(const auto model, OpenModel(request.file));
    return PlanText(model, shapes);
  }
  const bool part = stage == "specialized";
  FERRY_ASSIGN_OR_RETURN(
      graph, passes::Specialize(graph, shapes,
                                Until(passes::SpecializePasses(), part ? request.after : "")));
  if (stage == "specialized") return ir::Print(graph, options);
  FERRY_ASSIGN_OR_RETURN(ir::Program program, passes::Lower(graph));
  for (const auto& pass : Until(passes::ProgramPasses(), request.after)) pass.run(program);
  return ir::Print(program);
}

}  // namespace

Result<Output> ShowStage(const StageRequest& request) {
  if (!request.file.ends_with(".onnx") && !request.file.ends_with(".fm")) {
    return Status::Of(Code::kInvalidArgument, "{} is no model (.onnx, .fm)", request.file);
  }
  FERRY_ASSIGN_OR_RETURN(const std::string stage, StageOf(request));
  Output out;
  auto text = StageText(request, stage);
  if (!text.ok()) return text.status().Context("{}", request.file);
  out.text = *std::move(text);
  Json& json = out.json();
  json = {{"kind", "model"}, {"stage", stage}, {"text", out.text}};
  return out;
}

}  // namespace ferry::cli
