#include <algorithm>
#include <bit>

#include "common/base/bytes.h"
#include "device-runtime/vm/bytecode.h"
#include "device-runtime/vm/bytecode/cursor.h"
#include "device-runtime/vm/bytecode/format.h"
#include "device-runtime/vm/bytecode/operand_coder.h"
#include "device-runtime/vm/bytecode/operands.h"
#include "device-runtime/vm/bytecode/verify.h"
#include "device-runtime/vm/exec/heap/code_memory.h"
#include "device-runtime/vm/number/bigint.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {
namespace {

constexpr size_t kMaxVariables = UINT16_MAX + 1;

class Reader {
 public:
  Reader(Vm& vm, std::string_view bytes, Module* module)
      : vm_(vm), bytes_(bytes), module_(module) {}
  Result<CodeObject*> Run();

 private:
  Status Header();
  void Strings();
  void Variables();
  void Codes();
  void Code(uint32_t number);
  void Parts(uint32_t number);
  void Instructions(CodeObject* code);
  void Places(CodeObject* code);
  Value Constant(size_t depth);
  Value BigIntConstant();
  Value TupleConstant(size_t depth);
  double Double();
  String* StringOf(uint32_t number);  // + 1, 0: the next one
  String* Name() { return StringOf(parts_[kNames].Below(strings_.size() + 1)); }
  uint32_t NameCount(uint64_t most);  // of names that follow
  String* QualifiedNameOf(uint32_t number);
  // Instructions name variables by their number in the file; here they get the module's own.
  void Relocate(CodeObject* code);
  bool failed() const {
    return !in_.ok() || vm_.failed() ||
           !std::all_of(parts_ + kNames, parts_ + kFileParts,
                        [](const Cursor& part) { return part.ok(); });
  }
  void Take(size_t bytes) {
    if (memory_.Take(static_cast<int64_t>(bytes))) return;
    vm_.OutOfMemory();
    in_.Fail();
  }

