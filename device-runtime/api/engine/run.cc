// Running: the app's structs to the engine's tensors and back, without copies.
#include <algorithm>
#include <cstring>
#include <future>

#include "device-runtime/api/engine/engine_handle.h"
#include "device-runtime/api/engine/types.h"

namespace ferry::api {
namespace {

using engine::IoInfo;
using engine::OutputMemory;
using tensor::DType;
using tensor::Shape;
using tensor::Tensor;

// The session whose callback this thread is in.
const ferry_engine_session*& InCallbackOf() {
  thread_local const ferry_engine_session* session = nullptr;
  return session;
}

// The structs of an array, whose size is that of the caller's header.
template <typename T>
class Structs {
 public:
  Structs(T* first, size_t count) : first_(first), count_(count) {}
  Status Check(const char* argument) const {
    if (count_ == 0) return OkStatus();
    if (first_ == nullptr) return Status::Of(Code::kInvalidArgument, "{} is NULL", argument);
    for (size_t i = 0; i < count_; ++i) {
      const size_t size = (*this)[i].size;
      if (size >= sizeof(T) && size <= kMaxOptionsBytes && size == first_->size) continue;
      return Status::Of(Code::kInvalidArgument,
                        "{}[{}].size is {}: set it to sizeof(ferry_tensor) in each", argument, i,
                        size);
    }
    return OkStatus();
  }
  size_t size() const { return count_; }
  T& operator[](size_t i) const {
    using Byte = std::conditional_t<std::is_const_v<T>, const char, char>;
    return *reinterpret_cast<T*>(reinterpret_cast<Byte*>(first_) + i * first_->size);
  }

