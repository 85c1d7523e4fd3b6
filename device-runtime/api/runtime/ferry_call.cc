// The call of ferry.h on functions of tasks.
#include <algorithm>
#include <cctype>

#include "common/base/json.h"
#include "device-runtime/api/ferry.h"
#include "device-runtime/api/runtime/connected_agent.h"
#include "device-runtime/api/runtime/runtime.h"
#include "device-runtime/api/runtime/runtime_handle.h"
#include "device-runtime/task/task_set.h"
#include "pipeline/event/event.h"

namespace ferry::api {
namespace {

constexpr size_t kMaxCalledBytes = 128;  // of the name of a function

// Names that begin with an underscore are the script's own.
bool IsCallable(std::string_view function) {
  if (function.empty() || function.size() > kMaxCalledBytes) return false;
  if (!std::isalpha(static_cast<unsigned char>(function[0]))) return false;
  return std::all_of(function.begin(), function.end(), [](char c) {
    return c == '_' || std::isalnum(static_cast<unsigned char>(c));
  });
}

}  // namespace

Status ConnectedAgent::Call(const std::string& package, const std::string& function, Json argument,
                            uint64_t call) {
  return agent_->Call(package, function, std::move(argument), call);
}

Result<uint64_t> RuntimeCore::Call(const std::string& package, const std::string& function,
                                   Json argument) {
  if (!IsCallable(function))
    return Status::Of(Code::kInvalidArgument, "\"{}\" is no name of a function that apps call",
                      function.substr(0, kMaxCalledBytes));
  const uint64_t call = ++calls_;
  const auto connected = agent();
  const bool local = opened_->Find(package) != nullptr || connected == nullptr;
  FERRY_TRY(local ? opened_->Call(package, function, std::move(argument), call)
                  : connected->Call(package, function, std::move(argument), call));
  return call;
}

namespace {

Result<uint64_t> CallTask(const std::shared_ptr<ferry_runtime>& self, const char* package,
                          const char* function, std::string_view argument_json) {
  if (argument_json.size() > event::kMaxEventBytes)
    return Status::Of(Code::kLimitExceeded, "argument_json of {} bytes, the limit is {}",
                      argument_json.size(), event::kMaxEventBytes);
  FERRY_ASSIGN_OR_RETURN(Json argument, ParseJson(argument_json).Context("argument_json"));
  return self->runtime->Call(package, function, std::move(argument));
}

}  // namespace
}  // namespace ferry::api

extern "C" int ferry_task_call(ferry_runtime* runtime, const char* package, const char* function,
                               const char* argument_json, uint64_t* call) {
  using namespace ferry::api;
  if (call != nullptr) *call = 0;
  FERRY_FIND(ferry_runtime, self, runtime);
  if (package == nullptr) return Missing("package");
  if (function == nullptr) return Missing("function");
  if (argument_json == nullptr) return Missing("argument_json");
  const auto number = CallTask(self, package, function, argument_json);
  if (number.ok() && call != nullptr) *call = *number;
  return Return(number.status());
}
