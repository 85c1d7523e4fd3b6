#include "tools/ferry/llm/model_options.h"

#include <cstdio>

#include "common/base/bytes.h"
#include "common/base/json.h"
#include "common/sys/filesystem.h"
#include "device-runtime/llm/arch/describe/family.h"
#include "tools/ferry/progress.h"

namespace ferry::cli {
namespace {

constexpr int64_t kMaxKvMb = int64_t{1} << 30;  // a petabyte: far from overflow in bytes

Result<kernels::Isa> IsaOf(const ModelOptions& options) {
  if (options.isa.empty()) return kernels::ChooseIsa();
  FERRY_ASSIGN_OR_RETURN(const kernels::Isa isa, kernels::IsaFromName(options.isa.c_str()));
  if (!kernels::IsaRuns(isa))
    return Status::Of(Code::kUnsupported, "--isa: this processor does not run {}", options.isa);
  return isa;
}

}  // namespace

void AddRunOptions(CLI::App* command, ModelOptions& options) {
  command
      ->add_option("--threads", options.threads,
                   "threads to compute on; one a core (or FERRY_THREADS) by default")
      ->check(CLI::Range(1, kMaxThreads));
  command->add_option("--isa", options.isa,
                      "reference, avx2 or avx512; FERRY_ISA or the fastest by default");
  command->add_option("--kv-mb", options.kv_mb, "most memory for keys and values, in MiB")
      ->check(CLI::Range(int64_t{1}, kMaxKvMb))
      ->capture_default_str();
}

void AddModelOptions(CLI::App* command, ModelOptions& options) {
  command->add_option("model", options.model, "a Hugging Face folder, a GGUF or a .flm file")
      ->required();
  command
      ->add_option("--arch", options.family_file,
                   "a family's text or a description, for a folder of a model_type that Ferry does "
                   "not know")
      ->check(CLI::ExistingFile);
  command->add_flag("--exact", options.exact,
                    "float32 arithmetic on the stored values, in place of rows of 8 bits");
  AddRunOptions(command, options);
}

Result<OpenedModel> OpenModel(const ModelOptions& options) {
  const Working working("reading " + options.model);
  llm::LoadOptions load;
  FERRY_ASSIGN_OR_RETURN(load.isa, IsaOf(options));
  load.exact = options.exact;
  if (!options.family_file.empty()) {
    FERRY_ASSIGN_OR_RETURN(
        const Bytes text,
        sys::ReadFile(sys::SystemFileSystem(), options.family_file, llm::kMaxFamilyBytes));
    load.family = AsText(text);
  }
  OpenedModel opened;
  FERRY_ASSIGN_OR_RETURN(opened.model,
                         llm::Model::Load(sys::SystemFileSystem(), options.model, load));
  opened.parallel = sys::StartThreadPool(options.threads);
  opened.kv_bytes = options.kv_mb << 20;
  return opened;
}

const llm::ChatTemplate* TemplateOf(const llm::Model& model) {
  const Result<const llm::ChatTemplate*> chat = model.chat_template();
  if (!chat.ok() && chat.code() != Code::kFailedPrecondition)
    std::fprintf(stderr, "warning: the chat template cannot be used: %s\n",
                 chat.status().ToString().c_str());
  return chat.value_or(nullptr);
}

Result<std::unique_ptr<llm::Session>> NewSession(const OpenedModel& opened) {
  llm::SessionOptions session;
  session.kv_bytes = opened.kv_bytes;
  session.parallel = opened.parallel.get();
  session.share_prefixes = false;
  return llm::Session::Create(opened.model, session);
}

Json ModelToJson(const llm::Model& model) {
  const llm::ModelConfig& config = model.config();
  return {{"architecture", config.architecture},
          {"vocabulary", config.vocabulary},
          {"context", config.context},
          {"parameters", model.parameters()},
          {"weights", llm::MatrixTypeName(model.weight_type())},
          {"weight_bytes", model.weight_bytes()},
          {"digest", ToHex(model.digest())}};
}

Status AddMachine(const ModelOptions& options, const OpenedModel& opened, Json* to) {
  FERRY_ASSIGN_OR_RETURN(const kernels::Isa isa, IsaOf(options));
  (*to)["isa"] = kernels::IsaName(isa);
  (*to)["threads"] = opened.parallel->width();
  return OkStatus();
}

}  // namespace ferry::cli
