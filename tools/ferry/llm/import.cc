// ferry llm import: a Hugging Face folder or a GGUF file as one Ferry model file.
#include <map>

#include "common/base/bytes.h"
#include "common/base/json.h"
#include "common/sys/filesystem.h"
#include "device-runtime/llm/file/writer.h"
#include "device-runtime/llm/load/parts.h"
#include "device-runtime/llm/tokenizer/tokenizer.h"
#include "tools/ferry/llm/compare.h"
#include "tools/ferry/llm/model_options.h"
#include "tools/ferry/llm/subcommands.h"
#include "tools/ferry/progress.h"

namespace ferry::cli {
namespace {

constexpr int64_t kCompareWindows = 20;
constexpr const char* kDefaultType = "int8";

struct ImportRequest {
  ModelOptions model;
  std::string out;
  std::string type;  // empty: int8, or what a quantised model has
  int group = 32;
  bool asymmetric = false;
  std::string embedding, head;
  std::string method = "rtn";
  std::string calibration;  // a text, for awq
  std::string layers_file;
  std::string compare;  // a text; empty: none
  std::string adapter;  // a PEFT folder, for the model; empty: the model itself
  std::string base;     // the model, where it is not named first
};

const std::map<std::string, kernels::WeightType> kRowTypes = {{"int8", kernels::WeightType::kI8},
                                                              {"bf16", kernels::WeightType::kBF16},
                                                              {"f16", kernels::WeightType::kF16},
                                                              {"f32", kernels::WeightType::kF32}};
const std::map<std::string, int> kBits = {{"i8", 8}, {"i4", 4}, {"i3", 3}, {"i2", 2}};

Result<llm::MatrixType> TypeFromName(const ImportRequest& request, const std::string& name) {
  llm::MatrixType type;
  if (const auto rows = kRowTypes.find(name); rows != kRowTypes.end()) {
    type.rows = rows->second;
    return type;
  }
  const auto bits = kBits.find(name);
  if (bits == kBits.end()) {
    return Status::Of(Code::kInvalidArgument,
                      "type \"{}\"; there are i8, i4, i3, i2, int8, bf16, f16 and f32", name);
  }
  kernels::PackedForm form{.bits = bits->second, .group = request.group};
  if (request.asymmetric) form.shift = kernels::PackedShift::kZero;
  type.packed = form;
  return type;
}

// [{"match": "*.mlp.down_proj.weight", "type": "i8"}, ...]
Result<std::vector<llm::StoreRule>> ReadRules(const ImportRequest& request) {
  std::vector<llm::StoreRule> rules;
  if (request.layers_file.empty()) return rules;
  FERRY_ASSIGN_OR_RETURN(
      const Bytes text, sys::ReadFile(sys::SystemFileSystem(), request.layers_file, kMaxJsonBytes));
  FERRY_ASSIGN_OR_RETURN(const Json list,
                         ParseJson(AsText(text)).Context("{}", request.layers_file));
  if (!list.is_array()) {
    return Status::Of(Code::kMalformed, "{}: wanted a list of {{\"match\", \"type\"}}",
                      request.layers_file);
  }
  for (const Json& entry : list) {
    FERRY_ASSIGN_OR_RETURN(const std::string match, GetString(entry, "match"));
    FERRY_ASSIGN_OR_RETURN(const std::string name, GetString(entry, "type"));
    ImportRequest own = request;
    FERRY_ASSIGN_OR_RETURN(const int64_t group, GetIntOr(entry, "group", request.group));
    if (group != 0 && group != 32 && group != 64 && group != 128) {
      return Status::Of(Code::kInvalidArgument, "{}: groups of {}; there are 32, 64, 128 and 0",
                        request.layers_file, group);
    }
    own.group = static_cast<int>(group);
    FERRY_ASSIGN_OR_RETURN(own.asymmetric, GetBoolOr(entry, "asymmetric", request.asymmetric));
    FERRY_ASSIGN_OR_RETURN(const llm::MatrixType type,
                           TypeFromName(own, name).Context("{}", request.layers_file));
    rules.push_back({match, type});
  }
  return rules;
}

Result<llm::StoreOptions> StoreOptionsOf(const ImportRequest& request, const OpenedModel& opened) {
  llm::StoreOptions store;
  store.parallel = opened.parallel.get();
  const bool told = !request.type.empty();
  if (!told && opened.model->quantized()) {
    store.keep = true;
    store.matrices = opened.model->weight_type();
    if (request.embedding.empty() && request.head.empty() && request.layers_file.empty()) {
      return store;
    }
    return Status(Code::kInvalidArgument,
                  "the model is quantised and keeps its values: --embedding, --head and --layers "
                  "want --type");
  }
  FERRY_ASSIGN_OR_RETURN(store.matrices, TypeFromName(request, told ? request.type : kDefaultType));
  // Fewer than 8 bits cost an embedding and a head more than they save.
  const bool few = store.matrices.packed && store.matrices.packed->bits < 8;
  std::string embedding = request.embedding;
  if (embedding.empty() && few) embedding = "i8";
  if (!embedding.empty()) {
    FERRY_ASSIGN_OR_RETURN(store.embedding, TypeFromName(request, embedding));
  }
  if (!request.head.empty()) {
    FERRY_ASSIGN_OR_RETURN(store.head, TypeFromName(request, request.head));
  }
  FERRY_ASSIGN_OR_RETURN(store.method, llm::QuantizeMethodFromName(request.method));
  FERRY_ASSIGN_OR_RETURN(store.rules, ReadRules(request));
  return store;
}

// What awq folds into the model, from the text that --calibration names.
Result<llm::FoldedScales> Calibrate(const ImportRequest& request, const OpenedModel& opened,
                                    const llm::StoreOptions& store) {
  if (request.calibration.empty()) {
    return Status(Code::kInvalidArgument, "--method awq wants --calibration, a text");
  }
  FERRY_ASSIGN_OR_RETURN(const llm::Tokenizer* tokenizer, opened.model->tokenizer());
  FERRY_ASSIGN_OR_RETURN(
      const Bytes bytes,
      sys::ReadFile(sys::SystemFileSystem(), request.calibration, llm::kMaxEncodeBytes));
  FERRY_ASSIGN_OR_RETURN(const std::vector<llm::TokenId> ids,
                         tokenizer->Encode(AsText(bytes)).Context("{}", request.calibration));
  const Working working("calibrating on " + request.calibration);
  return llm::SearchScales(
      *opened.model, ids,
      [&](const llm::TensorSpec& spec) {
        return llm::StoredTypeOf(opened.model->state(), store, spec);
      },
      *opened.parallel);
}

// An adapter of the model as a file that names it by digest.
Result<Output> ImportAdapter(const ImportRequest& request) {
  ModelOptions base = request.model;
  base.exact = true;  // numbers are kept as they are
  FERRY_ASSIGN_OR_RETURN(const OpenedModel opened, OpenModel(base));
  FERRY_ASSIGN_OR_RETURN(
      const std::shared_ptr<const llm::Adapter> adapter,
      llm::Adapter::Load(sys::SystemFileSystem(), request.adapter, opened.model));
  FERRY_ASSIGN_OR_RETURN(const int64_t size,
                         llm::WriteAdapterFile(sys::SystemFileSystem(), *adapter, request.out));
  FERRY_ASSIGN_OR_RETURN(const std::shared_ptr<const llm::Adapter> written,
                         llm::Adapter::Load(sys::SystemFileSystem(), request.out, opened.model));
  Output out;
  out.json() = {{"file", request.out},
                {"bytes", size},
                {"base", ToHex(opened.model->digest())},
                {"digest", ToHex(written->digest())},
                {"tensors", written->changes().size()},
                {"rank", written->rank()},
                {"parameters", written->parameters()}};
  out.text = fmt::format(
      "{} -> {}: {}, {} tensors, rank up to {}, {} parameters\nfor the base {} ({})\ndigest {}\n",
      request.adapter, request.out, SizeText(static_cast<uint64_t>(size)),
      written->changes().size(), written->rank(), written->parameters(), request.model.model,
      ToHex(opened.model->digest()), ToHex(written->digest()));
  return out;
}

Result<Output> Import(ImportRequest request) {
  if (!request.base.empty()) {
    if (request.adapter.empty() || !request.model.model.empty()) {
      return Status(Code::kInvalidArgument,
                    "--base names the model of an --adapter, in place of MODEL");
    }
    request.model.model = request.base;
  }
  if (request.model.model.empty()) return Status(Code::kInvalidArgument, "a model is needed");
  if (!request.adapter.empty()) return ImportAdapter(request);
  FERRY_ASSIGN_OR_RETURN(const OpenedModel opened, OpenModel(request.model));
  FERRY_ASSIGN_OR_RETURN(llm::StoreOptions store, StoreOptionsOf(request, opened));
  llm::FoldedScales folded;
  if (store.method == llm::QuantizeMethod::kAwq) {
    FERRY_ASSIGN_OR_RETURN(folded, Calibrate(request, opened, store));
    store.folded = &folded;
  }
  if (!request.compare.empty()) {
    FERRY_TRY(opened.model->tokenizer().status().Context("--compare"));
  }
  Progress progress("writing " + request.out);
  FERRY_ASSIGN_OR_RETURN(const int64_t size,
                         llm::WriteModelFile(sys::SystemFileSystem(), *opened.model, request.out,
                                             store, [&](int64_t done, int64_t total) {
                                               progress.Show(static_cast<uint64_t>(done),
                                                             static_cast<uint64_t>(total));
                                             }));
  // What was written is what devices will read: its digest comes from the file itself, which is
  // remembered as sound here.
  FERRY_ASSIGN_OR_RETURN(
      const std::shared_ptr<const llm::Model> written,
      llm::Model::Load(sys::SystemFileSystem(), request.out, {.checked = CheckedFolder()}));
  FERRY_TRY(written->Ready().Context("{}", request.out));
  const std::string source = llm::MatrixTypeName(opened.model->weight_type());
  Output out;
  Json& json = out.json();
  json = ModelToJson(*written);
  json["file"] = request.out;
  json["bytes"] = size;
  json["type"] = llm::MatrixTypeName(store.matrices);
  json["source_weights"] = source;
  json["source_weight_bytes"] = opened.model->weight_bytes();
  json["tokenizer"] = written->tokenizer().ok();
  json["chat_template"] = written->chat_template().ok();
  out.text = fmt::format(
      "{} -> {}: {}, {} of {} weights (were {} of {})\n{} parameters, {}tokenizer, {}template\n"
      "digest {}\n",
      request.model.model, request.out, SizeText(static_cast<uint64_t>(size)),
      SizeText(static_cast<uint64_t>(written->weight_bytes())), llm::MatrixTypeName(store.matrices),
      SizeText(static_cast<uint64_t>(opened.model->weight_bytes())), source, written->parameters(),
      written->tokenizer().ok() ? "" : "no ", written->chat_template().ok() ? "" : "no ",
      ToHex(written->digest()));
  if (request.compare.empty()) return out;
  ModelOptions again = request.model;
  again.model = request.out;
  again.family_file.clear();
  FERRY_ASSIGN_OR_RETURN(const OpenedModel stored, OpenModel(again));
  FERRY_ASSIGN_OR_RETURN(const Comparison seen,
                         CompareOnText(opened, stored, request.compare, kCompareWindows));
  json["compare"] = {{"source_perplexity", seen.source_perplexity},
                     {"perplexity", seen.perplexity},
                     {"kl", seen.kl},
                     {"same_top", seen.same_top},
                     {"tokens", seen.tokens}};
  out.text += fmt::format(
      "on {}, {} tokens: perplexity {:.4f}, of the source {:.4f} ({:+.2f} %); KL {:.5f} nats a "
      "token, the same likeliest token {:.1f} %\n",
      request.compare, seen.tokens, seen.perplexity, seen.source_perplexity,
      100 * (seen.perplexity / seen.source_perplexity - 1), seen.kl, 100 * seen.same_top);
  return out;
}

}  // namespace

void AddLlmImport(Commands& commands, CLI::App* group) {
  const auto request = std::make_shared<ImportRequest>();
  CLI::App* import = commands.Add(
      group, "import", "write Ferry's model file: weights, tokenizer and template in one",
      "ferry llm import FOLDER -o model.flm --type i4 --group 32 --method hqq",
      [request](const GlobalOptions&) { return Import(*request); });
  AddModelOptions(import, request->model)->required(false);
  import->add_option("-o,--output", request->out, "the .flm file; .fla of an adapter")->required();
  import
      ->add_option("--adapter", request->adapter,
                   "writes this PEFT folder as an adapter of MODEL in its place")
      ->check(CLI::ExistingPath);
  import->add_option("--base", request->base, "the model of --adapter, in place of MODEL");
  import->add_option(
      "--type", request->type,
      "how matrices are stored: i8, i4, i3 or i2 in groups, int8 (a scale a row), bf16, f16 "
      "or f32; int8 by default, but what is quantised already keeps its values");
  import->add_option("--group", request->group, "columns that share a scale: 32, 64, 128; 0: a row")
      ->check(CLI::IsMember({0, 32, 64, 128}))
      ->capture_default_str();
  import->add_flag("--asymmetric", request->asymmetric, "groups have zero points too");
  import->add_option("--embedding", request->embedding,
                     "another type for the embedding (and a head that is tied to it); i8 where "
                     "--type has fewer bits");
  import->add_option("--head", request->head, "another type for the head");
  import
      ->add_option(
          "--method", request->method,
          "rtn: nearest, with a search of scales; hqq: half-quadratic, slower and closer; awq: rtn "
          "of columns scaled by what they meet in --calibration")
      ->capture_default_str();
  import
      ->add_option("--calibration", request->calibration,
                   "for awq: a UTF-8 text like those to come")
      ->check(CLI::ExistingFile);
  import
      ->add_option("--layers", request->layers_file,
                   "types by name: JSON, [{\"match\": \"*.down_proj.weight\", \"type\": \"i8\"}]")
      ->check(CLI::ExistingFile);
  import
      ->add_option(
          "--compare", request->compare,
          "a UTF-8 text: prints what the file's perplexity on it is beside the source's, and "
          "how far their distributions are apart")
      ->check(CLI::ExistingFile);
}

}  // namespace ferry::cli
