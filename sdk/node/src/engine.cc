// Models: opening, what they say of themselves, their sessions.
#include <cstdlib>
#include <cstring>
#include <memory>

#include "sdk/node/src/handle.h"
#include "sdk/node/src/run.h"

namespace ferry::node {
namespace {

constexpr size_t kModelAlignment = 64;  // so that weights are not copied again

ferry_engine_options OptionsOf(const Args& args, size_t i) {
  ferry_engine_options options{};
  options.size = sizeof(options);
  options.verify = args.Flag(i) ? 1 : 0;
  return options;
}

napi_value AnswerEngine(const Args& args, bool later,
                        std::function<int(const ferry_engine_options*, ferry_engine**)> open,
                        size_t verify) {
  auto made = std::make_shared<ferry_engine*>(nullptr);
  return Answer(
      args, later, [=, options = OptionsOf(args, verify)] { return open(&options, made.get()); },
      [=, addon = &args.addon()](napi_env) { return NewHandle(*addon, Kind::kEngine, *made); });
}

// engineOpen(path, verify, later)
napi_value OpenPath(const Args& args) {
  const auto open = [path = args.Text(0)](const auto* options, ferry_engine** out) {
    return ferry_engine_open(path.c_str(), options, out);
  };
  return AnswerEngine(args, args.Flag(2), open, 1);
}

// engineOpenMemory(bytes, verify, later): of a copy, for nothing keeps a script from changing or
// giving away its own.
napi_value OpenMemory(const Args& args) {
  const Memory memory = MemoryOf(args.env(), args[0]);
  const size_t room = (memory.bytes / kModelAlignment + 1) * kModelAlignment;
  void* copy = std::aligned_alloc(kModelAlignment, room);
  if (copy == nullptr) throw std::bad_alloc();
  if (memory.bytes > 0) std::memcpy(copy, memory.data, memory.bytes);
  const auto open = [copy, bytes = memory.bytes](const auto* options, ferry_engine** out) {
    return ferry_engine_open_memory(copy, bytes, options, &std::free, copy, out);
  };
  return AnswerEngine(args, args.Flag(2), open, 1);
}

// engineOpenDescriptor(descriptor, offset, length, verify, later)
napi_value OpenDescriptor(const Args& args) {
  const auto open = [descriptor = static_cast<int>(args.Number(0)), offset = args.Whole(1),
                     length = args.Whole(2)](const auto* options, ferry_engine** out) {
    return ferry_engine_open_descriptor(descriptor, static_cast<uint64_t>(offset),
                                        static_cast<uint64_t>(length), options, out);
  };
  return AnswerEngine(args, args.Flag(4), open, 3);
}

// engineOpenPackage(runtime, name, verify, later)
napi_value OpenPackage(const Args& args) {
  const auto open = [runtime = RawOf<ferry_runtime>(args, 0, Kind::kRuntime), name = args.Text(1)](
                        const auto* options, ferry_engine** out) {
    return ferry_engine_open_package(runtime, name.c_str(), options, out);
  };
  return AnswerEngine(args, args.Flag(3), open, 2);
}

void Set(napi_env env, napi_value object, const char* name, napi_value value) {
  Check(env, napi_set_named_property(env, object, name, value));
}

napi_value IoValue(napi_env env, const ferry_engine_io& io) {
  napi_value out, shape, symbols;
  const auto rank = static_cast<uint32_t>(io.rank < 0 ? 0 : io.rank);
  Check(env, napi_create_object(env, &out));
  Check(env, napi_create_array_with_length(env, rank, &shape));
  Check(env, napi_create_array_with_length(env, rank, &symbols));
  for (uint32_t i = 0; i < rank; ++i) {
    Check(env, napi_set_element(env, shape, i, Number(env, static_cast<double>(io.shape[i]))));
    Check(env, napi_set_element(env, symbols, i, Text(env, std::string(io.symbols[i]))));
  }
  Set(env, out, "name", Text(env, std::string(io.name)));
  Set(env, out, "type", Number(env, io.type));
  Set(env, out, "rank", Number(env, io.rank));
  Set(env, out, "shape", shape);
  Set(env, out, "symbols", symbols);
  Set(env, out, "kind", Text(env, std::string(io.kind)));
  Set(env, out, "scale", Number(env, io.scale));
  Set(env, out, "zeroPoint", Number(env, static_cast<double>(io.zero_point)));
  return out;
}

napi_value Describe(const Args& args, int (*count)(const ferry_engine*),
                    int (*one)(const ferry_engine*, int, ferry_engine_io*)) {
  const auto* engine = RawOf<ferry_engine>(args, 0, Kind::kEngine);
  const int most = count(engine);
  napi_value list;
  Check(args.env(), napi_create_array(args.env(), &list));
  for (int i = 0; i < most || i == 0; ++i) {
    ferry_engine_io io{};
    io.size = sizeof(io);
    const int code = one(engine, i, &io);
    if (code == FERRY_kOutOfRange) break;
    CheckCall(code);  // a closed engine has no inputs either
    Check(args.env(),
          napi_set_element(args.env(), list, static_cast<uint32_t>(i), IoValue(args.env(), io)));
  }
  return list;
}

// engineInputs(engine)
napi_value Inputs(const Args& args) {
  return Describe(args, &ferry_engine_input_count, &ferry_engine_input);
}
// engineOutputs(engine)
napi_value Outputs(const Args& args) {
  return Describe(args, &ferry_engine_output_count, &ferry_engine_output);
}
// engineInfo(engine)
napi_value Info(const Args& args) {
  const auto* engine = RawOf<ferry_engine>(args, 0, Kind::kEngine);
  return AnswerText(args, false, [=](char** out) { return ferry_engine_info(engine, out); });
}
// engineIsas()
napi_value Isas(const Args& args) {
  return AnswerText(args, false, &ferry_engine_isas);
}

// close(handle, kind)
napi_value Close(const Args& args) {
  CloseHandle(HandleOf(args, 0, static_cast<Kind>(args.Whole(1))));
  return nullptr;
}

// sessionCreate(engine, {threads, precision, isa, backends, memoryBytes, profile, tuneFile, tune,
// seed} as arguments in this order, later)
napi_value CreateSession(const Args& args) {
  struct Settings {
    ferry_engine_session_options options{};
    std::optional<std::string> isa, backends, tune_file;
    ferry_engine_session* made = nullptr;
  };
  auto settings = std::make_shared<Settings>();
  auto& options = settings->options;
  options.size = sizeof(options);
  options.threads = static_cast<int>(args.Number(1));
  options.precision = static_cast<int>(args.Number(2));
  settings->isa = args.MaybeText(3);
  settings->backends = args.MaybeText(4);
  options.memory_bytes = args.Whole(5);
  options.profile = args.Flag(6) ? 1 : 0;
  settings->tune_file = args.MaybeText(7);
  options.tune = args.Flag(8) ? 1 : 0;
  options.seed = args.Big(9);
  const auto text = [](const auto& given) { return given ? given->c_str() : nullptr; };
  options.isa = text(settings->isa);
  options.backends = text(settings->backends);
  options.tune_file = text(settings->tune_file);
  const auto* engine = RawOf<ferry_engine>(args, 0, Kind::kEngine);
  return Answer(
      args, args.Flag(10),
      [=] { return ferry_engine_session_create(engine, &settings->options, &settings->made); },
      [=, addon = &args.addon()](napi_env) {
        return NewHandle(*addon, Kind::kEngineSession, settings->made,
                         NewRunState(*addon, engine, settings->made));
      });
}

}  // namespace

std::vector<Row> EngineRows() {
  return {{"engineOpen", &Entry<&OpenPath>},
          {"engineOpenMemory", &Entry<&OpenMemory>},
          {"engineOpenDescriptor", &Entry<&OpenDescriptor>},
          {"engineOpenPackage", &Entry<&OpenPackage>},
          {"engineInputs", &Entry<&Inputs>},
          {"engineOutputs", &Entry<&Outputs>},
          {"engineInfo", &Entry<&Info>},
          {"engineIsas", &Entry<&Isas>},
          {"sessionCreate", &Entry<&CreateSession>},
          {"close", &Entry<&Close>}};
}

}  // namespace ferry::node
