// ferry pack.
#include "tools/ferry/local/pack.h"

#include "common/base/json.h"
#include "tools/ferry/command.h"
#include "tools/ferry/progress.h"

namespace ferry::cli {
namespace {

Result<Output> RunPack(const PackRequest& request) {
  Output out;
  FERRY_ASSIGN_OR_RETURN(out.json(), Pack(request));
  FERRY_ASSIGN_OR_RETURN(const int64_t bytes, GetInt(out.json(), "bytes"));
  FERRY_ASSIGN_OR_RETURN(const std::string name, GetString(out.json(), "package"));
  FERRY_ASSIGN_OR_RETURN(const std::string version, GetString(out.json(), "version"));
  out.text = fmt::format("packed {} {} into {} ({})\n", name, version, request.out,
                         SizeText(static_cast<uint64_t>(bytes)));
  return out;
}

}  // namespace

void AddPackCommand(Commands& commands) {
  const auto request = std::make_shared<PackRequest>();
  CLI::App* pack = commands.Add(nullptr, "pack", "make a package of a task folder or of one model",
                                "ferry pack tasks/digits -o digits-1.0.0.fpk",
                                [request](const GlobalOptions&) { return RunPack(*request); });
  pack->add_option("source", request->source, "a folder with task.json, an .onnx, .fm or .flm file")
      ->required();
  pack->add_option("-o,--output", request->out, "the .fpk file to write")->required();
  pack->add_option("--name", request->name, "name of a model's package");
  pack->add_option("--package-version", request->version, "version of a model's package");
  pack->add_option("--about", request->about,
                   "of a model's package: a JSON file with requires, licence, description");
  pack->add_flag("!--no-source", request->with_source,
                 "leave the source out of compiled scripts: tracebacks show no lines then");
  pack->add_flag("!--no-load", request->load, "do not load the packed task to check it");
}

}  // namespace ferry::cli
