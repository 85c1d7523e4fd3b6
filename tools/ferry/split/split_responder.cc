#include "tools/ferry/split/split_responder.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>

#include "common/base/json.h"
#include "common/sys/clock.h"
#include "device-runtime/llm/speculative/frames.h"
#include "policy/target/attributes.h"
#include "tools/ferry/llm/model_options.h"
#include "tools/ferry/progress.h"
#include "tools/ferry/split/checks.h"
#include "tools/ferry/split/reply_queue.h"

namespace ferry::cli {
namespace {

constexpr auto kPoll = std::chrono::milliseconds(50);
constexpr uint64_t kMaxTokenBytes = 64 << 10;

Result<llm::SplitMode> ModeOf(const std::string& name) {
  for (const auto mode :
       {llm::SplitMode::kDeviceOnly, llm::SplitMode::kSplit, llm::SplitMode::kCloudOnly}) {
    const std::string full = llm::SplitModeName(mode);
    // "device" and "cloud" do too.
    if (name == full || name + "-only" == full) return mode;
  }
  return Status::Of(Code::kInvalidArgument, "\"{}\" is no mode: device-only, split or cloud-only",
                    name);
}

// A join token as it is, or from the file of that name.
Result<std::string> ReadToken(const std::string& given) {
  if (given.empty() || !sys::Exists(sys::SystemFileSystem(), given)) return given;
  FERRY_ASSIGN_OR_RETURN(const Bytes file,
                         sys::ReadFile(sys::SystemFileSystem(), given, kMaxTokenBytes));
  std::string text(AsText(file));
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

Result<target::Attributes> ReadProfile(const std::string& path) {
  if (path.empty()) return target::Attributes();
  FERRY_ASSIGN_OR_RETURN(const Bytes text,
                         sys::ReadFile(sys::SystemFileSystem(), path, kMaxJsonBytes));
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(AsText(text)).Context("{}", path));
  return target::AttributesFromJson(json).Context("{}", path);
}

// Polls `done` until it says so or `seconds` are over; false then.
bool WaitUntil(double seconds, const std::function<bool()>& done) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!done()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(kPoll);
  }
  return true;
}

}  // namespace

CLI::Option* AddSplitOptions(CLI::App* command, SplitOptions& options) {
  CLI::Option* split = command->add_flag(
      "--split", options.split, "draft here, verify in the cloud: this process is a device");
  const auto add = [&](const char* name, auto& value, const char* what) {
    return command->add_option(name, value, what)->needs(split);
  };
  split->needs(add("--state", options.state, "with --split: the device's state directory"));
  add("--join", options.join, "with --split: join token, or a file with it; the first time");
  add("--profile", options.profile,
      "with --split: JSON file: os, app_version, device_class, tags; else what was said before")
      ->check(CLI::ExistingFile);
  add("--package", options.package, "with --split: the package that holds the draft")
      ->capture_default_str();
  add("--draft", options.draft, "with --split: the draft's name in its package")
      ->capture_default_str();
  add("--target", options.target, "with --split: package of the server's model; its only one");
  add("--mode", options.mode, "with --split: device-only, split or cloud-only, to begin with")
      ->check(CLI::IsMember({"device-only", "split", "cloud-only"}))
      ->capture_default_str();
  add("--draft-tokens", options.draft_tokens, "with --split: of a round; chosen by default")
      ->check(CLI::Range(int64_t{0}, llm::kMaxDraftTokens));
  add("--wait-seconds", options.wait_seconds, "with --split: for the package to be installed")
      ->check(NumberWithin(0, 1e6))
      ->capture_default_str();
  command
      ->add_flag("--pipelined", options.pipelined, "with --split: draft on during a verification")
      ->needs(split);
  command
      ->add_flag_callback(
          "--no-fallback", [&options] { options.fallback = false; },
          "with --split: wait for the network when it goes, never go on alone")
      ->needs(split);
  return split;
}

Result<std::unique_ptr<SplitResponder>> SplitResponder::Create(const SplitOptions& options,
                                                               int threads, int64_t kv_bytes) {
  std::unique_ptr<SplitResponder> made(new SplitResponder(options));
  FERRY_ASSIGN_OR_RETURN(made->mode_, ModeOf(options.mode));
  FERRY_TRY(made->Join(threads, kv_bytes));
  FERRY_TRY(made->WaitForModel());
  FERRY_TRY(made->WaitForAdapters());
  made->WaitForVerifier();
  return made;
}

Status SplitResponder::Join(int threads, int64_t kv_bytes) {
  api::AgentSettings settings;
  settings.directory = options_.state;
  FERRY_ASSIGN_OR_RETURN(settings.join_token, ReadToken(options_.join));
  if (!options_.profile.empty()) {
    FERRY_ASSIGN_OR_RETURN(settings.profile, ReadProfile(options_.profile));
  }
  api::RuntimeOptions runtime;
  runtime.threads = threads;
  runtime.kv_bytes = kv_bytes;
  FERRY_ASSIGN_OR_RETURN(runtime_, api::RuntimeCore::Create(std::move(runtime)));
  return runtime_->StartAgent(settings).Context("--state {}", options_.state);
}

