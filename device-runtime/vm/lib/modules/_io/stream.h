// What the streams in memory share.
#pragma once

#include "device-runtime/vm/lib/method.h"

namespace ferry::vm {

// ---- text.cc ----
extern const RecordType kTextStream;
// Adds the attributes that are no methods; false: there is no memory.
bool AddTextProperties(Vm& vm, Class* cls);

// ---- bytes.cc ----
extern const RecordType kByteStream;
bool AddByteProperties(Vm& vm, Class* cls);

// ---- both ----

// The size that read() and readline() take; -1: all. false: a TypeError. An __index__ may run
// scripts.
inline bool ReadSize(Vm& vm, const Args& args, int64_t* size) {
  *size = -1;
  if (args.count < 2 || args[1].IsNone()) return true;
  if (!IsInt(args[1]) && vm.FindInClass(vm.ClassOf(args[1]), vm.names.index).empty()) {
    vm.Throw(Error::kTypeError, "argument should be integer or None, not '{}'",
             vm.TypeName(args[1]));
    return false;
  }
  if (!vm.ToIndex(args[1], size, "size", true)) return false;
  if (*size < 0) *size = -1;
  return true;
}

// What iterating gives: an overridden readline() is asked, so scripts may run. Empty:
// StopIteration, or it failed.
template <Value (*Line)(Vm&, Args&)>
Value NextLine(Vm& vm, Args& args, Value name) {
  Args self{args.args, 1};
  const Value method = vm.FindInClass(vm.ClassOf(args[0]), As<String>(name));
  Value line;
  if (Is(method, Type::kNative) && As<Native>(method)->builtin == Line) {
    line = Line(vm, self);
    const bool any = line == vm.empty_string  ? false
                     : Is(line, Type::kBytes) ? As<BytesObject>(line)->size != 0
                                              : true;
    if (any) return line;
  } else {
    Roots roots(vm);
    const Value bound = roots.Add(vm.GetAttribute(args[0], As<String>(name)));
    line = bound.empty() ? bound : vm.Call(bound, nullptr, 0);
    bool more = false;
    if (line.empty() || !vm.Truth(roots.Add(line), &more)) return Value();
    if (more) return line;
  }
  vm.pending = vm.MakeException(vm.errors[static_cast<int>(Error::kStopIteration)], vm.empty_tuple);
  return Value();
}

}  // namespace ferry::vm
