// The runtime: tasks, the agent, events, what they answer.
#include <array>
#include <atomic>
#include <cstring>
#include <memory>

#include "sdk/node/src/handle.h"
#include "sdk/node/src/inbox.h"

namespace ferry::node {
namespace {

constexpr int64_t kFlushSliceMs = 200;  // how soon a flush notices that the process ends

// Where results go.
struct Results : Extra {
  std::shared_ptr<Inbox> inbox;
  double receiver = 0;
  std::atomic<bool> leaving = false;
  void Leave() override {
    leaving = true;
    inbox->Wake();
  }
};

// Called on a thread of the runtime.
void OnResult(void* user, const char* json) {
  auto& results = *static_cast<Results*>(user);
  results.inbox->PushResult({Kinds::kResult, results.receiver, 0, json, {}}, results.leaving);
}

// A key that lies at rest no longer than the call that needs it.
class Key {
 public:
  Key(const Args& args, size_t i) : is_given_(args.Has(i)) {
    if (!is_given_) return;
    const Memory memory = MemoryOf(args.env(), args[i]);
    if (memory.bytes != bytes_.size())
      throw Failure{FERRY_kInvalidArgument,
                    "atRestKey has " + std::to_string(memory.bytes) + " bytes, a key has 32"};
    std::memcpy(bytes_.data(), memory.data, memory.bytes);
  }
  Key(const Key&) = delete;
  Key& operator=(const Key&) = delete;
  ~Key() { explicit_bzero(bytes_.data(), bytes_.size()); }
  bool is_given() const { return is_given_; }
  static int Fill(void* context, unsigned char key[32]) {
    std::memcpy(key, static_cast<Key*>(context)->bytes_.data(), 32);
    return FERRY_kOk;
  }