Status SplitResponder::WaitForModel() {
  const std::string name = options_.package + ":" + options_.draft;
  Status last;
  const Working working("waiting for package " + options_.package);
  const bool found = WaitUntil(options_.wait_seconds, [&] {
    auto model = runtime_->FindModel(name);
    last = model.status();
    if (model.ok()) model_ = std::move(*model);
    return last.ok() || last.code() != Code::kNotFound;
  });
  if (!found)
    return Status::Of(Code::kDeadlineExceeded, "package {} did not come within {:.0f} s ({})",
                      options_.package, options_.wait_seconds, last.message());
  FERRY_TRY(last.Context("{}", name));
  FERRY_ASSIGN_OR_RETURN(tokenizer_, model_.model->tokenizer());
  chat_template_ = TemplateOf(*model_.model);
  return OkStatus();
}

Status SplitResponder::WaitForAdapters() {
  std::vector<llm::AdapterSet::Part> parts;
  for (const std::string& text : options_.adapters) {
    FERRY_ASSIGN_OR_RETURN(const LoraOption option, ParseLora(text));
    const Working working("waiting for adapter " + option.path);
    Result<std::shared_ptr<const llm::Adapter>> adapter = Status(Code::kNotFound, "not looked for");
    const bool found = WaitUntil(options_.wait_seconds, [&] {
      adapter = runtime_->FindAdapter(option.path, model_.model);
      return adapter.ok() || adapter.code() != Code::kNotFound;
    });
    if (!found)
      return Status::Of(Code::kDeadlineExceeded, "adapter {} did not come within {:.0f} s ({})",
                        option.path, options_.wait_seconds, adapter.status().message());
    FERRY_TRY(adapter.status());
    parts.push_back({std::move(*adapter), option.scale});
  }
  FERRY_ASSIGN_OR_RETURN(adapters_, llm::AdapterSet::Create(model_.model, std::move(parts)));
  return OkStatus();
}

// A first reply should not begin alone only because the line is still being opened.
void SplitResponder::WaitForVerifier() {
  if (mode_ == llm::SplitMode::kDeviceOnly) return;
  api::LlmSessionOptions options;
  options.mode = mode_;
  const auto session = api::LlmSession::Create(runtime_->llm(), model_, options, {});
  if (!session.ok()) return;
  const Working working("waiting for the verifier");
  WaitUntil(kVerifierWaitSeconds, [&] {
    const Json status = runtime_->llm()->StatusJson();
    return GetBoolOr(status, "ready", false).value_or(false);
  });
}

int64_t SplitResponder::context() const {
  return model_.model->config().context;
}

api::LlmSessionOptions SplitResponder::SessionFor(const ReplyRequest& request) const {
  api::LlmSessionOptions out;
  out.mode = mode_;
  out.pipelined = options_.pipelined;
  out.fallback = options_.fallback;
  out.stop_at_end_token = request.stop_at_end_token;
  out.seed = request.seed;
  out.sampler = request.sampler;
  out.max_new = request.max_new;
  out.draft_tokens = options_.draft_tokens;
  out.target = options_.target;
  out.adapters = adapters_;
  return out;
}

Result<Reply> SplitResponder::Answer(const ReplyRequest& request, const ReplyEvents& events) {
  ReplyQueue queue;
  std::unique_ptr<api::LlmSession> session;
  std::list<api::LlmSession*>::iterator place;
  {
    const std::lock_guard lock(mutex_);
    FERRY_ASSIGN_OR_RETURN(session, api::LlmSession::Create(runtime_->llm(), model_,
                                                            SessionFor(request), queue.Events()));
    place = live_.insert(live_.end(), session.get());
  }
  const Status started = session->StartIds(request.prompt);
  const Result<Reply> reply =
      started.ok() ? queue.Collect(*session, request, events) : Result<Reply>(started);
  {
    const std::lock_guard lock(mutex_);
    live_.erase(place);
    ++replies_;
    if (reply.ok()) last_ = *reply->figures;
  }
  return reply;
}

Status SplitResponder::SetMode(const std::string& name) {
  FERRY_ASSIGN_OR_RETURN(const llm::SplitMode mode, ModeOf(name));
  const std::lock_guard lock(mutex_);
  mode_ = mode;
  for (api::LlmSession* session : live_) FERRY_TRY(session->SetMode(mode));
  return OkStatus();
}

std::string SplitResponder::mode() const {
  const std::lock_guard lock(mutex_);
  return llm::SplitModeName(mode_);
}

Json SplitResponder::Stats() const {
  const Json status = runtime_->StatusJson();
  const std::lock_guard lock(mutex_);
  Json out = {{"mode", llm::SplitModeName(mode_)},
              {"package", model_.package},
              {"version", model_.version},
              {"replies", replies_},
              {"last", last_}};
  for (const char* key : {"agent", "verifier"})
    if (status.contains(key)) out[key] = status[key];
  return out;
}

}  // namespace ferry::cli