  Vm& vm_;
  CodeMemory memory_{vm_.heap};
  const std::string_view bytes_;
  Cursor in_;                 // kTexts, then kCode
  Cursor parts_[kFileParts];  // beside kCode all behind it
  Module* const module_;
  bool first_lines_ = false;
  int64_t first_line_ = 0;  // of the code object before
  std::vector<String*> strings_;
  size_t next_string_ = 0;       // that was not named yet
  std::vector<uint16_t> slots_;  // of the module, by number of the variable in the file
  std::vector<CodeObject*> codes_;
  std::vector<const CodeObject*> outer_;  // by code object: which one holds it
};

// Where the sizes of the parts stand.
Cursor AfterSource(std::string_view bytes, uint32_t* flags) {
  Cursor in(bytes);
  in.Take(kBytecodeMagic.size() + 5);  // and version and instruction set
  *flags = in.Below(file_flags::kAll + 1);
  if ((*flags & file_flags::kHasSource) != 0) (void)in.Text();
  return in;
}

Status Reader::Header() {
  Cursor head(bytes_);
  if (head.Take(kBytecodeMagic.size()) != kBytecodeMagic)
    return Status(Code::kMalformed, "no bytecode");
  const uint8_t version = head.Byte();
  const std::string_view set = head.Take(4);
  if (!head.ok()) return Status(Code::kMalformed, "bytecode ends within its head");
  if (version != kBytecodeVersion || GetU32(AsBytes(set).data()) != InstructionSet())
    return Status(Code::kUnsupported, "bytecode of another version: pack the task again");
  uint32_t flags = 0;
  (void)AfterSource(bytes_, &flags);
  first_lines_ = (flags & file_flags::kFirstLines) != 0;
  return OkStatus();
}

void Reader::Strings() {
  const uint32_t count = in_.Count(UINT32_MAX);
  for (uint32_t i = 0; i < count && !failed(); ++i) {
    const std::string_view text = in_.Text();
    if (!IsText(text)) in_.Fail();
    String* string = in_.ok() ? vm_.Intern(text) : nullptr;
    if (string != nullptr) vm_.kept.Push(Value::Of(string));
    strings_.push_back(string);
  }
}

String* Reader::QualifiedNameOf(uint32_t number) {
  const uint32_t text = in_.Below(strings_.size() + 2);
  if (text > 0) return StringOf(text - 1);
  const CodeObject* outer = outer_[number];
  const String* name = codes_[number]->name;
  if (outer == nullptr || name == nullptr) {
    in_.Fail();
    return nullptr;
  }
  Take(outer->qualified_name->size + name->size);
  if (failed()) return nullptr;
  String* qualified = vm_.Intern(QualifiedName(*outer, name->view()));
  if (qualified != nullptr) vm_.kept.Push(Value::Of(qualified));
  return qualified;
}

String* Reader::StringOf(uint32_t number) {
  const size_t at = number == 0 ? next_string_++ : number - 1;
  if (at >= strings_.size()) in_.Fail();
  return in_.ok() ? strings_[at] : nullptr;
}

uint32_t Reader::NameCount(uint64_t most) {
  const uint32_t count = in_.Below(most + 1);
  if (count <= parts_[kNames].left()) return count;
  in_.Fail();
  return 0;
}

void Reader::Variables() {
  const uint32_t count = NameCount(kMaxVariables);
  for (uint32_t i = 0; i < count && !failed(); ++i) {
    String* name = Name();
    bool lost = name == nullptr;
    const uint32_t slot = lost ? 0 : vm_.VariableSlot(module_, name, &lost);
    if (slot >= kMaxVariables) in_.Fail();
    slots_.push_back(static_cast<uint16_t>(slot));
  }
}

double Reader::Double() {
  const std::string_view bytes = in_.Take(8);
  return bytes.empty() ? 0 : std::bit_cast<double>(GetU64(AsBytes(bytes).data()));
}

Value Reader::BigIntConstant() {
  String* text = Name();
  if (text == nullptr) return Value();
  Value v = ParseInt(vm_, text->view(), 16);
  if (v.empty() && vm_.TakePending(Error::kValueError)) in_.Fail();
  return v;
}

Value Reader::TupleConstant(size_t depth) {
  const uint32_t count = in_.Count(kMaxConstants);
  const size_t mark = vm_.kept.size();
  for (uint32_t i = 0; i < count; ++i) {
    Value item = depth < kMaxConstantDepth ? Constant(depth + 1) : Value();
    if (item.empty()) {
      in_.Fail();
      return Value();
    }
    vm_.kept.Push(item);
  }
  Value tuple = vm_.NewTuple(vm_.kept.data() + mark, count);
  vm_.kept.TakeBack(mark);
  return tuple;
}

// Empty when the file is wrong there or memory is short.
Value Reader::Constant(size_t depth) {
  switch (static_cast<ConstantTag>(in_.Byte())) {
    case ConstantTag::kNone:
      return in_.ok() ? Value::None() : Value();
    case ConstantTag::kFalse:
      return Value::Bool(false);
    case ConstantTag::kTrue:
      return Value::Bool(true);
    case ConstantTag::kEllipsis:
      return vm_.ellipsis;
    case ConstantTag::kInt:
      return vm_.NewInt(Unzigzag(in_.Number()));
    case ConstantTag::kBigInt:
      return BigIntConstant();
    case ConstantTag::kFloat: {
      const double d = Double();
      return in_.ok() ? Value::Float(d) : Value();
    }
    case ConstantTag::kComplex: {
      const double real = Double(), imag = Double();
      return in_.ok() ? vm_.NewComplex(real, imag) : Value();
    }
    case ConstantTag::kString: {
      String* text = Name();
      return text == nullptr ? Value() : Value::Of(text);
    }
    case ConstantTag::kBytes: {
      const std::string_view bytes = in_.Text();
      return in_.ok() ? vm_.NewBytes(bytes) : Value();
    }
    case ConstantTag::kTuple:
      return TupleConstant(depth);
  }
  in_.Fail();
  return Value();
}

void Reader::Instructions(CodeObject* code) {
  const uint64_t count = in_.Below(kMaxInstructions + 1);
  Cursor& operations = parts_[kOperations];
  if (count > operations.left()) operations.Fail();
  if (failed()) return;
  // The lists may double, and words of caches come between.
  Take(count * 3 * (sizeof(Instruction) + (first_lines_ ? 0 : sizeof(Place))));
  if (failed()) return;
  code->instructions.reserve(count);
  OperandCoder coder(code->temporaries);
  for (uint64_t i = 0; i < count && operations.ok(); ++i) {
    const auto op = static_cast<Op>(operations.Short());
    const OperandRow& row = OperandsOf(op);
    if (!row.known) operations.Fail();
    uint16_t operands[3] = {};
    for (int k = 0; k < 3; ++k) {
      if (row.kinds[k] == Operand::kNone) continue;
      Cursor& part = parts_[OperandCoder::PartOf(row.kinds[k])];
      if (!coder.Decode(row.kinds[k], part.Below(OperandCoder::kCodes), &operands[k]) || !part.ok())
        operations.Fail();
    }
    code->instructions.push_back({op, operands[0], operands[1], operands[2]});
    for (int k = 0; k < row.words; ++k) code->instructions.push_back({Op::kCache, 0, 0, 0});
  }
  if (code->instructions.size() > kMaxInstructions) in_.Fail();
}

void Reader::Places(CodeObject* code) {
  Cursor& places = parts_[kPlaces];
  if (first_lines_) {
    first_line_ += Unzigzag(places.Below(UINT32_MAX));
    if (first_line_ < 0 || first_line_ > INT32_MAX) places.Fail();
    code->places.push_back({static_cast<uint32_t>(first_line_), 0, kNoColumn, kNoColumn});
    return;
  }
  int64_t line = 0;
  while (places.ok() && code->places.size() < code->instructions.size()) {
    const uint64_t run = places.Number();
    line += Unzigzag(places.Below(UINT32_MAX));
    if (run == 0 || run > code->instructions.size() - code->places.size() || line < 0 ||
        line > INT32_MAX)
      places.Fail();
    const uint16_t more_lines = places.Short();
    const uint16_t column = places.Short(), end_column = places.Short();
    const Place place{static_cast<uint32_t>(line), more_lines, column, end_column};
    if (places.ok()) code->places.insert(code->places.end(), run, place);
  }
}

void Reader::Parts(uint32_t own) {
  CodeObject* code = codes_[own];
  const uint32_t constants = in_.Count(kMaxConstants);
  Take(constants * sizeof(Value));
  for (uint32_t n = constants; n > 0 && !failed(); --n) {
    code->constants.push_back(Constant(0));
    if (code->constants.back().empty()) in_.Fail();
  }
  for (uint32_t n = in_.Count(kMaxCodes); n > 0 && !failed(); --n) {
    const uint32_t number = in_.Below(codes_.size());
    // After its parent, and of no other: so there are no cycles.
    if (number <= own || outer_[number] != nullptr) {
      in_.Fail();
      return;
    }
    outer_[number] = code;
    code->functions.push_back(codes_[number]);
  }
  for (uint32_t n = in_.Count(UINT16_MAX); n > 0 && !failed(); --n) {
    const uint32_t capture = in_.Below(2 * (UINT16_MAX + 1));
    code->captures.push_back({(capture & 1) != 0, static_cast<uint16_t>(capture / 2)});
  }
  for (uint32_t n = in_.Count(kMaxInstructions * 4); n > 0 && !failed(); --n) {
    const uint16_t start = in_.Short(), length = in_.Short();
    const uint16_t handler = in_.Short(), reg = in_.Short();
    code->handlers.push_back({start, static_cast<uint16_t>(start + length), handler, reg});
  }
  for (uint32_t n = in_.Count(kMaxInstructions * 4); n > 0 && !failed(); --n) {
    const uint16_t start = in_.Short(), length = in_.Short();
    code->handled.push_back({start, static_cast<uint16_t>(start + length), in_.Short()});
  }
}

void Reader::Code(uint32_t number) {
  CodeObject* code = codes_[number];
  code->module = module_;
  code->name = Name();
  code->qualified_name = QualifiedNameOf(number);
  const uint32_t flags = in_.Below(code_flags::kAll + 1);
  code->rest = (flags & code_flags::kRest) != 0;
  code->keyword_rest = (flags & code_flags::kKeywordRest) != 0;
  code->generator = (flags & code_flags::kGenerator) != 0;
  code->class_body = (flags & code_flags::kClassBody) != 0;
  code->generator_kind = static_cast<GeneratorKind>(in_.Below(3));
  code->positional = in_.Short();
  code->positional_only = in_.Short();
  code->keyword_only = in_.Short();
  code->registers = in_.Short();
  code->temporaries = in_.Short();
  code->class_cell = static_cast<int>(in_.Below(UINT16_MAX + 2)) - 1;
  if (const uint32_t doc = in_.Below(strings_.size() + 2); doc > 0) {
    String* text = StringOf(doc - 1);
    if (text != nullptr) code->doc = Value::Of(text);
  }
  code->simple = !code->rest && !code->keyword_rest && code->keyword_only == 0 && !code->generator;
  for (uint32_t n = NameCount(kMaxRegisters); n > 0 && !failed(); --n)
    code->parameters.push_back(Name());
  Parts(number);
  Instructions(code);
  Places(code);
}

void Reader::Codes() {
  const uint32_t count = in_.Count(kMaxCodes);
  Take(count * sizeof(CodeObject));
  if (failed()) return;
  outer_.resize(count);
  for (uint32_t i = 0; i < count; ++i) {
    vm_.codes.emplace_back();
    codes_.push_back(&vm_.codes.back());
  }
  for (uint32_t i = 0; i < count && !failed(); ++i) {
    if (i > 0 && outer_[i] == nullptr) in_.Fail();
    Code(i);
  }
  if (count == 0) in_.Fail();
}

void Reader::Relocate(CodeObject* code) {
  for (Instruction& instruction : code->instructions) {
    const OperandRow& row = OperandsOf(instruction.op);
    if (row.kinds[0] == Operand::kGlobal) instruction.a = slots_[instruction.a];
    if (row.kinds[1] == Operand::kGlobal) instruction.b = slots_[instruction.b];
    if (row.kinds[2] == Operand::kGlobal) instruction.c = slots_[instruction.c];
  }
}

Result<CodeObject*> Reader::Run() {
  FERRY_TRY(Header());
  std::string_view parts[kFileParts];
  bool whole = PartsOf(bytes_, parts);
  in_ = Cursor(parts[kTexts]);
  for (int i = kNames; i < kFileParts; ++i) parts_[i] = Cursor(parts[i]);
  if (whole) Strings();
  whole = whole && !failed() && in_.left() == 0;
  in_ = Cursor(parts[kCode]);
  if (whole) Variables();
  if (whole && !failed()) Codes();
  if (!vm_.fatal.ok()) return vm_.fatal;
  const bool read = in_.left() == 0 && std::all_of(parts_ + kNames, parts_ + kFileParts,
                                                   [](const Cursor& p) { return p.left() == 0; });
  if (!whole || failed() || !read) {
    vm_.pending = Value();
    return Status(Code::kMalformed, "bytecode is cut off or broken");
  }
  FERRY_TRY(VerifyModule(codes_, static_cast<uint32_t>(slots_.size())));
  for (CodeObject* code : codes_) Relocate(code);
  return codes_[0];
}

}  // namespace