 private:
  bool is_given_;
  std::array<unsigned char, 32> bytes_{};
};

ferry_runtime* RuntimeOf(const Args& args) {
  return RawOf<ferry_runtime>(args, 0, Kind::kRuntime);
}

// runtimeCreate(receiver, threads, outboxPath, kvBytes, atRestKey)
napi_value Create(const Args& args) {
  auto results = std::make_shared<Results>();
  results->inbox = args.addon().inbox;
  results->receiver = args.Number(0);
  const auto outbox = args.MaybeText(2);
  Key key(args, 4);
  ferry_options options{};
  options.size = sizeof(options);
  options.threads = static_cast<int>(args.Number(1));
  options.outbox_path = outbox ? outbox->c_str() : nullptr;
  options.kv_bytes = args.Whole(3);
  if (key.is_given()) {
    options.at_rest_key = &Key::Fill;
    options.at_rest_context = &key;
  }
  ferry_runtime* made = nullptr;
  CheckCall(ferry_runtime_create(&options, &OnResult, results.get(), &made));
  return NewHandle(args.addon(), Kind::kRuntime, made, results);
}

// runtimeClose(runtime): a promise; results go on coming until it is kept
napi_value Close(const Args& args) {
  Handle& handle = HandleOf(args, 0, Kind::kRuntime);
  if (!handle.is_open) return Answer(args, true, [] { return FERRY_kOk; });
  auto* runtime = static_cast<ferry_runtime*>(handle.raw);
  return Answer(args, true, [runtime, results = ForgetHandle(handle)] {
    ferry_runtime_destroy(runtime);
    return FERRY_kOk;
  });
}

// taskOpen(runtime, path)
napi_value OpenTask(const Args& args) {
  return Answer(args, true, [runtime = RuntimeOf(args), path = args.Text(1)] {
    return ferry_task_open(runtime, path.c_str());
  });
}

// agentStart(runtime, directory, joinToken, profileJson, push, pollMs, atRestKey, forgetSealed)
napi_value StartAgent(const Args& args) {
  auto key = std::make_shared<Key>(args, 6);
  return Answer(args, true,
                [=, runtime = RuntimeOf(args), directory = args.Text(1), token = args.MaybeText(2),
                 profile = args.MaybeText(3), push = args.Flag(4), poll_ms = args.Whole(5),
                 forget = args.Flag(7)] {
                  ferry_agent_options options{};
                  options.size = sizeof(options);
                  options.directory = directory.c_str();
                  options.join_token = token ? token->c_str() : nullptr;
                  options.profile_json = profile ? profile->c_str() : nullptr;
                  options.push = push ? 1 : 0;
                  options.poll_ms = poll_ms;
                  options.forget_sealed = forget ? 1 : 0;
                  if (key->is_given()) {
                    options.at_rest_key = &Key::Fill;
                    options.at_rest_context = key.get();
                  }
                  return ferry_agent_start(runtime, &options);
                });
}

// eventSend(runtime, json)
napi_value Send(const Args& args) {
  CheckCall(ferry_event_send(RuntimeOf(args), args.Text(1).c_str()));
  return nullptr;
}

// eventSendDurable(runtime, json)
napi_value SendDurable(const Args& args) {
  return Answer(args, true, [runtime = RuntimeOf(args), json = args.Text(1)] {
    return ferry_event_send_durable(runtime, json.c_str());
  });
}

// conditionsSet(runtime, json)
napi_value SetConditions(const Args& args) {
  CheckCall(ferry_conditions_set(RuntimeOf(args), args.Text(1).c_str()));
  return nullptr;
}

// haveText(runtime)
napi_value HaveText(const Args& args) {
  auto* runtime = RuntimeOf(args);
  return AnswerText(args, true, [=](char** out) { return ferry_have_text(runtime, out); });
}

// takeText(runtime, text)
napi_value TakeText(const Args& args) {
  CheckCall(ferry_take_text(RuntimeOf(args), args.Text(1).c_str()));
  return nullptr;
}

// flush(runtime, timeoutMs)
napi_value Flush(const Args& args) {
  return Answer(
      args, true,
      [runtime = RuntimeOf(args), left = args.Whole(1), inbox = args.addon().inbox]() mutable {
        for (;; left -= kFlushSliceMs) {
          const int code = ferry_flush(runtime, std::min(left, kFlushSliceMs));
          if (code != FERRY_kDeadlineExceeded || left <= kFlushSliceMs || inbox->is_closed())
            return code;
        }
      });
}

// taskCall(runtime, package, function, argumentJson): the call's number
napi_value CallTask(const Args& args) {
  uint64_t call = 0;
  CheckCall(ferry_task_call(RuntimeOf(args), args.Text(1).c_str(), args.Text(2).c_str(),
                            args.Text(3).c_str(), &call));
  return Number(args.env(), static_cast<double>(call));
}

// fileRead(runtime, package, name): an ArrayBuffer
napi_value ReadFile(const Args& args) {
  struct File {
    uint8_t* bytes = nullptr;
    size_t size = 0;
    ~File() { ferry_bytes_free(bytes); }
  };
  auto file = std::make_shared<File>();
  return Answer(
      args, true,
      [=, runtime = RuntimeOf(args), package = args.Text(1), name = args.Text(2)] {
        return ferry_file_read(runtime, package.c_str(), name.c_str(), &file->bytes, &file->size);
      },
      [file](napi_env env) {
        void* data = nullptr;
        napi_value buffer;
        Check(env, napi_create_arraybuffer(env, file->size, &data, &buffer));
        if (file->size > 0) std::memcpy(data, file->bytes, file->size);
        return buffer;
      });
}

// consentSet(runtime, given)
napi_value SetConsent(const Args& args) {
  return Answer(args, true, [runtime = RuntimeOf(args), given = args.Flag(1)] {
    return ferry_consent_set(runtime, given ? 1 : 0);
  });
}

// dataErase(runtime)
napi_value Erase(const Args& args) {
  auto* runtime = RuntimeOf(args);
  return AnswerText(args, true, [=](char** out) { return ferry_data_erase(runtime, out); });
}

// status(runtime)
napi_value Status(const Args& args) {
  auto* runtime = RuntimeOf(args);
  return AnswerText(args, true, [=](char** out) { return ferry_status(runtime, out); });
}

}  // namespace

std::vector<Row> RuntimeRows() {
  return {{"runtimeCreate", &Entry<&Create>},
          {"runtimeClose", &Entry<&Close>},
          {"taskOpen", &Entry<&OpenTask>},
          {"agentStart", &Entry<&StartAgent>},
          {"eventSend", &Entry<&Send>},
          {"eventSendDurable", &Entry<&SendDurable>},
          {"conditionsSet", &Entry<&SetConditions>},
          {"haveText", &Entry<&HaveText>},
          {"takeText", &Entry<&TakeText>},
          {"flush", &Entry<&Flush>},
          {"taskCall", &Entry<&CallTask>},
          {"fileRead", &Entry<&ReadFile>},
          {"consentSet", &Entry<&SetConsent>},
          {"dataErase", &Entry<&Erase>},
          {"status", &Entry<&Status>}};
}

}  // namespace ferry::node
