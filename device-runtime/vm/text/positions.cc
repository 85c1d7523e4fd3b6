// Where code points lie in strings that are not ASCII. Every 32nd place of a long string is
// remembered once it was passed, for the few strings asked last, until the next collection; so a
// loop over indices walks over the text once.
#include "device-runtime/vm/exec/state.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {
namespace {

constexpr size_t kStride = 32;
constexpr uint32_t kShort = 96;  // bytes: quicker walked over

}  // namespace

size_t Vm::OffsetOf(const String* string, size_t index) {
  if (string->ascii()) return index;
  const std::string_view text = string->view();
  if (string->size <= kShort) return Utf8Offset(text, index);
  Positions& known = positions[(reinterpret_cast<uintptr_t>(string) >> 5) % std::size(positions)];
  if (known.string != string) {
    heap.FreeBuffer(known.marks, known.capacity * sizeof(uint32_t));
    known = {string, nullptr, 0, static_cast<uint32_t>(string->length / kStride + 1)};
    known.marks = static_cast<uint32_t*>(heap.NewBuffer(known.capacity * sizeof(uint32_t)));
    if (known.marks == nullptr) {  // no room: every time from the beginning
      known = {};
      return Utf8Offset(text, index);
    }
    known.marks[known.count++] = 0;
  }
  const auto last = static_cast<uint32_t>(std::min(index, size_t{string->length}) / kStride);
  for (; known.count <= last; ++known.count) {
    const size_t from = known.marks[known.count - 1];
    known.marks[known.count] = static_cast<uint32_t>(from + Utf8Offset(text.substr(from), kStride));
  }
  const size_t from = known.marks[last];
  return from + Utf8Offset(text.substr(from), index - last * kStride);
}

void Vm::DropPositions() {
  for (Positions& known : positions) {
    heap.FreeBuffer(known.marks, known.capacity * sizeof(uint32_t));
    known = {};
  }
}

}  // namespace ferry::vm