bool PartsOf(std::string_view bytes, std::string_view (&parts)[kFileParts]) {
  uint32_t flags = 0;
  Cursor in = AfterSource(bytes, &flags);
  uint64_t sizes[kFileParts];
  for (uint64_t& size : sizes) size = in.Number();
  for (int i = 0; i < kFileParts; ++i) parts[i] = in.Take(sizes[i]);
  return in.ok() && in.left() == 0;
}

std::string QualifiedName(const CodeObject& outer, std::string_view name) {
  std::string text;
  if (outer.qualified_name->view() != "<module>") {
    text = outer.qualified_name->view();
    text += outer.class_body ? "." : ".<locals>.";
  }
  return text += name;
}

std::string_view SourceOfBytecode(std::string_view bytes) {
  Cursor in(bytes);
  in.Take(kBytecodeMagic.size() + 5);  // and version and instruction set
  return (in.Number() & file_flags::kHasSource) != 0 ? in.Text() : std::string_view();
}

Result<CodeObject*> ReadBytecode(Vm& vm, std::string_view bytes, Module* module) {
  Roots roots(vm);
  return Reader(vm, bytes, module).Run();
}

// What code takes for as long as the isolate lives.
int64_t BytesOf(const CodeObject& code) {
  const auto bytes = [](const auto& list) { return list.capacity() * sizeof(list[0]); };
  return static_cast<int64_t>(sizeof(CodeObject) + bytes(code.instructions) + bytes(code.places) +
                              bytes(code.constants) + bytes(code.handlers) + bytes(code.handled) +
                              bytes(code.functions) + bytes(code.captures) +
                              bytes(code.parameters) + bytes(code.variables));
}

