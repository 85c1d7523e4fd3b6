// What the handles ferry_engine and ferry_engine_session stand for. Internal to the SDK's rooms.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "common/sys/executor.h"
#include "common/sys/random.h"
#include "device-runtime/api/support/handles.h"
#include "device-runtime/engine/engine.h"

// A loaded model.
struct ferry_engine {
  // Of an integer input or output that stands for reals.
  struct Affine {
    double scale = 0;
    int64_t zero_point = 0;
  };
  std::shared_ptr<const ferry::engine::Model> model;
  std::vector<Affine> inputs;
  std::vector<Affine> outputs;
};

// A session and what it works with. `busy` is held by whoever calls it.
struct ferry_engine_session {
  ~ferry_engine_session();

  std::shared_ptr<const ferry_engine> engine;
  std::unique_ptr<ferry::sys::Parallel> pool;  // null: the caller's thread alone
  std::unique_ptr<ferry::sys::Random> random;  // null: the system's
  int threads = 1;
  bool profile = false;
  std::atomic<bool> busy = false;
  std::atomic<bool> cancel = false;
  std::unique_ptr<ferry::engine::Session> session;
  // Of the present run, kept so that a run allocates nothing.
  std::vector<ferry::tensor::Tensor> inputs;
  std::vector<bool> given;
  std::vector<ferry::engine::OutputMemory> wanted;
  std::unique_ptr<ferry::tensor::StringPool> texts_in;
  std::vector<std::vector<const char*>> texts_out;
  // Of ferry_engine_run_async. Destroying may come from another thread than the one that starts a
  // run: `starting` guards `is_closed` and the making of `executor`, at the first run.
  std::mutex starting;
  bool is_closed = false;
  std::unique_ptr<ferry::sys::Executor> executor;
};

namespace ferry::api {

// Gives a model out as a handle.
Status OpenEngine(std::shared_ptr<const engine::Model> model, const ferry_engine_options* options,
                  ferry_engine** out);
// A model from a file's bytes, which `keep_alive` keeps: Ferry's own form, or ONNX.
Result<std::shared_ptr<const engine::Model>> ReadEngine(ByteView bytes,
                                                        std::shared_ptr<const void> keep_alive,
                                                        const std::string& name);

// Holds a session for one call.
class SessionHold {
 public:
  // kFailedPrecondition while another call has it.
  static Status Take(ferry_engine_session& session, SessionHold* out);
  SessionHold() = default;
  SessionHold(const SessionHold&) = delete;
  SessionHold& operator=(const SessionHold&) = delete;
  ~SessionHold() { Release(); }
  void Release();
  // The hold goes on without this object.
  void Detach() { session_ = nullptr; }

 private:
  ferry_engine_session* session_ = nullptr;
};

}  // namespace ferry::api
