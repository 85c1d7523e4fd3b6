// Generators, coroutines and what `yield from` and `await` delegate to.
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// Runs an iterator on with `sent` and gives what it yields. Empty with nothing pending: it is over,
// and *result is its result (that of StopIteration or of `return`); empty with something pending:
// it failed. Scripts run. Source of the protocol: PEP 380.
Value SendInto(Vm& vm, Value iterator, Value sent, Value* result);
// The same with an exception thrown into it.
Value ThrowInto(Vm& vm, Value iterator, Value exception, Value* result);
// The same as SendInto in another form: what the iterator yields or, when it is over, its result,
// and *over is true. Empty: it failed.
Value SendOn(Vm& vm, Value iterator, Value sent, bool* over);
// generator.close(); false: it failed. Scripts run.
bool CloseGenerator(Vm& vm, Generator* generator);
// The same for whatever `yield from` delegates to; nothing is done to what has no close().
bool CloseIterator(Vm& vm, Value iterator);
// Raises StopIteration with the result of a generator, unless that is empty or None. Empty.
Value RaiseStop(Vm& vm, Value result);
// The iterator that a suspended generator delegates to, or empty with nothing pending.
Value DelegatedTo(Generator* generator);
// Whether a suspended async generator stands at a `yield` of its own, not at an await.
bool AtOwnYield(Generator* generator);
// "generator", "coroutine" or "async generator".
std::string_view KindName(Generator* generator);

// ---- async.cc ----
// One step of an async generator (IteratorKind::kAsyncStep): what comes back, and how it fails, is
// what SendInto and ThrowInto say.
Value SendStep(Vm& vm, Iterator* step, Value sent, Value* result);
Value ThrowStep(Vm& vm, Iterator* step, Value exception, Value* result);
// What a step does when it first runs: it sends `argument`, throws it, or closes.
enum class StepMode : int64_t { kNext, kSend, kThrow, kClose };
// Makes a step, which has not run. Empty: there is no memory.
Value NewStep(Vm& vm, Generator* generator, StepMode mode, Value argument);

}  // namespace ferry::vm
