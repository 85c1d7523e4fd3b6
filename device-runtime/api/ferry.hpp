// Ferry for C++ apps: ferry.h with owners and exceptions left out. Header only. Source: own.
//
//   ferry::api::Runtime ferry([](std::string_view json) { std::cout << json << '\n'; });
//   if (!ferry.OpenTask("digits.fpk")) std::cerr << ferry.error() << '\n';
//   ferry.Send(R"({"id":"page_enter","page":"scan"})");
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "device-runtime/api/ferry.h"

namespace ferry::api {

// Results arrive as JSON, on a thread of the runtime, one at a time (see ferry.h).
using OnResult = std::function<void(std::string_view json)>;

struct Agent {
  std::string directory;
  std::string join_token;    // empty: this device has joined before
  std::string profile_json;  // empty: nothing is said
  bool push = true;
  std::chrono::milliseconds poll{0};  // 0: the default
};

// What the policy says of one device.
struct Reach {
  bool matches = false;
  std::string reason;
};

// Owns a runtime. Functions return whether they succeeded; error() and code() tell why not. Any
// thread may call; the text and code belong to the thread that failed.
class Runtime {
 public:
  explicit Runtime(OnResult on_result = {}, const ferry_options* options = nullptr)
      : on_result_(std::make_unique<OnResult>(std::move(on_result))) {
    ferry_runtime* made = nullptr;
    Note(ferry_runtime_create(options, &Runtime::Call, on_result_.get(), &made));
    runtime_.reset(made);
  }

  bool ok() const { return runtime_ != nullptr; }
  bool OpenTask(const std::string& package_path) {
    return Note(ferry_task_open(runtime_.get(), package_path.c_str()));
  }
  bool StartAgent(const Agent& agent) {
    ferry_agent_options options{};
    options.size = sizeof(options);
    options.directory = agent.directory.c_str();
    options.join_token = agent.join_token.empty() ? nullptr : agent.join_token.c_str();
    options.profile_json = agent.profile_json.empty() ? nullptr : agent.profile_json.c_str();
    options.push = agent.push ? 1 : 0;
    options.poll_ms = agent.poll.count();
    return Note(ferry_agent_start(runtime_.get(), &options));
  }
  bool Send(const std::string& event_json) {
    return Note(ferry_event_send(runtime_.get(), event_json.c_str()));
  }
  bool Flush(std::chrono::milliseconds timeout = std::chrono::seconds(30)) {
    return Note(ferry_flush(runtime_.get(), timeout.count()));
  }
  // Empty when it failed.
  std::string StatusJson() {
    char* text = nullptr;
    return Note(ferry_status(runtime_.get(), &text)) ? Take(text) : std::string();
  }

  static std::string error() { return ferry_error_text(); }
  static int code() { return LastCode(); }

 private:
  friend std::optional<Reach> PolicyMatches(const std::string&, const std::string&,
                                            const std::string&);
  struct Destroy {
    void operator()(ferry_runtime* runtime) const { ferry_runtime_destroy(runtime); }
  };
  static void Call(void* user, const char* json) {
    if (const auto& on_result = *static_cast<OnResult*>(user)) on_result(json);
  }
  static int& LastCode() {
    thread_local int code = FERRY_kOk;
    return code;
  }
  static bool Note(int code) {
    LastCode() = code;
    return code == FERRY_kOk;
  }
  static std::string Take(char* text) {
    std::string out(text);
    ferry_string_free(text);
    return out;
  }

  std::unique_ptr<OnResult> on_result_;  // outlives the runtime below
  std::unique_ptr<ferry_runtime, Destroy> runtime_;
};

// Whether `rule` reaches the device; nullopt when rule or attributes are bad.
inline std::optional<Reach> PolicyMatches(const std::string& rule,
                                          const std::string& attributes_json,
                                          const std::string& salt) {
  int matches = 0;
  char* reason = nullptr;
  if (!Runtime::Note(ferry_policy_matches(rule.c_str(), attributes_json.c_str(), salt.c_str(),
                                          &matches, &reason)))
    return std::nullopt;
  return Reach{matches != 0, Runtime::Take(reason)};
}

}  // namespace ferry::api
