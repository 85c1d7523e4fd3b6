#include "device-runtime/vm/bytecode/operands.h"

#include <array>
#include <iterator>

namespace ferry::vm {
namespace {

constexpr const char* kOpNames[] = {
#define FERRY_OP(name) #name,
#include "device-runtime/vm/compile/opcodes.inc"
#undef FERRY_OP
};
constexpr size_t kOps = std::size(kOpNames);

constexpr std::array<OperandRow, kOps> MakeRows() {
  std::array<OperandRow, kOps> rows{};
#define FERRY_OPERANDS(op, a, b, c, words) \
  rows[static_cast<size_t>(Op::k##op)] = {true, {Operand::a, Operand::b, Operand::c}, words};
#include "device-runtime/vm/bytecode/operands.inc"
#undef FERRY_OPERANDS
  return rows;
}
constexpr std::array<OperandRow, kOps> kRows = MakeRows();

// FNV-1a.
constexpr uint32_t MakeInstructionSet() {
  uint32_t hash = 2166136261u;
  const auto add = [&](uint32_t byte) { hash = (hash ^ byte) * 16777619u; };
  for (size_t i = 0; i < kOps; ++i) {
    if (!kRows[i].known) continue;
    for (const char* at = kOpNames[i]; *at != '\0'; ++at) add(static_cast<uint8_t>(*at));
    for (Operand kind : kRows[i].kinds) add(static_cast<uint32_t>(kind));
    add(static_cast<uint32_t>(i));
    add(kRows[i].words);
  }
  return hash;
}

}  // namespace

const OperandRow& OperandsOf(Op op) {
  static constexpr OperandRow kUnknown;
  const auto at = static_cast<size_t>(op);
  return at < kOps ? kRows[at] : kUnknown;
}

HelperRow HelperOf(uint16_t number) {
  static constexpr HelperRow kHelpers[] = {
#define FERRY_HELPER(name, registers, reads) {registers, reads},
#include "device-runtime/vm/exec/loop/helpers.inc"
#undef FERRY_HELPER
  };
  return kHelpers[number];
}

uint32_t InstructionSet() {
  constexpr uint32_t kSet = MakeInstructionSet();
  return kSet;
}

}  // namespace ferry::vm
