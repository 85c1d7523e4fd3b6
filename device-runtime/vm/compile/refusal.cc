#include "device-runtime/vm/compile/refusal.h"

namespace ferry::vm {
namespace {

struct Row {
  std::string_view name, reason;
};

constexpr std::string_view kNoSource = "tasks run only the code of their package";
constexpr std::string_view kNoFiles = "tasks reach no files";
constexpr std::string_view kNoThreads = "a task runs in one thread; use asyncio";
constexpr std::string_view kNoProcess = "tasks start no processes";
constexpr std::string_view kNoNetwork = "tasks reach no network";
constexpr std::string_view kNoInternals = "the interpreter's insides are not open to tasks";

constexpr Row kNames[] = {{"__import__", "modules are named in import statements"},
                          {"breakpoint", "there is no debugger in a task"},
                          {"compile", kNoSource},
                          {"eval", kNoSource},
                          {"exec", kNoSource},
                          {"input", "tasks have no keyboard"},
                          {"open", kNoFiles}};

constexpr Row kModules[] = {{"_thread", kNoThreads},
                            {"code", kNoSource},
                            {"concurrent", kNoThreads},
                            {"ctypes", "tasks call no native libraries"},
                            {"dis", kNoInternals},
                            {"fcntl", kNoFiles},
                            {"glob", kNoFiles},
                            {"http", kNoNetwork},
                            {"importlib", kNoInternals},
                            {"mmap", kNoFiles},
                            {"multiprocessing", kNoProcess},
                            {"os", kNoFiles},
                            {"pathlib", kNoFiles},
                            {"pty", kNoProcess},
                            {"runpy", kNoSource},
                            {"select", kNoNetwork},
                            {"selectors", kNoNetwork},
                            {"shutil", kNoFiles},
                            {"signal", kNoProcess},
                            {"socket", kNoNetwork},
                            {"ssl", kNoNetwork},
                            {"subprocess", kNoProcess},
                            {"tempfile", kNoFiles},
                            {"threading", kNoThreads},
                            {"urllib", kNoNetwork}};

template <size_t N>
std::string_view Find(const Row (&rows)[N], std::string_view name) {
  for (const Row& row : rows)
    if (row.name == name) return row.reason;
  return {};
}

}  // namespace

std::string_view RefusedName(std::string_view name) {
  return Find(kNames, name);
}

std::string_view RefusedModule(std::string_view name) {
  return Find(kModules, name.substr(0, name.find('.')));
}

}  // namespace ferry::vm