 private:
  T* first_;
  size_t count_;
};
using Inputs = Structs<const ferry_tensor>;
using Outputs = Structs<ferry_tensor>;

std::string NamesOf(std::span<const IoInfo> infos) {
  std::string names;
  for (const IoInfo& info : infos) names += (names.empty() ? "'" : ", '") + info.name + "'";
  return names;
}

// Which of the model's inputs or outputs the struct `i` of an array is.
Result<size_t> PlaceOf(std::span<const IoInfo> infos, const char* name, size_t i,
                       const char* what) {
  if (i < infos.size() && (name == nullptr || infos[i].name == name)) return i;
  if (name == nullptr)
    return Status::Of(Code::kInvalidArgument, "{} {}: the model has {}", what, i, infos.size());
  for (size_t at = 0; at < infos.size(); ++at)
    if (infos[at].name == name) return at;
  return Status::Of(Code::kInvalidArgument, "the model has no {} '{}'; it has {}", what, name,
                    NamesOf(infos));
}

Status CheckAlignment(const void* data, DType dtype, const char* what, const std::string& name) {
  const size_t align = dtype == DType::kString ? alignof(const char*) : tensor::DTypeSize(dtype);
  if (reinterpret_cast<uintptr_t>(data) % align == 0) return OkStatus();
  return Status::Of(Code::kInvalidArgument, "the data of {} '{}' is not aligned to {} bytes", what,
                    name, align);
}

Result<Tensor> ReadTexts(ferry_engine_session& session, const ferry_tensor& given,
                         const Shape& shape) {
  if (session.texts_in == nullptr) session.texts_in = std::make_unique<tensor::StringPool>();
  FERRY_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(DType::kString, shape));
  const auto* texts = static_cast<const char* const*>(given.data);
  for (int64_t i = 0; i < shape.elements(); ++i) {
    if (texts[i] == nullptr) return Status::Of(Code::kInvalidArgument, "text {} is NULL", i);
    out.SetText(i, session.texts_in->Add(texts[i]));
  }
  return out;
}

Result<Tensor> ReadInput(ferry_engine_session& session, const ferry_tensor& given,
                         const IoInfo& info, bool with_data) {
  const auto dtype = DTypeOfType(given.type);
  if (!dtype) return Status::Of(Code::kInvalidArgument, "there is no type {}", given.type);
  if (given.rank < 0 || given.rank > FERRY_MAX_RANK)
    return Status::Of(Code::kShapeMismatch, "rank {}: 0 to {}", given.rank, FERRY_MAX_RANK);
  FERRY_ASSIGN_OR_RETURN(const Shape shape,
                         Shape::Make({given.shape, static_cast<size_t>(given.rank)}));
  if (*dtype != info.dtype) {
    return Status::Of(Code::kShapeMismatch, "must be {}, {} is given", DTypeName(info.dtype),
                      DTypeName(*dtype));
  }
  if (!with_data) return Tensor::View(*dtype, shape, nullptr);
  const auto bytes = static_cast<size_t>(shape.elements()) * tensor::DTypeSize(*dtype);
  if (given.bytes != bytes) {
    return Status::Of(Code::kShapeMismatch, "{} {} has {} bytes, {} are given", DTypeName(*dtype),
                      shape.ToString(), bytes, given.bytes);
  }
  if (given.data == nullptr && bytes > 0) return Status(Code::kInvalidArgument, "its data is NULL");
  FERRY_TRY(CheckAlignment(given.data, *dtype, "input", info.name));
  if (*dtype == DType::kString) return ReadTexts(session, given, shape);
  return Tensor::View(*dtype, shape, given.data);
}

Status ReadInputs(ferry_engine_session& session, const Inputs& given, bool with_data) {
  const auto infos = session.engine->model->inputs();
  std::fill(session.given.begin(), session.given.end(), false);
  session.texts_in.reset();
  for (size_t i = 0; i < given.size(); ++i) {
    const ferry_tensor& one = given[i];
    FERRY_ASSIGN_OR_RETURN(const size_t at, PlaceOf(infos, one.name, i, "input"));
    if (session.given[at])
      return Status::Of(Code::kInvalidArgument, "input '{}' is given twice", infos[at].name);
    session.given[at] = true;
    auto read = ReadInput(session, one, infos[at], with_data);
    if (!read.ok()) return read.status().Context("input '{}'", infos[at].name);
    session.inputs[at] = std::move(*read);
  }
  for (size_t at = 0; at < infos.size(); ++at) {
    if (session.given[at]) continue;
    return Status::Of(Code::kInvalidArgument, "input '{}' is missing", infos[at].name);
  }
  return OkStatus();
}

Status ReadOutputs(ferry_engine_session& session, const Outputs& given) {
  const auto infos = session.engine->model->outputs();
  std::fill(session.wanted.begin(), session.wanted.end(), OutputMemory{});
  for (size_t i = 0; i < given.size(); ++i) {
    const ferry_tensor& one = given[i];
    FERRY_ASSIGN_OR_RETURN(const size_t at, PlaceOf(infos, one.name, i, "output"));
    if (one.data == nullptr) continue;
    if (session.wanted[at].data != nullptr)
      return Status::Of(Code::kInvalidArgument, "output '{}' is given twice", infos[at].name);
    if (infos[at].dtype == DType::kString) {
      return Status::Of(Code::kInvalidArgument,
                        "output '{}' is of texts, which stay the session's: its data must be NULL",
                        infos[at].name);
    }
    FERRY_TRY(CheckAlignment(one.data, infos[at].dtype, "output", infos[at].name));
    session.wanted[at] = {one.data, static_cast<int64_t>(one.bytes)};
  }
  return OkStatus();
}

// All of an output but its data.
void Describe(const IoInfo& info, const Tensor& output, ferry_tensor& out) {
  out.name = info.name.c_str();
  out.type = TypeOfDType(output.dtype());
  out.rank = output.shape().rank();
  for (int axis = 0; axis < out.rank; ++axis) out.shape[axis] = output.shape()[axis];
  out.bytes = static_cast<size_t>(output.size_bytes());
}

// After a run that failed: where an output has too little room, all are told how much they need.
void GiveNeeds(ferry_engine_session& session, const Outputs& given) {
  const auto infos = session.engine->model->outputs();
  const auto output = [&](size_t at) -> const Tensor& {
    return session.session->output(static_cast<int>(at));
  };
  bool is_short = false;
  for (size_t at = 0; at < infos.size(); ++at) {
    const OutputMemory& wanted = session.wanted[at];
    is_short = is_short || (wanted.data != nullptr && wanted.bytes < output(at).size_bytes());
  }
  for (size_t i = 0; is_short && i < given.size(); ++i) {
    const size_t at = PlaceOf(infos, given[i].name, i, "output").value();  // was found before
    Describe(infos[at], output(at), given[i]);
  }
}

void GiveOutputs(ferry_engine_session& session, const Outputs& given) {
  const auto infos = session.engine->model->outputs();
  for (size_t i = 0; i < given.size(); ++i) {
    ferry_tensor& one = given[i];
    const size_t at = PlaceOf(infos, one.name, i, "output").value();  // was found before
    const Tensor& output = session.session->output(static_cast<int>(at));
    Describe(infos[at], output, one);
    if (output.dtype() != DType::kString) {
      one.data = const_cast<uint8_t*>(output.raw());
      continue;
    }
    std::vector<const char*>& texts = session.texts_out[at];
    texts.resize(static_cast<size_t>(output.elements()));
    for (size_t k = 0; k < texts.size(); ++k) {
      const std::string_view text = output.Text(static_cast<int64_t>(k));
      texts[k] = text.empty() ? "" : text.data();
    }
    one.data = texts.data();
  }
}

Status CheckArrays(const Inputs& inputs, const Outputs& outputs) {
  FERRY_TRY(inputs.Check("inputs"));
  return outputs.Check("outputs");
}

Status RunHeld(ferry_engine_session& session, const Outputs& outputs) {
  const Status run = session.session->Execute(session.inputs, session.wanted);
  if (run.ok())
    GiveOutputs(session, outputs);
  else if (run.code() == Code::kShapeMismatch)
    GiveNeeds(session, outputs);
  return run;
}

// Everything of a run but running.
Status Prepare(ferry_engine_session& session, const Inputs& inputs, const Outputs& outputs) {
  session.cancel.store(false, std::memory_order_relaxed);
  FERRY_TRY(CheckArrays(inputs, outputs));
  FERRY_TRY(ReadInputs(session, inputs, true));
  return ReadOutputs(session, outputs);
}

}  // namespace

