#include "tools/ferry/llm/model_options.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>

#include "common/base/bytes.h"
#include "common/base/json.h"
#include "common/sys/files/scratch_file.h"
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

Status OpenAdapters(const ModelOptions& options, OpenedModel* opened) {
  const std::shared_ptr<const llm::Model>& model = opened->model;
  std::vector<llm::AdapterSet::Part> all, unnamed;
  std::map<std::string, llm::AdapterSet::Part> named;
  for (const std::string& text : options.lora) {
    FERRY_ASSIGN_OR_RETURN(const LoraOption option, ParseLora(text));
    llm::AdapterSet::Part part{.adapter = nullptr, .scale = option.scale};
    FERRY_ASSIGN_OR_RETURN(part.adapter,
                           llm::Adapter::Load(sys::SystemFileSystem(), option.path, model));
    all.push_back(part);
    if (option.name.empty()) {
      unnamed.push_back(std::move(part));
    } else if (!named.emplace(option.name, std::move(part)).second) {
      return Status::Of(Code::kInvalidArgument, "--lora {}: the name is there twice", text);
    }
  }
  for (const auto& [name, part] : named) {
    std::vector<llm::AdapterSet::Part> parts = unnamed;
    parts.push_back(part);
    FERRY_ASSIGN_OR_RETURN(opened->named[name], llm::AdapterSet::Create(model, std::move(parts)));
  }
  FERRY_ASSIGN_OR_RETURN(opened->unnamed, llm::AdapterSet::Create(model, std::move(unnamed)));
  FERRY_ASSIGN_OR_RETURN(opened->adapters, llm::AdapterSet::Create(model, std::move(all)));
  return OkStatus();
}

}  // namespace

std::string CheckedFolder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  std::string folder = variable("XDG_CACHE_HOME");
  if (folder.empty() && !variable("HOME").empty()) folder = variable("HOME") + "/.cache";
  return folder.empty() ? folder : folder + "/ferry/models";
}

void AddRunOptions(CLI::App* command, ModelOptions& options) {
  command
      ->add_option("--threads", options.threads,
                   "threads to compute on; one a core (or FERRY_THREADS) by default")
      ->check(CLI::Range(1, kMaxThreads));
  command->add_option(
      "--isa", options.isa,
      "an instruction set: reference, avx2, avxvnni, avx512, vnni, avx512bf16, amx, "
      "neon, dotprod or i8mm; FERRY_ISA or the fastest by default");
  command->add_option("--kv", options.kv,
                      "how keys and values are kept: f32, f16, q8 or q4; f16 for .flm files by "
                      "default, f32 else and with --exact");
  command
      ->add_option("--memory-mb", options.memory_mb,
                   "most memory for weights, keys and values and all else, in MiB: weights that do "
                   "not fit are read from the file in each pass, keys and values go to --spill")
      ->check(CLI::Range(int64_t{1}, kMaxKvMb));
  command
      ->add_option("--kv-mb", options.kv_mb,
                   "most memory for keys and values, in MiB; by default four texts as long as the "
                   "model reads, at most half of the spare memory")
      ->check(CLI::Range(int64_t{1}, kMaxKvMb));
  command
      ->add_option("--spill", options.spill,
                   "a folder on a disk: keys and values beyond their memory lie there in a file "
                   "that only this process reads and that ends with it; with --memory-mb $TMPDIR "
                   "or /var/tmp by default")
      ->check(CLI::ExistingDirectory);
}

CLI::Option* AddModelOptions(CLI::App* command, ModelOptions& options) {
  CLI::Option* const model =
      command->add_option("model", options.model, "a Hugging Face folder, a GGUF or a .flm file");
  model->required();
  command
      ->add_option("--arch", options.family_file,
                   "a family's text or a description, for a folder of a model_type that Ferry does "
                   "not know")
      ->check(CLI::ExistingFile);
  command->add_flag("--exact", options.exact,
                    "float32 arithmetic on the stored values, in place of rows of 8 bits");
  AddRunOptions(command, options);
  return model;
}

