// The addon's table of functions, and how a call comes in and goes out.
#include "sdk/node/src/addon.h"

#include <cmath>
#include <new>

#include "sdk/node/src/handle.h"
#include "sdk/node/src/inbox.h"

namespace ferry::node {

void Check(napi_env env, napi_status status) {
  if (status == napi_ok) return;
  bool is_pending = false;
  napi_is_exception_pending(env, &is_pending);
  if (!is_pending) {
    const napi_extended_error_info* info = nullptr;
    napi_get_last_error_info(env, &info);
    const char* text = info != nullptr ? info->error_message : nullptr;
    napi_throw_type_error(env, nullptr, text != nullptr ? text : "Node-API refused a call");
  }
  throw Pending{};
}

void CheckCall(int code) {
  if (code != FERRY_kOk) throw Failure{code, ferry_error_text()};
}

std::string TextOf(napi_env env, napi_value value) {
  size_t size = 0;
  Check(env, napi_get_value_string_utf8(env, value, nullptr, 0, &size));
  std::string text(size, '\0');
  Check(env, napi_get_value_string_utf8(env, value, text.data(), size + 1, &size));
  if (text.find('\0') != std::string::npos)
    throw Failure{FERRY_kInvalidArgument, "a text with a character 0"};
  return text;
}

napi_value Text(napi_env env, const char* text, size_t size) {
  napi_value value;
  Check(env, napi_create_string_utf8(env, text, size, &value));
  return value;
}
napi_value Text(napi_env env, const std::string& text) {
  return Text(env, text.data(), text.size());
}
napi_value Number(napi_env env, double number) {
  napi_value value;
  Check(env, napi_create_double(env, number, &value));
  return value;
}
napi_value Undefined(napi_env env) {
  napi_value value;
  Check(env, napi_get_undefined(env, &value));
  return value;
}

Memory MemoryOf(napi_env env, napi_value value) {
  static constexpr size_t kSizes[] = {1, 1, 1, 2, 2, 4, 4, 4, 8, 8, 8};
  napi_typedarray_type type;
  size_t length = 0;
  Memory out;
  Check(env, napi_get_typedarray_info(env, value, &type, &length, &out.data, nullptr, nullptr));
  if (static_cast<size_t>(type) >= std::size(kSizes))
    throw Failure{FERRY_kUnsupported, "a typed array of a kind that Node-API 8 does not know"};
  out.bytes = length * kSizes[type];
  return out;
}

napi_value ErrorValue(Addon& addon, const Failure& failure) {
  napi_value constructor, error;
  Check(addon.env, napi_get_reference_value(addon.env, addon.error_class, &constructor));
  napi_value args[] = {Number(addon.env, failure.code),
                       Text(addon.env, std::string(ferry_code_name(failure.code))),
                       Text(addon.env, failure.text)};
  Check(addon.env, napi_new_instance(addon.env, constructor, std::size(args), args, &error));
  return error;
}

Args::Args(napi_env env, napi_callback_info info) : env_(env) {
  void* addon = nullptr;
  Check(env, napi_get_instance_data(env, &addon));
  addon_ = static_cast<Addon*>(addon);
  Check(env, napi_get_cb_info(env, info, &count_, values_, nullptr, nullptr));
}

napi_value Args::operator[](size_t i) const {
  return i < kMost ? values_[i] : Undefined(env_);
}

bool Args::Has(size_t i) const {
  napi_valuetype type;
  Check(env_, napi_typeof(env_, (*this)[i], &type));
  return type != napi_undefined && type != napi_null;
}

std::optional<std::string> Args::MaybeText(size_t i) const {
  if (!Has(i)) return std::nullopt;
  return Text(i);
}

double Args::Number(size_t i) const {
  double number = 0;
  Check(env_, napi_get_value_double(env_, (*this)[i], &number));
  return number;
}

bool Args::Flag(size_t i) const {
  bool flag = false;
  Check(env_, napi_get_value_bool(env_, (*this)[i], &flag));
  return flag;
}

uint64_t Args::Big(size_t i) const {
  uint64_t number = 0;
  bool is_lossless = false;
  Check(env_, napi_get_value_bigint_uint64(env_, (*this)[i], &number, &is_lossless));
  return number;
}

napi_value Enter(napi_env env, napi_callback_info info, Function function) {
  try {
    const Args args(env, info);
    try {
      return function(args);
    } catch (const Failure& failure) {
      napi_throw(env, ErrorValue(args.addon(), failure));
    } catch (const std::bad_alloc&) {
      napi_throw(env, ErrorValue(args.addon(), {FERRY_kOutOfMemory, "memory of the addon"}));
    }
  } catch (const Pending&) {
  }
  return nullptr;
}

namespace {

// The environment ends: what still runs is ended before its memory goes.
void CleanUp(void* data) {
  auto* addon = static_cast<Addon*>(data);
  if (addon->inbox != nullptr) addon->inbox->Close();
  // Sessions before what they stand on, so that those have nothing to wait for.
  for (const Kind kind : {Kind::kSession, Kind::kEngineSession, Kind::kAdapter, Kind::kModel,
                          Kind::kEngine, Kind::kStream, Kind::kRuntime}) {
    std::vector<Handle*> open;
    for (Handle* handle : addon->handles)
      if (handle->kind == kind) open.push_back(handle);
    for (Handle* handle : open) CloseHandle(*handle);
  }
}

// attach(FerryError, dispatch): before any other function.
napi_value Attach(const Args& args) {
  Check(args.env(), napi_create_reference(args.env(), args[0], 1, &args.addon().error_class));
  args.addon().inbox = Inbox::Open(args.env(), args[1]);
  // Behind the inbox's own hook, which leaves nothing to wake: hooks run last in, first out.
  Check(args.env(), napi_add_env_cleanup_hook(args.env(), &CleanUp, &args.addon()));
  return nullptr;
}

// hold(whether): the process lives on for messages.
napi_value Hold(const Args& args) {
  args.addon().inbox->Hold(args.Flag(0));
  return nullptr;
}

// leave(): the environment ends; nothing waits any more.
napi_value Leave(const Args& args) {
  args.addon().inbox->Close();
  return nullptr;
}

napi_value Version(const Args& args) {
  return Text(args.env(), std::string(ferry_version()));
}

napi_value CodeName(const Args& args) {
  return Text(args.env(), std::string(ferry_code_name(static_cast<int>(args.Number(0)))));
}

// [[name, bytes], ..] by number.
napi_value Types(const Args& args) {
  napi_value list;
  Check(args.env(), napi_create_array(args.env(), &list));
  for (int type = 0; type < 64; ++type) {
    const char* name = ferry_type_name(type);
    if (name == nullptr) continue;
    napi_value pair;
    Check(args.env(), napi_create_array_with_length(args.env(), 2, &pair));
    Check(args.env(), napi_set_element(args.env(), pair, 0, Text(args.env(), std::string(name))));
    Check(args.env(),
          napi_set_element(args.env(), pair, 1,
                           Number(args.env(), static_cast<double>(ferry_type_bytes(type)))));
    Check(args.env(), napi_set_element(args.env(), list, static_cast<uint32_t>(type), pair));
  }
  return list;
}

napi_value Start(napi_env env, napi_value exports) {
  auto* addon = new Addon();
  addon->env = env;
  napi_set_instance_data(
      env, addon, [](napi_env, void* data, void*) { delete static_cast<Addon*>(data); }, nullptr);
  std::vector<Row> rows = {{"attach", &Entry<&Attach>},     {"hold", &Entry<&Hold>},
                           {"leave", &Entry<&Leave>},       {"version", &Entry<&Version>},
                           {"codeName", &Entry<&CodeName>}, {"types", &Entry<&Types>}};
  for (const auto& more :
       {EngineRows(), RunRows(), RuntimeRows(), TableRows(), LanguageRows(), StreamRows()})
    rows.insert(rows.end(), more.begin(), more.end());
  for (const Row& row : rows) {
    napi_value function;
    if (napi_create_function(env, row.name, NAPI_AUTO_LENGTH, row.function, nullptr, &function) !=
            napi_ok ||
        napi_set_named_property(env, exports, row.name, function) != napi_ok)
      return nullptr;
  }
  return exports;
}

}  // namespace
}  // namespace ferry::node

NAPI_MODULE_INIT() {
  return ferry::node::Start(env, exports);
}