// Until what runs on the session's thread is done, callback included; not from that callback.
void WaitForAsync(ferry_engine_session& session) {
  if (session.executor == nullptr || InCallbackOf() == &session) return;
  std::promise<void> done;
  session.executor->Post([&] { done.set_value(); });
  done.get_future().wait();
}

Status StartAsync(const std::shared_ptr<ferry_engine_session>& session, const Outputs& outputs,
                  ferry_engine_done done, void* user) {
  const std::lock_guard lock(session->starting);
  if (session->is_closed) return Status(Code::kCancelled, "the session was destroyed meanwhile");
  if (session->executor == nullptr) session->executor = sys::StartThreadExecutor("ferry-engine");
  session->executor->Post([session, outputs, done, user] {
    const Status status = RunHeld(*session, outputs);
    session->busy.store(false, std::memory_order_release);
    const auto* before = std::exchange(InCallbackOf(), session.get());
    {
      const CallbackScope inside;
      CallApp("ferry_engine_done",
              [&] { done(user, static_cast<int>(status.code()), status.message().c_str()); });
    }
    InCallbackOf() = before;
  });
  return OkStatus();
}

}  // namespace ferry::api

using ferry::Code;
using ferry::Status;
using ferry::api::Inputs;
using ferry::api::Missing;
using ferry::api::Outputs;
using ferry::api::Return;
using ferry::api::SessionHold;

extern "C" {

int ferry_engine_resize(ferry_engine_session* session, const ferry_tensor* inputs,
                        size_t input_count) {
  FERRY_FIND(ferry_engine_session, self, session);
  SessionHold hold;
  if (auto taken = SessionHold::Take(*self, &hold); !taken.ok()) return Return(taken);
  const Inputs given(inputs, input_count);
  Status status = given.Check("inputs");
  if (status.ok()) status = ferry::api::ReadInputs(*self, given, false);
  if (!status.ok()) return Return(status);
  std::vector<ferry::tensor::Shape> shapes;
  for (const auto& input : self->inputs) shapes.push_back(input.shape());
  return Return(self->session->Resize(shapes));
}

int ferry_engine_run(ferry_engine_session* session, const ferry_tensor* inputs, size_t input_count,
                     ferry_tensor* outputs, size_t output_count) {
  FERRY_FIND(ferry_engine_session, self, session);
  SessionHold hold;
  if (auto taken = SessionHold::Take(*self, &hold); !taken.ok()) return Return(taken);
  const Outputs wanted(outputs, output_count);
  Status status = ferry::api::Prepare(*self, Inputs(inputs, input_count), wanted);
  if (status.ok()) status = ferry::api::RunHeld(*self, wanted);
  return Return(status);
}

int ferry_engine_run_async(ferry_engine_session* session, const ferry_tensor* inputs,
                           size_t input_count, ferry_tensor* outputs, size_t output_count,
                           ferry_engine_done done, void* user) {
  FERRY_FIND(ferry_engine_session, self, session);
  if (done == nullptr) return Missing("done");
  SessionHold hold;
  if (auto taken = SessionHold::Take(*self, &hold); !taken.ok()) return Return(taken);
  const Outputs wanted(outputs, output_count);
  if (auto status = ferry::api::Prepare(*self, Inputs(inputs, input_count), wanted); !status.ok())
    return Return(status);
  const Status started = ferry::api::StartAsync(self, wanted, done, user);
  if (started.ok()) hold.Detach();
  return Return(started);
}

void ferry_engine_session_destroy(ferry_engine_session* session) {
  const std::shared_ptr<ferry_engine_session> self = ferry::api::Close(session);
  if (self == nullptr) return;
  {
    const std::lock_guard lock(self->starting);
    self->is_closed = true;
    self->cancel = true;
  }
  ferry::api::WaitForAsync(*self);
}

}  // extern "C"