void AddLoraOption(CLI::App* command, ModelOptions& options) {
  command->add_option("--lora", options.lora,
                      "an adapter, [NAME=]PATH[:SCALE]: a PEFT folder or what `ferry llm import "
                      "--adapter` wrote; several are summed; serve gives those with a name to "
                      "calls of that model. With --split also "
                      "PACKAGE:ADAPTER, the draft's");
}

Result<LoraOption> ParseLora(const std::string& text) {
  LoraOption option;
  std::string rest = text;
  if (const size_t equals = rest.find('=');
      equals != std::string::npos && rest.find('/') > equals) {
    option.name = rest.substr(0, equals);
    rest.erase(0, equals + 1);
    if (option.name.empty()) {
      return Status::Of(Code::kInvalidArgument, "--lora {}: the name is empty", text);
    }
  }
  if (const size_t colon = rest.rfind(':'); colon != std::string::npos) {
    const char* const begin = rest.data() + colon + 1;
    const char* const end = rest.data() + rest.size();
    float scale = 0;
    const auto [last, error] = std::from_chars(begin, end, scale);
    if (begin != end && error == std::errc() && last == end) {
      option.scale = scale;
      rest.erase(colon);
    }
  }
  option.path = std::move(rest);
  if (!option.path.empty()) return option;
  return Status::Of(Code::kInvalidArgument, "--lora {}: there is no path", text);
}

Result<OpenedModel> OpenModel(const ModelOptions& options) {
  const Working working("reading " + options.model);
  llm::LoadOptions load;
  FERRY_ASSIGN_OR_RETURN(load.isa, IsaOf(options));
  load.exact = options.exact;
  load.memory_bytes = options.memory_mb << 20;
  load.kv_bytes = options.kv_mb << 20;
  load.spill_folder = options.spill;
  if (options.memory_mb > 0 && options.spill.empty()) load.spill_folder = sys::ScratchFolder();
  load.checked = CheckedFolder();
  if (!options.family_file.empty()) {
    FERRY_ASSIGN_OR_RETURN(
        const Bytes text,
        sys::ReadFile(sys::SystemFileSystem(), options.family_file, llm::kMaxFamilyBytes));
    load.family = AsText(text);
  }
  OpenedModel opened;
  if (!options.kv.empty()) {
    FERRY_ASSIGN_OR_RETURN(opened.kv.type, llm::ParseKvType(options.kv).Context("--kv"));
  }
  FERRY_ASSIGN_OR_RETURN(opened.model,
                         llm::Model::Load(sys::SystemFileSystem(), options.model, load));
  opened.parallel = sys::StartThreadPool(options.threads);
  opened.kv.limit_bytes = options.kv_mb << 20;
  FERRY_TRY(OpenAdapters(options, &opened));
  return opened;
}

const llm::ChatTemplate* TemplateOf(const llm::Model& model) {
  const Result<const llm::ChatTemplate*> chat = model.chat_template();
  if (!chat.ok() && chat.code() != Code::kFailedPrecondition)
    std::fprintf(stderr, "warning: the chat template cannot be used: %s\n",
                 chat.status().ToString().c_str());
  return chat.value_or(nullptr);
}

Result<std::unique_ptr<llm::Session>> NewSession(const OpenedModel& opened,
                                                 const std::string& prefix_cache, bool encodes) {
  llm::SessionOptions session;
  session.kv = opened.kv;
  session.parallel = opened.parallel.get();
  session.share_prefixes = false;
  session.encodes = encodes;
  session.adapters = opened.adapters;
  if (!prefix_cache.empty()) {
    session.prefix_files =
        std::make_shared<llm::PrefixFiles>(sys::SystemFileSystem(), prefix_cache);
  }
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
