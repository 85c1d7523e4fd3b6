// Runs: typed arrays of JavaScript to the library's structs and back, without copies.
#include "sdk/node/src/run.h"

#include <cstring>

#include "sdk/node/src/inbox.h"

namespace ferry::node {
namespace {

RunState& StateOf(const Args& args) {
  Handle& handle = HandleOf(args, 0, Kind::kEngineSession);
  if (handle.extra == nullptr) {
    // Closed: the library has the words for it.
    CheckCall(ferry_engine_cancel(static_cast<ferry_engine_session*>(handle.raw)));
    throw Failure{FERRY_kInvalidArgument, "the session is closed"};
  }
  return static_cast<RunState&>(*handle.extra);
}

void ReadCells(const double* cells, ferry_tensor& out) {
  out.type = static_cast<int>(cells[0]);
  out.rank = static_cast<int>(cells[kRankCell]);
  for (size_t i = 0; i < FERRY_MAX_RANK; ++i)
    out.shape[i] = static_cast<int64_t>(cells[kShapeCell + i]);
}

void WriteCells(const ferry_tensor& tensor, double* cells) {
  cells[0] = tensor.type;
  cells[kRankCell] = tensor.rank;
  for (size_t i = 0; i < FERRY_MAX_RANK; ++i)
    cells[kShapeCell + i] = static_cast<double>(tensor.shape[i]);
  cells[kBytesCell] = static_cast<double>(tensor.bytes);
}

void ReadTexts(napi_env env, napi_value list, RunState& state, size_t i, ferry_tensor& out) {
  uint32_t count = 0;
  Check(env, napi_get_array_length(env, list, &count));
  auto& texts = state.texts[i];
  auto& pointers = state.text_pointers[i];
  texts.clear();
  pointers.clear();
  for (uint32_t k = 0; k < count; ++k) {
    napi_value one;
    Check(env, napi_get_element(env, list, k, &one));
    texts.push_back(TextOf(env, one));
  }
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  out.data = pointers.data();
  out.bytes = pointers.size() * sizeof(const char*);
}

void ReadData(napi_env env, napi_value data, ferry_tensor& out) {
  const Memory memory = MemoryOf(env, data);
  static uint64_t nothing = 0;  // of an empty array, whose address may be NULL
  out.data = memory.data != nullptr ? memory.data : &nothing;
  out.bytes = memory.bytes;
}

// inputs: a typed array or list of texts for each, or undefined for one that is left out.
void ReadInputs(const Args& args, RunState& state, napi_value list) {
  const napi_env env = args.env();
  state.inputs.clear();
  for (size_t i = 0; i < state.input_count; ++i) {
    napi_value data;
    Check(env, napi_get_element(env, list, static_cast<uint32_t>(i), &data));
    const double* cells = state.cells + i * kCells;
    ferry_tensor one{};
    one.size = sizeof(one);
    ReadCells(cells, one);
    if (one.type == FERRY_TYPE_STRING)
      ReadTexts(env, data, state, i, one);
    else
      ReadData(env, data, one);
    state.inputs.push_back(one);
  }
}

// outputs: a typed array for each with Place::kGiven.
void ReadOutputs(const Args& args, RunState& state, napi_value list) {
  static uint64_t nothing = 0;
  state.outputs.clear();
  state.places.clear();
  for (size_t i = 0; i < state.output_names.size(); ++i) {
    const double* cells = state.cells + (state.input_count + i) * kCells;
    const auto place = static_cast<Place>(static_cast<int>(cells[kPlaceCell]));
    if (place == Place::kNone) continue;
    ferry_tensor one{};
    one.size = sizeof(one);
    one.name = state.output_names[i];
    if (place == Place::kAsk) {
      one.data = &nothing;
    } else if (place == Place::kGiven) {
      napi_value data;
      Check(args.env(), napi_get_element(args.env(), list, static_cast<uint32_t>(i), &data));
      ReadData(args.env(), data, one);
    }
    state.outputs.push_back(one);
    state.places.push_back(i);
  }
}

napi_value TextsOf(napi_env env, const ferry_tensor& tensor) {
  napi_value list;
  const auto count = static_cast<uint32_t>(tensor.bytes / sizeof(const char*));
  Check(env, napi_create_array_with_length(env, count, &list));
  for (uint32_t k = 0; k < count; ++k) {
    const char* text = static_cast<const char* const*>(tensor.data)[k];
    Check(env, napi_set_element(env, list, k, Text(env, std::string(text))));
  }
  return list;
}

// Types, shapes and bytes to the cells; what lies in the session's memory to `list`.
void GiveOutputs(napi_env env, RunState& state, napi_value list, bool is_done) {
  for (size_t i = 0; i < state.outputs.size(); ++i) {
    const ferry_tensor& one = state.outputs[i];
    double* cells = state.cells + (state.input_count + state.places[i]) * kCells;
    WriteCells(one, cells);
    if (!is_done || static_cast<Place>(static_cast<int>(cells[kPlaceCell])) != Place::kSession)
      continue;
    napi_value value;
    if (one.type == FERRY_TYPE_STRING) {
      value = TextsOf(env, one);
    } else {
      void* data = nullptr;
      Check(env, napi_create_arraybuffer(env, one.bytes, &data, &value));
      if (one.bytes > 0) std::memcpy(data, one.data, one.bytes);
    }
    Check(env, napi_set_element(env, list, static_cast<uint32_t>(state.places[i]), value));
  }
}

// Whether the run failed for want of room that it was to ask for.
bool IsAnswer(const RunState& state, int code) {
  if (code != FERRY_kShapeMismatch || state.outputs.empty() || state.outputs[0].type == 0)
    return false;
  for (const size_t i : state.places) {
    const double* cells = state.cells + (state.input_count + i) * kCells;
    if (static_cast<Place>(static_cast<int>(cells[kPlaceCell])) == Place::kAsk) return true;
  }
  return false;
}

// What a run that has ended left goes to JavaScript; false when it failed.
bool Finish(napi_env env, RunState& state, napi_value outputs, int code) {
  if (code != FERRY_kOk && !IsAnswer(state, code)) return false;
  GiveOutputs(env, state, outputs, code == FERRY_kOk);
  return true;
}

napi_value Flag(napi_env env, bool flag) {
  napi_value value;
  Check(env, napi_get_boolean(env, flag, &value));
  return value;
}

// The lists of a run that was started are in use until it was finished, which the library does not
// know.
void RefuseSecond(const RunState& state) {
  if (!state.is_running) return;
  throw Failure{FERRY_kFailedPrecondition,
                "session runs in another call: wait for it, or use a session each"};
}

void Prepare(const Args& args, RunState& state) {
  if (state.cells == nullptr) throw Failure{FERRY_kInternal, "a session without cells"};
  ReadInputs(args, state, args[1]);
  ReadOutputs(args, state, args[2]);
}

// sessionCells(session, Float64Array), once
napi_value Cells(const Args& args) {
  RunState& state = StateOf(args);
  const Memory memory = MemoryOf(args.env(), args[1]);
  const size_t tensors = state.input_count + state.output_names.size();
  if (memory.bytes < tensors * kCells * sizeof(double))
    throw Failure{FERRY_kInternal, "too few cells"};
  state.cells = static_cast<double*>(memory.data);
  return nullptr;
}

// run(session, inputs, outputs): whether it is done; else the cells tell how much room outputs need
napi_value Run(const Args& args) {
  RunState& state = StateOf(args);
  RefuseSecond(state);
  Prepare(args, state);
  const int code = ferry_engine_run(state.session, state.inputs.data(), state.inputs.size(),
                                    state.outputs.data(), state.outputs.size());
  if (!Finish(args.env(), state, args[2], code)) CheckCall(code);
  return Flag(args.env(), code == FERRY_kOk);
}

// Called on the session's thread.
void Done(void* user, int code, const char* text) {
  const auto& state = *static_cast<RunState*>(user);
  state.inbox->Push({Kinds::kRunDone, state.job, code, text, {}});
}

// runStart(session, inputs, outputs, job): a message for `job` follows, then runFinish is to be
// called. Inputs and outputs are to be kept until then.
napi_value Start(const Args& args) {
  RunState& state = StateOf(args);
  RefuseSecond(state);
  Prepare(args, state);
  state.job = args.Number(3);
  CheckCall(ferry_engine_run_async(state.session, state.inputs.data(), state.inputs.size(),
                                   state.outputs.data(), state.outputs.size(), &Done, &state));
  state.is_running = true;
  return nullptr;
}

// runFinish(session, outputs, code): as run answers; undefined when it failed
napi_value FinishStarted(const Args& args) {
  RunState& state = StateOf(args);
  state.is_running = false;
  const int code = static_cast<int>(args.Number(2));
  if (!Finish(args.env(), state, args[1], code)) return nullptr;
  return Flag(args.env(), code == FERRY_kOk);
}

// sessionResize(session, lists as in run, later)
napi_value Resize(const Args& args) {
  RunState& state = StateOf(args);
  auto inputs = std::make_shared<std::vector<ferry_tensor>>(state.input_count);
  for (size_t i = 0; i < state.input_count; ++i) {
    (*inputs)[i].size = sizeof(ferry_tensor);
    ReadCells(state.cells + i * kCells, (*inputs)[i]);
  }
  return Answer(args, args.Flag(1), [session = state.session, inputs] {
    return ferry_engine_resize(session, inputs->data(), inputs->size());
  });
}

ferry_engine_session* SessionOf(const Args& args) {
  return RawOf<ferry_engine_session>(args, 0, Kind::kEngineSession);
}

// sessionCancel(session)
napi_value Cancel(const Args& args) {
  CheckCall(ferry_engine_cancel(SessionOf(args)));
  return nullptr;
}
// sessionInfo(session)
napi_value Info(const Args& args) {
  auto* session = SessionOf(args);
  return AnswerText(args, false,
                    [=](char** out) { return ferry_engine_session_info(session, out); });
}
// sessionProfile(session)
napi_value Profile(const Args& args) {
  auto* session = SessionOf(args);
  return AnswerText(args, false, [=](char** out) { return ferry_engine_profile(session, out); });
}

}  // namespace

std::shared_ptr<RunState> NewRunState(Addon& addon, const ferry_engine* engine,
                                      ferry_engine_session* session) {
  auto state = std::make_shared<RunState>();
  state->inbox = addon.inbox;
  state->session = session;
  state->input_count = static_cast<size_t>(ferry_engine_input_count(engine));
  state->texts.resize(state->input_count);
  state->text_pointers.resize(state->input_count);
  for (int i = 0; i < ferry_engine_output_count(engine); ++i) {
    ferry_engine_io io{};
    io.size = sizeof(io);
    CheckCall(ferry_engine_output(engine, i, &io));
    state->output_names.push_back(io.name);
  }
  return state;
}

std::vector<Row> RunRows() {
  return {{"sessionCells", &Entry<&Cells>},   {"run", &Entry<&Run>},
          {"runStart", &Entry<&Start>},       {"runFinish", &Entry<&FinishStarted>},
          {"sessionResize", &Entry<&Resize>}, {"sessionCancel", &Entry<&Cancel>},
          {"sessionInfo", &Entry<&Info>},     {"sessionProfile", &Entry<&Profile>}};
}

}  // namespace ferry::node
