// Tracebacks: what an exception remembers of the frames it passed, and how that reads.
#pragma once

#include "device-runtime/vm/exec/vm.h"

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
// The same of a traceback object; false: it is none, TypeError.
bool TracebackText(Vm& vm, Value traceback, std::string* out);
// "ValueError: text" and the notes, a line each.
void AppendHeadline(Vm& vm, Exception* exception, std::string* out);
// What scripts see as __code__.
Value CodeOf(Vm& vm, const CodeObject& code);
uint32_t LineOf(const Frame& frame);  // where it is now

}  // namespace ferry::vm
