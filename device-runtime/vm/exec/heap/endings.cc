// What is told before it is freed: objects with __del__, generators suspended inside a `try`, weak
// references. Nothing here counts references: it happens when a collection finds them dead, after
// `del` of a name (CollectNow) and at the end of the program.
#include <algorithm>

#include "device-runtime/vm/compile/code.h"
#include "device-runtime/vm/exec/call/generator.h"
#include "device-runtime/vm/exec/heap/weak.h"
#include "device-runtime/vm/exec/loop/helper.h"
#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {
namespace {

constexpr int64_t kEntryBytes = 2 * sizeof(void*);
constexpr int64_t kEagerBytes = 8 << 20;  // a `del` collects heaps up to this
constexpr int kMaxLast = 200;             // collections while variables go one by one at the end
constexpr int64_t kEagerSteps = 20000;    // what that costs, whatever the heap holds

bool Guarded(const Generator* generator) {
  if (generator->state != Generator::kSuspended ||
      generator->kind() == GeneratorKind::kAsyncGenerator)
    return false;
  for (const HandlerEntry& entry : generator->function->code->handlers)
    if (generator->pc >= entry.start && generator->pc < entry.end) return true;
  return false;
}

// "Exception ignored in", as CPython reports it; nobody else hears of it.
void Unraisable(Vm& vm, Value v) {
  if (!vm.fatal.ok() || vm.pending.empty()) return;
  Roots roots(vm);
  auto* exception = As<Exception>(roots.Add(vm.pending));
  vm.pending = Value();
  std::string shown;
  if (Is(v, Type::kGenerator)) {  // without its address: the output of a program is always the same
    shown = fmt::format("<generator object {}>",
                        As<Generator>(v)->function->code->qualified_name->view());
  } else if (!vm.Repr(v, &shown)) {
    vm.pending = Value();
  }
  if (!vm.fatal.ok()) return;
  vm.WriteOutput(
      fmt::format("Exception ignored in: {}\n{}\n", shown, vm.FormatTraceback(exception)), true);
  if (vm.fatal.ok()) vm.pending = Value();
}

void Tell(Vm& vm, Value v) {
  if (Is(v, Type::kGenerator)) {
    CloseGenerator(vm, As<Generator>(v));
  } else if (Record* reference = AsWeak(vm, v); reference != nullptr) {
    const Value back = std::exchange(reference->values[kWeakCallback], Value::None());
    if (!back.IsNone()) vm.Call(back, &v, 1);
  } else {
    bool found;
    vm.CallSpecial(v, vm.names.del, nullptr, 0, &found);
  }
  Unraisable(vm, v);
}

bool Among(const std::deque<Value>& values, size_t from, const Object* object) {
  for (size_t i = from; i < values.size(); ++i)
    if (values[i].object() == object) return true;
  return false;
}

}  // namespace

bool Vm::Track(Object* object) {
  if (!heap.Charge(kEntryBytes)) return !OutOfMemory().empty();
  finalizable.push_back(object);
  return true;
}

bool Vm::TrackWeak(Record* record) {
  if (!heap.Charge(kEntryBytes)) return !OutOfMemory().empty();
  weak.push_back(record);
  return true;
}

void Vm::FindDying() {
  const size_t before = dying.size();
  std::erase_if(finalizable, [&](Object* object) {
    if (object->marked) return false;
    dying.push_back(Value::Of(object));
    return true;
  });
  const bool guarded = std::any_of(codes.begin(), codes.end(), [](const CodeObject& code) {
    return code.generator && !code.handlers.empty();
  });
  if (guarded)
    heap.DeadGenerators([&](Generator* generator) {
      if (!Guarded(generator) || !heap.Charge(kEntryBytes)) return;
      dying.push_back(Value::Of(generator));
    });
  for (size_t i = before; i < dying.size(); ++i) heap.Mark(dying[i]);
  heap.Drain();
  const size_t dead = dying.size();
  std::erase_if(weak, [&](Record* reference) {
    const bool gone = !reference->marked;
    Object* const to = gone ? nullptr : WeakTarget(reference);
    if (!gone && to != nullptr && to->marked && !Among(dying, before, to)) return false;
    if (!gone && to != nullptr) {
      reference->values[kWeakTarget] = Value::None();
      if (!reference->values[kWeakCallback].IsNone()) {
        dying.push_back(Value::Of(reference));  // its charge goes with it
        return true;
      }
    }
    heap.Discharge(kEntryBytes);
    return true;
  });
  // Callbacks come before what their objects do, as where references are counted.
  std::rotate(dying.begin() + static_cast<std::ptrdiff_t>(before),
              dying.begin() + static_cast<std::ptrdiff_t>(dead), dying.end());
}

