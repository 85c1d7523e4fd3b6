// Tracebacks: what an exception remembers of the frames it passed, and how that reads.
#pragma once

#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {

// Adds a frame where the exception came by; without room the traceback ends here.
void AddTrace(Heap& heap, Exception* exception, const TraceEntry& entry);
// Gives `to` a copy of the frames of `from`; without room it has none.
void SetTrace(Heap& heap, Exception* to, const Exception* from);
// Whether both came by the same frames.
bool SameTrace(const Exception* a, const Exception* b);
// A traceback object (tb_next, tb_lineno, tb_frame ...) of the exception's frames, or None. Empty:
// there is no memory. No script runs.
Value TracebackOf(Vm& vm, Exception* exception);
// Appends "  File ..., line ..., in ..." with the source line and carets where the source is known.
void AppendFrame(const TraceEntry& entry, std::string_view margin, std::string* out);
// The same for a traceback object or, with any part of its line, a frame object; false: it is none,
// TypeError.
bool TracebackText(Vm& vm, Value traceback, std::string* out);
// Appends "ValueError: text" and the notes, a line each. Scripts may run, for the text.
void AppendHeadline(Vm& vm, Exception* exception, std::string* out);
// What scripts see as __code__; the same object every time. Empty: there is no memory.
Value CodeOf(Vm& vm, const CodeObject& code);
// What such an object stands for; nullptr: it is none.
CodeObject* CodeBehind(Vm& vm, Value code);
// The line where the frame is now.
uint32_t LineOf(const Frame& frame);

// A row of the class of an object with read-only attributes.
struct FieldRow {
  const char* name;
  Builtin get;
};
// An object of such a class, with these values. Empty: there is no memory.
Value NewFields(Vm& vm, const RecordType& type, std::span<const FieldRow> rows,
                std::initializer_list<Value> values);

// ---- frame_object.cc ----
// Frame objects: of a frame that a traceback names, of a suspended generator, and of the call
// `depth` calls outside of the running one (ValueError: there is none). No script runs.
Value FrameOfTrace(Vm& vm, const CodeObject& code, Value line);
Value FrameOfGenerator(Vm& vm, Generator* generator);
Value FrameAt(Vm& vm, int64_t depth);
// The code of a frame object and its line when it was made; nullptr: it is none.
const CodeObject* CodeOfFrame(Vm& vm, Value frame, uint32_t* line);

// ---- lib/types/exception.cc ----
// What str() gives for the classes that say more than their arguments; *done: it is one of them.
// false: it failed. Scripts may run.
bool ExceptionText(Vm& vm, Exception* exception, std::string* out, bool* done);

// ---- lib/functions/introspect.cc ----
// The local variables that have values, in a new dict. Empty: there is no memory.
Value VariablesOf(Vm& vm, const CodeObject& code, const Value* registers, const Function* function);

}  // namespace ferry::vm
