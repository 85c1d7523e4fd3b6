// Isolate: one task's own interpreter of the Python-language subset (README.md): heap, modules,
// limits. Isolates share nothing, so any number run at once on any threads.
//
//   vm::Isolate::Options options;
//   options.loader = [&](std::string_view module) -> Result<std::string> { ...source text... };
//   options.modules = {&bindings::EngineModule(), &bindings::EventsModule()};
//   FERRY_ASSIGN_OR_RETURN(auto isolate, vm::Isolate::Create(options));
//   FERRY_TRY(isolate->Import("task"));
//   FERRY_ASSIGN_OR_RETURN(Json result, isolate->CallJson("task", "on_trigger", {events}));
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"
#include "common/sys/clock.h"
#include "device-runtime/vm/native.h"
#include "device-runtime/vm/schedule/pacer.h"
#include "device-runtime/vm/value.h"

namespace ferry::vm {

struct EmbeddedLibrary;
struct Vm;

inline constexpr int kMaxDepth = 5000;               // the largest Limits::depth
inline constexpr size_t kMaxSourceBytes = 4u << 20;  // of one module

// What a script may use. Past each, the run ends with the code named; no `except` catches it.
struct Limits {
  // Instructions of each Import or Call; kScriptTime. The same number on every machine.
  int64_t steps = 100'000'000;
  int64_t memory_bytes = 64 << 20;  // heap and external memory; kScriptMemory
  int depth = 500;                  // nested calls; kScriptDepth; 1..kMaxDepth
  int64_t wall_ns = 0;              // of each Import or Call; kDeadlineExceeded; 0: none
  int64_t output_bytes = 0;         // of all that is printed; kLimitExceeded; 0: none
  // An object that would be larger than any may be (2^28 items, 1 GiB of text, `memory_bytes`)
  // raises MemoryError, which scripts may catch, instead of ending the run by kScriptMemory.
  bool memory_error = false;

  // ---- host/isolate.cc ----
  // Limits as large as they can be: for scripts that one's own user trusts.
  static Limits None();
};
// ---- host/isolate.cc ----
// "instructions", "memory", "recursion", "time" or "output" when the code of `status`, which comes
// from an Isolate, says that such a limit was passed; else empty.
std::string_view LimitName(const Status& status);

// A module as its loader found it.
struct ModuleFile {
  ModuleFile() = default;
  ModuleFile(std::string b) : bytes(std::move(b)) {}  // NOLINT: implicit, for plain modules
  std::string bytes;
  std::string file = {};  // for tracebacks; the module's name with ".py" when empty
  bool package = false;   // it may hold modules: its file is an __init__.py
};
// The file of the module `name` ("preprocess", "lib.image"); kNotFound when there is none.
using SourceLoader = std::function<Result<ModuleFile>(std::string_view name)>;
// One piece of text that the script writes.
using PrintSink = std::function<void(std::string_view text)>;

struct Usage {
  int64_t steps = 0;              // of the last Import or Call
  int64_t memory_bytes = 0;       // now
  int64_t peak_memory_bytes = 0;  // as the limit counts: whole blocks of the heap
  int64_t external_bytes = 0;     // now; part of memory_bytes
};

// ---- compile/ahead.cc ----
// Parses and compiles, runs nothing: kScriptSyntax with "file:line:column: message" and the line
// with a caret. `file` is only a name.
Status CheckSyntax(std::string_view source, std::string_view file);

// One thread at a time; it may be another thread each time. After any failure, a passed limit too,
// the isolate can be called again or destroyed.
//
// A Value from an isolate is good until the next Import, Call or CallJson of that isolate, unless a
// module variable reaches it or it is pinned.
class Isolate {
 public:
  struct Options {
    Limits limits;
    SourceLoader loader;            // absent: only native and standard modules can be imported
    PrintSink print;                // standard output of print(); absent: it goes nowhere
    PrintSink print_error;          // sys.stderr, uncaught exceptions of RunMain; absent: nowhere
    std::vector<std::string> argv;  // sys.argv
    std::vector<const NativeModule*> modules;
    // Standard modules beside those that every runtime has: &DeskLibrary() (embed/desk.h); null:
    // none. Outlives the isolate.
    const EmbeddedLibrary* desk = nullptr;
    void* host = nullptr;  // for native functions: CallContext::host
    // Whether scripts may ask for the date: time.time(), datetime.now() ...
    bool wall_clock = true;
    sys::Clock* clock = nullptr;  // of the limit of time; null: the machine's; outlives the isolate
    // Lets nanoseconds pass when a script sleeps or waits, at most a few milliseconds a call;
    // absent: the thread sleeps. With a clock of one's own it moves that one.
    std::function<void(int64_t ns)> sleep;
    // For tests: collect at every safe point, the first times it is passed and ever more rarely
    // after, and overwrite what is freed.
    bool collect_always = false;
  };
  // ---- host/isolate.cc ----
  static Result<std::unique_ptr<Isolate>> Create(Options options);
  ~Isolate();
  Isolate(const Isolate&) = delete;
  Isolate& operator=(const Isolate&) = delete;

  // Loads, compiles and runs a module once, with what it imports; later calls give the same module.
  // kScriptSyntax, kScriptRaised (the message ends with the traceback) or a limit's code.
  Result<Value> Import(std::string_view module);
  // Runs `source` as the module `name`, which must be new.
  Result<Value> RunSource(std::string_view source, std::string_view name);

  // ---- host/program.cc ----
  // Runs `source` as a program, the module `__main__` of `file`, once in the isolate's life. Gives
  // the exit status that Python would end with: SystemExit's, or 1 after an exception that nothing
  // caught or source that does not compile, whose text goes to print_error. Fails only past a limit
  // and when interrupted.
  Result<int> RunMain(std::string_view source, std::string_view file);

  // ---- host/isolate.cc ----
  // A variable of an imported module; kNotFound.
  Result<Value> GetGlobal(std::string_view module, std::string_view name);
  // Calls a function of the isolate; it fails as Import does.
  Result<Value> Call(Value function, std::span<const Value> args);
  // Import(module), its function `name`, arguments and result as JSON.
  Result<nlohmann::json> CallJson(std::string_view module, std::string_view name,
                                  std::span<const nlohmann::json> args);

  Result<Value> FromJson(const nlohmann::json& json);
  // kMalformed when a value has no JSON form; tuples become arrays.
  Result<nlohmann::json> ToJson(Value value);
  // repr(value), for people.
  Result<std::string> Repr(Value value);

  // Keeps a value alive over calls; Unpin once for each Pin.
  void Pin(Value value);
  void Unpin(Value value);

  // Memory outside the script's heap that belongs to the task; kScriptMemory when it does not fit.
  // Collects first when that may help. Negative gives back.
  Status ChargeExternal(int64_t bytes);

  // Whom the scripts of this isolate ask for their turn from now on; nullptr: nobody. Outlives its
  // use.
  void SetPacer(Pacer* pacer);
  // From any thread: the running script, if any, ends soon with kCancelled.
  void Interrupt();
  void Collect();
  Usage usage() const;
  Vm& vm() { return *vm_; }

 private:
  explicit Isolate(std::unique_ptr<Vm> vm);
  std::unique_ptr<Vm> vm_;
};

}  // namespace ferry::vm