void Vm::RunDying() {
  if (finalizing || dying.empty() || collection_blocked > 0) return;
  finalizing = true;
  const Value outer = pending, passed = passing;
  Roots roots(*this);
  roots.Add(outer);
  roots.Add(passed);
  pending = Value();
  while (!dying.empty() && fatal.ok()) {
    Roots inner(*this);
    const Value v = inner.Add(dying.front());
    dying.pop_front();
    heap.Discharge(kEntryBytes);
    Tell(*this, v);
  }
  if (fatal.ok()) {
    pending = outer;
    passing = passed;
  }
  finalizing = false;
}

void Vm::CollectNow(Value* dead) {
  if (frames.empty() || collection_blocked > 0) return;
  const Frame& frame = frames.back();
  Value* const end = frame.base + frame.code->registers;
  if (dead < frame.base) dead = end;  // not of this frame
  for (Value* v = dead; v < end; ++v) *v = Value();
  Collect();
  RunDying();
}

static Value CollectSoon(Vm& vm, Value* dead) {
  if (vm.heap.used() > kEagerBytes || vm.collection_blocked > 0) return Value::None();
  if (!vm.ChargeSteps(kEagerSteps)) return Value();
  vm.CollectNow(dead);
  return vm.failed() ? Value() : Value::None();
}

Value DroppedHelper(Vm& vm, Value* args) {
  if (vm.finalizable.empty() && vm.weak.empty()) return Value::None();
  return CollectSoon(vm, args);
}

Value LeaveLoopHelper(Vm& vm, Value* args) {
  const bool waits = IsExact(args[0], Type::kGenerator) && Guarded(As<Generator>(args[0]));
  return waits ? CollectSoon(vm, args) : Value::None();
}

// What scripts have registered with atexit; it tells of what fails itself.
static void RunExitFunctions(Vm& vm) {
  const Value module = vm.Imported("atexit");
  String* const name = module.empty() ? nullptr : vm.Intern("_run_exitfuncs");
  const Value run = name == nullptr ? Value() : vm.GetAttributeOrEmpty(module, name);
  if (!run.empty()) vm.Call(run, nullptr, 0);
  if (vm.fatal.ok()) vm.pending = Value();
}

void Vm::Finish() {
  if (!fatal.ok()) return;
  RunExitFunctions(*this);
  Collect();
  RunDying();
  const Value found = Imported("__main__");
  if (found.empty()) return;
  auto* main = As<Module>(found);
  const bool careful = heap.used() < kEagerBytes && !finalizable.empty();
  int collections = 0;
  // As at the end of CPython: names with an underscore first, then the others as they were defined.
  for (const bool hidden : {true, false}) {
    for (uint32_t i = 0; i < main->count && fatal.ok(); ++i) {
      if (main->slots[i].name->view().starts_with("_") != hidden) continue;
      const Value old = std::exchange(main->slots[i].value, Value());
      if (!careful || finalizable.empty() || !old.IsObject() || ++collections > kMaxLast) continue;
      Collect();
      RunDying();
    }
  }
  if (fatal.ok()) Collect();
  RunDying();
  // Those that a __del__ makes now are not told.
  for (size_t left = finalizable.size(); left > 0 && !finalizable.empty() && fatal.ok(); --left) {
    dying.push_back(Value::Of(finalizable.front()));
    finalizable.erase(finalizable.begin());
    RunDying();
  }
  pending = Value();
}

}  // namespace ferry::vm
