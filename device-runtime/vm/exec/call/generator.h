// Generators, coroutines and what `yield from` and `await` delegate to.
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// Runs an iterator on with `sent`: what it yields; empty and nothing pending when it is over, then
// *result is its result (of StopIteration or `return`). Source of the protocol: PEP 380.
Value SendInto(Vm& vm, Value iterator, Value sent, Value* result);
// The same with an exception thrown into it.
Value ThrowInto(Vm& vm, Value iterator, Value exception, Value* result);
// What the iterator yields; or, when it is over, its result, and *over is true. Empty: it failed.
Value SendOn(Vm& vm, Value iterator, Value sent, bool* over);
// generator.close(); false: it failed.
bool CloseGenerator(Vm& vm, Generator* generator);
bool CloseIterator(Vm& vm, Value iterator);
// Raises StopIteration, or what ends the kind of generator.
Value RaiseStop(Vm& vm, Value result);
// The iterator that a suspended generator delegates to, or empty.
Value DelegatedTo(Generator* generator);
// Whether a suspended async generator stands at a `yield` of its own, not at an await.
bool AtOwnYield(Generator* generator);
// "generator", "coroutine" or "async generator".
std::string_view KindName(Generator* generator);
// One step of an async generator (IteratorKind::kAsyncStep), as SendInto and ThrowInto.
Value SendStep(Vm& vm, Iterator* step, Value sent, Value* result);
Value ThrowStep(Vm& vm, Iterator* step, Value exception, Value* result);
// Makes one: send `argument`, throw it, or close.
enum class StepMode : int64_t { kNext, kSend, kThrow, kClose };
Value NewStep(Vm& vm, Generator* generator, StepMode mode, Value argument);

}  // namespace ferry::vm
