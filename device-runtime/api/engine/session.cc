// Sessions: their options, plans and profiles.
#include <algorithm>
#include <thread>

#include "common/base/json.h"
#include "device-runtime/api/engine/engine_handle.h"
#include "device-runtime/engine/explain/report.h"

namespace ferry::api {
namespace {

constexpr int kMaxThreads = 1024;
constexpr double kFastErrorBound = 1e-3;

Result<double> ErrorBound(int precision) {
  switch (precision) {
    case FERRY_PRECISION_DEFAULT:
      return engine::kDefaultErrorBound;
    case FERRY_PRECISION_EXACT:
      return 0.0;
    case FERRY_PRECISION_FAST:
      return kFastErrorBound;
    default:
      return Status::Of(Code::kInvalidArgument, "there is no precision {}", precision);
  }
}

// Of a precision that ErrorBound knows.
backends::Precision PrecisionOf(int precision) {
  if (precision == FERRY_PRECISION_EXACT) return backends::Precision::kExact;
  if (precision == FERRY_PRECISION_FAST) return backends::Precision::kFast;
  return backends::Precision::kDefault;
}

Status ReadOptions(const ferry_engine_session_options* given, ferry_engine_session& session,
                   engine::SessionOptions& out) {
  FERRY_TRY(CheckOptions(given, "ferry_engine_session_options"));
  int threads = 0;
  if (given != nullptr) {
    threads = FERRY_MEMBER(given, threads, 0);
    FERRY_ASSIGN_OR_RETURN(out.error_bound, ErrorBound(FERRY_MEMBER(given, precision, 0)));
    out.isa = TextOf(FERRY_MEMBER(given, isa, nullptr));
    out.precision = PrecisionOf(FERRY_MEMBER(given, precision, 0));
    out.backend_names = TextOf(FERRY_MEMBER(given, backends, nullptr));
    out.cache_folder = TextOf(FERRY_MEMBER(given, cache_folder, nullptr));
    const int64_t bytes = FERRY_MEMBER(given, memory_bytes, 0);
    if (bytes < 0) return Status::Of(Code::kInvalidArgument, "memory_bytes is {}", bytes);
    if (bytes > 0) out.budget = std::make_shared<tensor::MemoryBudget>(bytes);
    session.profile = out.time_steps = FERRY_MEMBER(given, profile, 0) != 0;
    out.tuning.cache_file = TextOf(FERRY_MEMBER(given, tune_file, nullptr));
    out.tuning.measure = FERRY_MEMBER(given, tune, 0) != 0;
    if (const uint64_t seed = FERRY_MEMBER(given, seed, 0); seed != 0)
      session.random = std::make_unique<sys::SeededRandom>(seed);
  }
  if (threads < 0 || threads > kMaxThreads)
    return Status::Of(Code::kInvalidArgument, "{} threads: 0 to {}", threads, kMaxThreads);
  if (threads != 1) session.pool = sys::StartThreadPool(threads);
  session.threads = session.pool != nullptr ? session.pool->width() : 1;
  out.parallel = session.pool.get();
  out.random = session.random.get();
  out.cancel = &session.cancel;
  return OkStatus();
}

Json StepJson(const engine::StepReport& step) {
  Json out = {
      {"node", step.node},     {"operator", step.primitive}, {"sizes", step.sizes},
      {"choice", step.choice}, {"backend", step.backend},    {"runs", step.runs},
      {"flops", step.flops},   {"bytes", step.bytes},        {"predicted_us", step.predicted_us}};
  if (!step.fallback.empty()) out["fallback"] = step.fallback;
  out["median_us"] = step.measured_us < 0 ? Json() : Json(step.measured_us);
  return out;
}

}  // namespace

Status SessionHold::Take(ferry_engine_session& session, SessionHold* out) {
  if (session.busy.exchange(true, std::memory_order_acquire)) {
    return Status(Code::kFailedPrecondition,
                  "session runs in another call: one thread at a time, or a session each");
  }
  out->session_ = &session;
  return OkStatus();
}

void SessionHold::Release() {
  if (session_ != nullptr) session_->busy.store(false, std::memory_order_release);
  session_ = nullptr;
}

}  // namespace ferry::api

ferry_engine_session::~ferry_engine_session() {
  cancel = true;
  // The last user may be the callback of a run: its thread cannot wait for itself.
  if (executor != nullptr) std::thread([gone = std::move(executor)] {}).detach();
}

using ferry::Code;
using ferry::Json;
using ferry::Status;
using ferry::api::GiveText;
using ferry::api::Missing;
using ferry::api::Return;
using ferry::api::SessionHold;

extern "C" {

int ferry_engine_session_create(const ferry_engine* engine,
                                const ferry_engine_session_options* options,
                                ferry_engine_session** out) {
  if (out == nullptr) return Missing("out");
  *out = nullptr;
  FERRY_FIND(ferry_engine, self, engine);
  auto session = std::make_shared<ferry_engine_session>();
  session->engine = self;
  ferry::engine::SessionOptions settings;
  if (auto read = ferry::api::ReadOptions(options, *session, settings); !read.ok())
    return Return(read);
  auto made = ferry::engine::Session::Create(self->model, std::move(settings));
  if (!made.ok()) return Return(made.status());
  session->session = std::move(*made);
  session->inputs.resize(self->model->inputs().size());
  session->given.resize(self->model->inputs().size());
  session->wanted.resize(self->model->outputs().size());
  session->texts_out.resize(self->model->outputs().size());
  return Return(ferry::api::Open(std::move(session), out));
}

int ferry_engine_cancel(ferry_engine_session* session) {
  FERRY_FIND(ferry_engine_session, self, session);
  if (self->busy) self->cancel = true;
  return Return(ferry::OkStatus());
}

int ferry_engine_session_info(ferry_engine_session* session, char** json) {
  if (json == nullptr) return Missing("json");
  *json = nullptr;
  FERRY_FIND(ferry_engine_session, self, session);
  SessionHold hold;
  if (auto taken = SessionHold::Take(*self, &hold); !taken.ok()) return Return(taken);
  const auto& plan = self->session->plan();
  return GiveText(ferry::WriteJson({{"steps", plan.steps},
                                    {"arena_bytes", plan.arena_bytes},
                                    {"is_static", plan.is_static},
                                    {"threads", self->threads},
                                    {"isa", self->session->isa()},
                                    {"fallbacks", plan.fallbacks}}),
                  json);
}

int ferry_engine_profile(ferry_engine_session* session, char** json) {
  if (json == nullptr) return Missing("json");
  *json = nullptr;
  FERRY_FIND(ferry_engine_session, self, session);
  SessionHold hold;
  if (auto taken = SessionHold::Take(*self, &hold); !taken.ok()) return Return(taken);
  if (!self->profile) {
    return Return(Status(Code::kFailedPrecondition,
                         "the session was made without ferry_engine_session_options.profile"));
  }
  Json steps = Json::array();
  for (const auto& step : self->session->Explain()) steps.push_back(ferry::api::StepJson(step));
  return GiveText(ferry::WriteJson(steps), json);
}

}  // extern "C"
