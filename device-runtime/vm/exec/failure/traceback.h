// Tracebacks: what an exception remembers of the frames it passed, and how that reads.
#pragma once

#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {

// One frame more where the exception came by; without room the traceback ends here.
void AddTrace(Heap& heap, Exception* exception, const TraceEntry& entry);
// `to` gets a copy of the frames of `from`.
void SetTrace(Heap& heap, Exception* to, const Exception* from);
bool SameTrace(const Exception* a, const Exception* b);
// A traceback object (tb_next, tb_lineno, tb_frame ...) of the exception's frames, or None.
Value TracebackOf(Vm& vm, Exception* exception);
// What str() gives for the classes that say more than their arguments; *done: it is one of them.
bool ExceptionText(Vm& vm, Exception* exception, std::string* out, bool* done);
// "  File ..., line ..., in ..." with the source line and carets where the source is known.
void AppendFrame(const TraceEntry& entry, std::string_view margin, std::string* out);
// The same of a traceback object or, with any part of its line, a frame object; false: it is none,
// TypeError.
bool TracebackText(Vm& vm, Value traceback, std::string* out);
// "ValueError: text" and the notes, a line each.
void AppendHeadline(Vm& vm, Exception* exception, std::string* out);
// What scripts see as __code__; the same object every time.
Value CodeOf(Vm& vm, const CodeObject& code);
// What such an object stands for; nullptr: it is none.
CodeObject* CodeBehind(Vm& vm, Value code);
uint32_t LineOf(const Frame& frame);  // where it is now

// An object of a class with read-only attributes.
struct FieldRow {
  const char* name;
  Builtin get;
};
Value NewFields(Vm& vm, const RecordType& type, std::span<const FieldRow> rows,
                std::initializer_list<Value> values);

// Frame objects (frame_object.cc): of a frame that a traceback names, of a suspended generator, and
// of the call `depth` calls outside of the running one (ValueError: there is none).
Value FrameOfTrace(Vm& vm, const CodeObject& code, Value line);
Value FrameOfGenerator(Vm& vm, Generator* generator);
Value FrameAt(Vm& vm, int64_t depth);
// The code of a frame object and its line when it was made; nullptr: it is none.
const CodeObject* CodeOfFrame(Vm& vm, Value frame, uint32_t* line);
// The local variables that have values, in a new dict.
Value VariablesOf(Vm& vm, const CodeObject& code, const Value* registers, const Function* function);

}  // namespace ferry::vm
