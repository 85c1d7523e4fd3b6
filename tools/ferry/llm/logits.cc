// ferry llm logits: the logits of every position of a sequence, as a NumPy file.
#include <algorithm>

#include "common/base/json.h"
#include "common/sys/filesystem.h"
#include "device-runtime/tensor/buffer.h"
#include "tools/ferry/llm/model_options.h"
#include "tools/ferry/llm/npy.h"
#include "tools/ferry/llm/prompt_options.h"
#include "tools/ferry/llm/subcommands.h"
#include "tools/ferry/progress.h"

namespace ferry::cli {
namespace {

constexpr int64_t kRowsAtOnce = 64;  // of logits in memory

struct LogitsRequest {
  ModelOptions model;
  PromptOptions prompt;
  std::string out, image, mel;
  int64_t chunk = kRowsAtOnce;
};

// What a family that sees or hears would take. There is none yet: every description reads tokens.
Status CheckSenses(const LogitsRequest& request) {
  if (request.image.empty() && request.mel.empty()) return OkStatus();
  const bool sees = !request.image.empty();
  return Status::Of(Code::kUnsupported, "{}: {} takes text alone, as every family here: no {}",
                    sees ? "--image-npy" : "--mel-npy", request.model.model,
                    sees ? "images" : "sound");
}

Result<Output> Logits(const LogitsRequest& request) {
  FERRY_TRY(CheckSenses(request));
  FERRY_ASSIGN_OR_RETURN(const OpenedModel opened, OpenModel(request.model));
  FERRY_ASSIGN_OR_RETURN(const std::vector<llm::TokenId> ids,
                         ReadPrompt(request.prompt, *opened.model));
  FERRY_ASSIGN_OR_RETURN(const std::unique_ptr<llm::Session> session, NewSession(opened, "", true));
  const auto rows = static_cast<int64_t>(ids.size());
  const int64_t outputs = opened.model->config().outputs;
  // An encoder reads all of a text in one pass.
  const int64_t chunk = opened.model->config().encoder ? rows : request.chunk;
  FERRY_ASSIGN_OR_RETURN(const std::unique_ptr<NpyWriter> file,
                         NpyWriter::Create(sys::SystemFileSystem(), request.out, rows, outputs));
  FERRY_ASSIGN_OR_RETURN(const tensor::Buffer buffer,
                         tensor::Buffer::Allocate(std::min(rows, chunk) * outputs *
                                                  static_cast<int64_t>(sizeof(float))));
  auto* const values = reinterpret_cast<float*>(buffer.data());
  Progress progress("computing logits");
  for (int64_t row = 0; row < rows; row += chunk) {
    const int64_t count = std::min(chunk, rows - row);
    const std::span<float> piece(values, static_cast<size_t>(count * outputs));
    FERRY_TRY(session->AppendWithLogits(
        std::span(ids).subspan(static_cast<size_t>(row), static_cast<size_t>(count)), piece));
    FERRY_TRY(file->Append(piece));
    progress.Say(fmt::format("{} of {} tokens", row + count, rows));
  }
  FERRY_TRY(file->Finish());
  Output out;
  Json& json = out.json();
  json = {{"file", request.out}, {"shape", {rows, outputs}}, {"dtype", "float32"}};
  out.text = fmt::format("{}: logits of {} tokens, {} each\n", request.out, rows, outputs);
  return out;
}

}  // namespace

void AddLlmLogits(Commands& commands, CLI::App* group) {
  const auto request = std::make_shared<LogitsRequest>();
  CLI::App* logits = commands.Add(group, "logits", "write the logits of every position",
                                  "ferry llm logits MODEL --ids 1,2,3 --out logits.npy",
                                  [request](const GlobalOptions&) { return Logits(*request); });
  AddModelOptions(logits, request->model);
  AddLoraOption(logits, request->model);
  AddPromptOptions(logits, request->prompt);
  logits
      ->add_option("--out", request->out,
                   "the .npy file: float32 [tokens, vocabulary], of an encoder [tokens, outputs]")
      ->required();
  logits->add_option("--image-npy", request->image,
                     "an image for a family that sees: none does yet, so it is refused");
  logits->add_option("--mel-npy", request->mel,
                     "a log-mel spectrogram for a family that hears: refused likewise");
  logits
      ->add_option("--chunk", request->chunk, "tokens read together; changes no bit of the result")
      ->check(CLI::Range(int64_t{1}, llm::kMaxChunkTokens))
      ->capture_default_str();
}

}  // namespace ferry::cli
