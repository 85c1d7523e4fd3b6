// ferry pack.
#include "common/base/json.h"
#include "tools/ferry/command.h"
#include "tools/ferry/local/git_source.h"
#include "tools/ferry/progress.h"

namespace ferry::cli {
namespace {

struct PackOptions {
  PackRequest request;
  GitSource git;
};

Result<Output> RunPack(const PackOptions& options) {
  const PackRequest& request = options.request;
  Output out;
  FERRY_ASSIGN_OR_RETURN(out.json(),
                         options.git.given() ? PackTag(options.git, request) : Pack(request));
  FERRY_ASSIGN_OR_RETURN(const int64_t bytes, GetInt(out.json(), "bytes"));
  FERRY_ASSIGN_OR_RETURN(const std::string name, GetString(out.json(), "package"));
  FERRY_ASSIGN_OR_RETURN(const std::string version, GetString(out.json(), "version"));
  out.text = fmt::format("packed {} {} into {} ({})\n", name, version, request.out,
                         SizeText(static_cast<uint64_t>(bytes)));
  FERRY_ASSIGN_OR_RETURN(const Json* git, GetObjectOrNull(out.json(), "git"));
  if (git == nullptr) return out;
  FERRY_ASSIGN_OR_RETURN(const trust::GitOrigin origin, trust::GitOriginFromJson(*git));
  out.text += "  " + trust::OriginText(origin) + "\n";
  return out;
}

}  // namespace

void AddPackCommand(Commands& commands) {
  const auto options = std::make_shared<PackOptions>();
  PackRequest* request = &options->request;
  CLI::App* pack = commands.Add(
      nullptr, "pack", "make a package of a task folder, a tag of a git repository or one model",
      "ferry pack tasks/digits -o digits-1.0.0.fpk",
      [options](const GlobalOptions&) { return RunPack(*options); });
  CLI::Option* source = pack->add_option("source", request->source,
                                         "a folder with task.json, an .onnx, .fm or .flm file");
  pack->add_option("-o,--output", request->out, "the .fpk file to write")->required();
  CLI::Option* git = AddGitOptions(pack, &options->git)->excludes(source);
  pack->add_option("--name", request->name, "name of a model's package");
  pack->add_option("--package-version", request->version, "version of a model's package");
  pack->add_option("--about", request->about,
                   "of a model's package: a JSON file with requires, licence, description");
  pack->add_flag_callback(
      "--no-source", [request] { request->with_source = false; },
      "leave the source out of compiled scripts: tracebacks show no lines then");
  pack->add_flag_callback(
      "--no-load", [request] { request->load = false; }, "do not load the packed task to check it");
  pack->callback([source, git, &commands, options] {
    if (source->empty() && git->empty())
      throw CLI::RequiredError("a folder, a model, or --git and --tag");
    commands.Choose([options](const GlobalOptions&) { return RunPack(*options); });
  });
}

}  // namespace ferry::cli
