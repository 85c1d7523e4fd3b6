// ferry llm bench: how fast a model reads and writes on this machine.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>

#include "common/base/json.h"
#include "common/sys/clock.h"
#include "common/sys/memory.h"
#include "device-runtime/tensor/buffer.h"
#include "tools/ferry/llm/model_options.h"
#include "tools/ferry/llm/subcommands.h"
#include "tools/ferry/progress.h"

namespace ferry::cli {
namespace {

struct SpeedRequest {
  ModelOptions model;
  int64_t prompt = 128;
  int64_t generate = 64;
  int rounds = 3;
};

constexpr int kMaxRounds = 1000;
constexpr int kPassRounds = 5;
constexpr int64_t kPassSizes[] = {1, 2, 4, 8, 16, 32};

double SecondsSince(int64_t start_ns) {
  return static_cast<double>(sys::SystemClock().MonotonicNs() - start_ns) / 1e9;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

int64_t PeakBytes() {
  rusage usage{};
  return ::getrusage(RUSAGE_SELF, &usage) == 0 ? int64_t{usage.ru_maxrss} * 1024 : 0;
}

// Ids spread over the vocabulary; which ones they are does not change the work.
std::vector<llm::TokenId> SomeTokens(int64_t count, int64_t vocabulary) {
  std::vector<llm::TokenId> ids;
  for (int64_t i = 0; i < count; ++i)
    ids.push_back(static_cast<llm::TokenId>((i * 7919 + 17) % vocabulary));
  return ids;
}

// Greedy steps behind what the session holds.
Status Decode(llm::Session& session, int64_t steps) {
  for (int64_t i = 0; i < steps; ++i) {
    FERRY_ASSIGN_OR_RETURN(const std::span<const float> logits, session.logits());
    const auto best = std::max_element(logits.begin(), logits.end()) - logits.begin();
    const auto next = static_cast<llm::TokenId>(best);
    FERRY_TRY(session.Append(std::span(&next, 1)));
  }
  return OkStatus();
}

struct Speeds {
  std::vector<double> prefill_s;
  std::vector<double> decode_s;
  int64_t anonymous_bytes = 0;  // the most, seen behind each step
};

Result<Speeds> MeasureRounds(const SpeedRequest& request, llm::Session& session,
                             std::span<const llm::TokenId> prompt) {
  Speeds speeds;
  Progress progress("measuring");
  for (int round = 0; round <= request.rounds; ++round) {
    session.Truncate(0);
    int64_t start = sys::SystemClock().MonotonicNs();
    FERRY_TRY(session.Append(prompt));
    const double prefill = SecondsSince(start);
    start = sys::SystemClock().MonotonicNs();
    FERRY_TRY(Decode(session, request.generate));
    // The first round reads the weights from the disk.
    if (round > 0) {
      speeds.prefill_s.push_back(prefill);
      speeds.decode_s.push_back(SecondsSince(start));
    }
    speeds.anonymous_bytes = std::max(speeds.anonymous_bytes, sys::AnonymousMemory());
    progress.Say(fmt::format("round {} of {}", round, request.rounds));
  }
  return speeds;
}

// Milliseconds of one pass of n tokens, all with logits, behind the prompt: what verifying costs.
Result<Json> MeasurePasses(llm::Session& session, std::span<const llm::TokenId> prompt) {
  const llm::ModelConfig& config = session.model().config();
  const int64_t largest = *std::max_element(std::begin(kPassSizes), std::end(kPassSizes));
  const std::vector<llm::TokenId> tokens = SomeTokens(largest, config.vocabulary);
  FERRY_ASSIGN_OR_RETURN(
      const tensor::Buffer buffer,
      tensor::Buffer::Allocate(largest * config.vocabulary * static_cast<int64_t>(sizeof(float))));
  auto* const logits = reinterpret_cast<float*>(buffer.data());
  session.Truncate(0);
  FERRY_TRY(session.Append(prompt));
  Json passes = Json::object();
  for (const int64_t size : kPassSizes) {
    if (session.length() + size > config.context) break;
    std::vector<double> times_ms;
    for (int round = 0; round < kPassRounds; ++round) {
      const int64_t start = sys::SystemClock().MonotonicNs();
      FERRY_TRY(session.AppendWithLogits(
          std::span(tokens).first(static_cast<size_t>(size)),
          std::span(logits, static_cast<size_t>(size * config.vocabulary))));
      times_ms.push_back(SecondsSince(start) * 1e3);
      session.Truncate(static_cast<int64_t>(prompt.size()));
    }
    passes[fmt::format("{}", size)] = Median(std::move(times_ms));
  }
  return passes;
}

// What a step takes with adapters and without, in turns so that whatever else the machine does
// meets both: {"with_ms", "without_ms", "cost"}, medians and the share by which steps are longer.
Result<Json> MeasureAdapters(const OpenedModel& opened, llm::Session& with,
                             std::span<const llm::TokenId> prompt, int64_t steps) {
  llm::SessionOptions options;
  options.kv = opened.kv;
  options.parallel = opened.parallel.get();
  options.share_prefixes = false;
  FERRY_ASSIGN_OR_RETURN(const std::unique_ptr<llm::Session> without,
                         llm::Session::Create(opened.model, options));
  with.Truncate(0);
  std::vector<double> times_ms[2];
  llm::Session* const sessions[] = {&with, without.get()};
  for (llm::Session* session : sessions) FERRY_TRY(session->Append(prompt));
  for (int64_t i = 0; i < 2 * steps; ++i) {
    const auto which = static_cast<size_t>(i % 2);
    const int64_t start = sys::SystemClock().MonotonicNs();
    FERRY_TRY(Decode(*sessions[which], 1));
    times_ms[which].push_back(SecondsSince(start) * 1e3);
  }
  const double with_ms = Median(std::move(times_ms[0]));
  const double without_ms = Median(std::move(times_ms[1]));
  return Json{{"with_ms", with_ms}, {"without_ms", without_ms}, {"cost", with_ms / without_ms - 1}};
}

std::string Text(const Json& shown, const std::string& model) {
  std::string text = fmt::format(
      "{} ({}, {:.1f} M parameters) on {} threads, {}\n"
      "prefill {:8.1f} tokens/s\ndecode  {:8.1f} tokens/s ({:.2f} GB/s of weights)\n"
      "peak memory {}\n",
      model, shown.value("weights", ""), static_cast<double>(shown.value("parameters", 0)) / 1e6,
      shown.value("threads", 0), shown.value("isa", ""), shown.value("prefill_tokens_per_s", 0.0),
      shown.value("tokens_per_s", 0.0), shown.value("weights_gb_per_s", 0.0),
      SizeText(static_cast<uint64_t>(shown.value("peak_bytes", int64_t{0}))));
  for (const int64_t size : kPassSizes) {
    const auto pass = shown["pass_ms"].find(fmt::format("{}", size));
    if (pass == shown["pass_ms"].end()) continue;
    text += fmt::format("a pass of {:2} tokens {:8.2f} ms\n", size, pass->get<double>());
  }
  if (const auto step = shown.find("adapter_step"); step != shown.end()) {
    text += fmt::format("a step {:.2f} ms with adapters, {:.2f} ms without: {:+.1f} %\n",
                        step->value("with_ms", 0.0), step->value("without_ms", 0.0),
                        100 * step->value("cost", 0.0));
  }
  return text;
}

Result<Output> Bench(const SpeedRequest& request) {
  FERRY_ASSIGN_OR_RETURN(const OpenedModel opened, OpenModel(request.model));
  const llm::Model& model = *opened.model;
  FERRY_ASSIGN_OR_RETURN(const std::unique_ptr<llm::Session> session, NewSession(opened));
  const std::vector<llm::TokenId> prompt = SomeTokens(request.prompt, model.config().vocabulary);
  FERRY_TRY(model.CheckTokens(prompt, request.generate).Context("--prompt and --gen"));
  FERRY_ASSIGN_OR_RETURN(const Speeds speeds, MeasureRounds(request, *session, prompt));
  Output out;
  out.json() = ModelToJson(model);
  FERRY_TRY(AddMachine(request.model, opened, &out.json()));
  const double decode = static_cast<double>(request.generate) / Median(speeds.decode_s);
  if (opened.adapters != nullptr) {
    Json list = Json::array();
    for (const llm::AdapterSet::Part& part : opened.adapters->parts()) {
      list.push_back({{"rank", part.adapter->rank()},
                      {"parameters", part.adapter->parameters()},
                      {"bytes", part.adapter->bytes()}});
    }
    out.json()["adapters"] = std::move(list);
  }
  out.json()["prompt"] = request.prompt;
  out.json()["gen"] = request.generate;
  out.json()["rounds"] = request.rounds;
  out.json()["prefill_tokens_per_s"] =
      static_cast<double>(request.prompt) / Median(speeds.prefill_s);
  out.json()["decode_tokens_per_s"] = decode;
  out.json()["tokens_per_s"] = decode;
  out.json()["weights_gb_per_s"] = decode * static_cast<double>(model.weight_bytes()) / 1e9;
  FERRY_ASSIGN_OR_RETURN(out.json()["pass_ms"], MeasurePasses(*session, prompt));
  if (opened.adapters != nullptr) {
    FERRY_ASSIGN_OR_RETURN(out.json()["adapter_step"],
                           MeasureAdapters(opened, *session, prompt, request.generate));
  }
  out.json()["peak_bytes"] = PeakBytes();
  out.json()["peak_anon_bytes"] = std::max(speeds.anonymous_bytes, sys::AnonymousMemory());
  out.text = Text(out.json(), request.model.model);
  return out;
}

}  // namespace

void AddLlmBench(Commands& commands, CLI::App* group) {
  const auto request = std::make_shared<SpeedRequest>();
  CLI::App* bench = commands.Add(group, "bench", "measure reading and writing speed",
                                 "ferry llm bench MODEL --threads 2 --prompt 128 --gen 64",
                                 [request](const GlobalOptions&) { return Bench(*request); });
  AddModelOptions(bench, request->model);
  AddLoraOption(bench, request->model);
  bench->add_option("--prompt", request->prompt, "tokens read at once")
      ->check(CLI::Range(int64_t{1}, llm::kMaxContext))
      ->capture_default_str();
  bench->add_option("--gen", request->generate, "tokens written one by one")
      ->check(CLI::Range(int64_t{1}, llm::kMaxContext))
      ->capture_default_str();
  bench->add_option("--rounds", request->rounds, "medians are of so many, after one unmeasured")
      ->check(CLI::Range(1, kMaxRounds))
      ->capture_default_str();
}

}  // namespace ferry::cli