// Counts the code objects from number `first` on, or drops them when that, or `read`, failed.
Status KeepCodes(Vm& vm, size_t first, Status read) {
  int64_t bytes = 0;
  for (size_t i = first; i < vm.codes.size() && read.ok(); ++i) {
    vm.codes[i].instructions.shrink_to_fit();
    vm.codes[i].places.shrink_to_fit();
    bytes += BytesOf(vm.codes[i]);
  }
  if (read.ok() && !vm.heap.Hold(bytes)) {
    vm.OutOfMemory();
    read = vm.fatal;
  }
  while (!read.ok() && vm.codes.size() > first) vm.codes.pop_back();
  return read;
}

Result<CodeObject*> ReadModule(Vm& vm, std::string_view bytes, std::string_view file,
                               Module* module) {
  // Large literals are work for the compiler; a script's steps are the same without it.
  const int64_t left = vm.steps_left, slice = vm.steps_slice;
  const size_t first = vm.codes.size();
  Result<CodeObject*> code =
      IsBytecode(bytes) ? ReadBytecode(vm, bytes, module) : CompileModule(vm, bytes, file, module);
  if (code.code() == Code::kUnsupported && HasCompiler() && IsBytecode(bytes)) {
    const std::string_view source = SourceOfBytecode(bytes);
    if (!source.empty()) code = CompileModule(vm, source, file, module);
  }
  vm.steps_left = left;
  vm.steps_slice = slice;
  FERRY_TRY(KeepCodes(vm, first, AsStatus(code)));
  return code;
}

}  // namespace ferry::vm
