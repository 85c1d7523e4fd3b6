#include <bit>
#include <unordered_map>

#include "common/base/bytes.h"
#include "device-runtime/vm/bytecode/format.h"
#include "device-runtime/vm/bytecode/operands.h"
#include "device-runtime/vm/number/bigint.h"

namespace ferry::vm {
namespace {

class Writer {
 public:
  Writer(Vm& vm, bool columns) : vm_(vm), columns_(columns) {}
  Result<std::string> Run(const CodeObject& module, std::string_view source);

 private:
  void Byte(uint8_t byte) { body_ += static_cast<char>(byte); }
  void Number(uint64_t n);
  void Text(std::string_view text);
  void Double(double d);
  void Name(const String* name) { Number(StringNumber(name->view())); }
  uint64_t StringNumber(std::string_view text);
  void Collect(const CodeObject& code);
  void Code(const CodeObject& code);
  void Constant(Value v);
  void Instructions(const CodeObject& code);
  void Lines(const CodeObject& code);

  Vm& vm_;
  const bool columns_;
  const char* strange_ = nullptr;  // what was met that files do not hold
  std::string body_;
  std::vector<std::string> strings_;
  std::unordered_map<std::string, uint64_t> string_numbers_;
  std::vector<const CodeObject*> codes_;
  std::unordered_map<const CodeObject*, uint64_t> code_numbers_;
};

void Writer::Number(uint64_t n) {
  for (; n > 127; n >>= 7) Byte(static_cast<uint8_t>(n | 128));
  Byte(static_cast<uint8_t>(n));
}

void Writer::Text(std::string_view text) {
  Number(text.size());
  body_ += text;
}

void Writer::Double(double d) {
  uint8_t bytes[8];
  PutU64(bytes, std::bit_cast<uint64_t>(d));
  body_ += AsText(bytes);
}

uint64_t Writer::StringNumber(std::string_view text) {
  const auto [it, fresh] = string_numbers_.try_emplace(std::string(text), strings_.size());
  if (fresh) strings_.emplace_back(text);
  return it->second;
}

// Parents before children.
void Writer::Collect(const CodeObject& code) {
  code_numbers_[&code] = codes_.size();
  codes_.push_back(&code);
  for (const CodeObject* function : code.functions) Collect(*function);
}

void Writer::Constant(Value v) {
  const auto tag = [&](ConstantTag which) { Byte(static_cast<uint8_t>(which)); };
  if (v.IsNone()) return tag(ConstantTag::kNone);
  if (v.IsBool()) return tag(v.IsTrue() ? ConstantTag::kTrue : ConstantTag::kFalse);
  if (v == vm_.ellipsis) return tag(ConstantTag::kEllipsis);
  if (v.IsSmallInt()) {
    tag(ConstantTag::kInt);
    return Number(Zigzag(v.AsSmallInt()));
  }
  if (v.IsFloat()) {
    tag(ConstantTag::kFloat);
    return Double(v.AsFloat());
  }
  switch (v.object()->type) {
    case Type::kBigInt:
      tag(ConstantTag::kBigInt);
      return Number(StringNumber(IntToText(vm_, v, 16)));
    case Type::kString:
      tag(ConstantTag::kString);
      return Number(StringNumber(vm::Text(v)));
    case Type::kComplex:
      tag(ConstantTag::kComplex);
      Double(As<Complex>(v)->real);
      return Double(As<Complex>(v)->imaginary);
    case Type::kBytes:
      tag(ConstantTag::kBytes);
      return Text(As<BytesObject>(v)->view());
    default:
      break;
  }
  if (!Is(v, Type::kTuple)) {
    strange_ = "a constant";
    return;
  }
  tag(ConstantTag::kTuple);
  Number(As<Tuple>(v)->size);
  for (uint32_t i = 0; i < As<Tuple>(v)->size; ++i) Constant(As<Tuple>(v)->items[i]);
}

void Writer::Instructions(const CodeObject& code) {
  size_t count = 0;
  for (const Instruction& instruction : code.instructions) count += instruction.op != Op::kCache;
  Number(count);
  for (const Instruction& instruction : code.instructions) {
    if (instruction.op == Op::kCache) continue;
    const OperandRow& row = OperandsOf(instruction.op);
    if (!row.known) strange_ = "an instruction";
    Number(static_cast<uint64_t>(instruction.op));
    for (int i = 0; i < 3; ++i)
      if (row.kinds[i] != Operand::kNone) Number(OperandOf(instruction, i));
  }
}

void Writer::Lines(const CodeObject& code) {
  int64_t before = 0;
  const auto same = [](const Place& a, const Place& b) {
    return a.line == b.line && a.more_lines == b.more_lines && a.column == b.column &&
           a.end_column == b.end_column;
  };
  const auto place_of = [&](size_t i) {
    const Place& place = code.places[i];
    return columns_ ? place : Place{place.line, 0, kNoColumn, kNoColumn};
  };
  for (size_t i = 0; i < code.places.size();) {
    const Place place = place_of(i);
    size_t end = i;
    while (end < code.places.size() && same(place_of(end), place)) ++end;
    Number(end - i);
    Number(Zigzag(place.line - before));
    if (columns_) {
      Number(place.more_lines);
      Number(place.column);
      Number(place.end_column);
    }
    before = place.line;
    i = end;
  }
}

void Writer::Code(const CodeObject& code) {
  Name(code.name);
  Name(code.qualified_name);
  Number((code.rest ? code_flags::kRest : 0) | (code.keyword_rest ? code_flags::kKeywordRest : 0) |
         (code.generator ? code_flags::kGenerator : 0) |
         (code.class_body ? code_flags::kClassBody : 0));
  Number(static_cast<uint64_t>(code.generator_kind));
  Number(code.positional);
  Number(code.positional_only);
  Number(code.keyword_only);
  Number(code.registers);
  Number(static_cast<uint64_t>(code.class_cell + 1));
  Number(code.doc.empty() ? 0 : StringNumber(vm::Text(code.doc)) + 1);
  Number(code.parameters.size());
  for (const String* parameter : code.parameters) Name(parameter);
  Number(code.constants.size());
  for (Value v : code.constants) Constant(v);
  Number(code.functions.size());
  for (const CodeObject* function : code.functions) Number(code_numbers_[function]);
  Number(code.captures.size());
  for (const Capture& capture : code.captures) Number(capture.index * 2u + capture.local);
  Number(code.handlers.size());
  for (const HandlerEntry& entry : code.handlers) {
    Number(entry.start);
    Number(static_cast<uint64_t>(entry.end - entry.start));
    Number(entry.handler);
    Number(entry.reg);
  }
  Number(code.handled.size());
  for (const HandledRange& range : code.handled) {
    Number(range.start);
    Number(static_cast<uint64_t>(range.end - range.start));
    Number(range.reg);
  }
  Instructions(code);
  Lines(code);
}

Result<std::string> Writer::Run(const CodeObject& module, std::string_view source) {
  Collect(module);
  Number(module.module->count);
  for (uint32_t i = 0; i < module.module->count; ++i) Name(module.module->slots[i].name);
  Number(codes_.size());
  for (const CodeObject* code : codes_) Code(*code);
  if (strange_ != nullptr)
    return Status::Of(Code::kUnsupported, "{} of this module has no form in bytecode", strange_);
  std::string rest = std::move(body_);
  body_ = kBytecodeMagic;
  Byte(kBytecodeVersion);
  uint8_t set[4];
  PutU32(set, InstructionSet());
  body_ += AsText(set);
  Number((source.empty() ? 0 : file_flags::kHasSource) | (columns_ ? 0 : file_flags::kLinesOnly));
  if (!source.empty()) Text(source);
  Number(strings_.size());
  for (const std::string& text : strings_) Text(text);
  return body_ + rest;
}

}  // namespace

Result<std::string> WriteBytecode(Vm& vm, const CodeObject& module, std::string_view source,
                                  bool columns) {
  return Writer(vm, columns).Run(module, source);
}

}  // namespace ferry::vm
