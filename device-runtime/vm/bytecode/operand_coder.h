// How files number registers and constants: by what came before in the same code, so that the same
// work looks alike wherever it stands, and packs well.
#pragma once

#include "device-runtime/vm/bytecode/format.h"
#include "device-runtime/vm/bytecode/operands.h"

namespace ferry::vm {

// One for each code object, asked for its operands in turn.
class OperandCoder {
 public:
  static constexpr uint64_t kCodes = uint64_t{4} << 16;  // what Encode gives is below it

  explicit OperandCoder(uint16_t temporaries) : temporaries_(temporaries) {}

  uint64_t Encode(Operand kind, uint16_t operand);
  // The operand that a number below kCodes stands for; false: no operand has it.
  bool Decode(Operand kind, uint64_t code, uint16_t* operand);
  static FilePart PartOf(Operand kind);

 private:
  const int64_t temporaries_;  // the first register behind those of variables
  int64_t last_ = 0;           // the temporary one named last
  int64_t next_ = 0;           // the first constant that was not named yet
};

}  // namespace ferry::vm
