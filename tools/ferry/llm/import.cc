// ferry llm import: a Hugging Face folder as one Ferry model file.
#include "common/base/bytes.h"
#include "common/base/json.h"
#include "common/sys/filesystem.h"
#include "device-runtime/llm/file/writer.h"
#include "tools/ferry/llm/model_options.h"
#include "tools/ferry/llm/subcommands.h"
#include "tools/ferry/progress.h"

namespace ferry::cli {
namespace {

struct ImportRequest {
  ModelOptions model;
  std::string out;
  kernels::WeightType type = kernels::WeightType::kI8;
};

Result<Output> Import(const ImportRequest& request) {
  FERRY_ASSIGN_OR_RETURN(const OpenedModel opened, OpenModel(request.model));
  Progress progress("writing " + request.out);
  FERRY_ASSIGN_OR_RETURN(const int64_t size,
                         llm::WriteModelFile(sys::SystemFileSystem(), *opened.model, request.out,
                                             request.type, [&](int64_t done, int64_t total) {
                                               progress.Show(static_cast<uint64_t>(done),
                                                             static_cast<uint64_t>(total));
                                             }));
  // What was written is what devices will read: its digest comes from the file itself.
  FERRY_ASSIGN_OR_RETURN(const std::shared_ptr<const llm::Model> written,
                         llm::Model::Load(sys::SystemFileSystem(), request.out));
  Output out;
  Json& json = out.json();
  json = ModelToJson(*written);
  json["file"] = request.out;
  json["bytes"] = size;
  json["source_weights"] = WeightTypeName(opened.model->weight_type());
  json["source_weight_bytes"] = opened.model->weight_bytes();
  json["tokenizer"] = written->tokenizer().ok();
  json["chat_template"] = written->chat_template().ok();
  out.text = fmt::format(
      "{} -> {}: {}, {} of {} weights (were {} of {})\n{} parameters, {}tokenizer, {}template\n"
      "digest {}\n",
      request.model.model, request.out, SizeText(static_cast<uint64_t>(size)),
      SizeText(static_cast<uint64_t>(written->weight_bytes())), WeightTypeName(request.type),
      SizeText(static_cast<uint64_t>(opened.model->weight_bytes())),
      WeightTypeName(opened.model->weight_type()), written->parameters(),
      written->tokenizer().ok() ? "" : "no ", written->chat_template().ok() ? "" : "no ",
      ToHex(written->digest()));
  return out;
}

}  // namespace

void AddLlmImport(Commands& commands, CLI::App* group) {
  const auto request = std::make_shared<ImportRequest>();
  CLI::App* import = commands.Add(
      group, "import", "write Ferry's model file: weights, tokenizer and template in one",
      "ferry llm import FOLDER -o model.flm --type int8",
      [request](const GlobalOptions&) { return Import(*request); });
  AddModelOptions(import, request->model);
  import->add_option("-o,--output", request->out, "the .flm file")->required();
  const std::map<std::string, kernels::WeightType> types = {{"int8", kernels::WeightType::kI8},
                                                            {"bf16", kernels::WeightType::kBF16},
                                                            {"f32", kernels::WeightType::kF32}};
  import
      ->add_option("--type", request->type,
                   "how large matrices are stored: int8 (the default), bf16 or f32")
      ->transform(CLI::Transformer(types).description("int8|bf16|f32"));
}

}  // namespace ferry::cli
