#include <bit>
#include <unordered_map>
#include <utility>

#include "common/base/bytes.h"
#include "device-runtime/vm/bytecode/format.h"
#include "device-runtime/vm/bytecode/operand_coder.h"
#include "device-runtime/vm/bytecode/operands.h"
#include "device-runtime/vm/number/bigint.h"

namespace ferry::vm {
namespace {

void AppendNumber(uint64_t n, std::string* out) {
  for (; n > 127; n >>= 7) *out += static_cast<char>(n | 128);
  *out += static_cast<char>(n);
}

void AppendText(std::string_view text, std::string* out) {
  AppendNumber(text.size(), out);
  *out += text;
}

class Writer {
 public:
  Writer(Vm& vm, bool places) : vm_(vm), places_(places) {}
  Result<std::string> Run(const CodeObject& module, std::string_view source);

 private:
  void Byte(uint8_t byte) { parts_[kCode] += static_cast<char>(byte); }
  void Number(uint64_t n) { AppendNumber(n, &parts_[kCode]); }
  void Double(double d);
  void Name(std::string_view text) { AppendNumber(StringNumber(text), &parts_[kNames]); }
  uint64_t StringNumber(std::string_view text);
  void Collect(const CodeObject& code);
  void Code(const CodeObject& code);
  void QualifiedNameOf(const CodeObject& code);
  void Constant(Value v);
  void Instructions(const CodeObject& code);
  void Places(const CodeObject& code);

  Vm& vm_;
  const bool places_;
  int64_t first_line_ = 0;         // of the code object before
  const char* strange_ = nullptr;  // what was met that files do not hold
  std::string parts_[kFileParts];
  std::vector<std::string> strings_;
  std::unordered_map<std::string, uint64_t> string_numbers_;
  std::vector<const CodeObject*> codes_;
  std::unordered_map<const CodeObject*, uint64_t> code_numbers_;
  std::unordered_map<const CodeObject*, const CodeObject*> outer_;
};

void Writer::Double(double d) {
  uint8_t bytes[8];
  PutU64(bytes, std::bit_cast<uint64_t>(d));
  parts_[kCode] += AsText(bytes);
}

uint64_t Writer::StringNumber(std::string_view text) {
  const auto [it, fresh] = string_numbers_.try_emplace(std::string(text), strings_.size() + 1);
  if (fresh) strings_.emplace_back(text);
  return fresh ? 0 : it->second;
}

// Parents before children.
void Writer::Collect(const CodeObject& code) {
  code_numbers_[&code] = codes_.size();
  codes_.push_back(&code);
  for (const CodeObject* function : code.functions) {
    outer_[function] = &code;
    Collect(*function);
  }
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
      return Name(IntToText(vm_, v, 16));
    case Type::kString:
      tag(ConstantTag::kString);
      return Name(vm::Text(v));
    case Type::kComplex:
      tag(ConstantTag::kComplex);
      Double(As<Complex>(v)->real);
      return Double(As<Complex>(v)->imaginary);
    case Type::kBytes:
      tag(ConstantTag::kBytes);
      return AppendText(As<BytesObject>(v)->view(), &parts_[kCode]);
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
  OperandCoder coder(code.temporaries);
  for (const Instruction& instruction : code.instructions) {
    if (instruction.op == Op::kCache) continue;
    const OperandRow& row = OperandsOf(instruction.op);
    if (!row.known) strange_ = "an instruction";
    AppendNumber(static_cast<uint64_t>(instruction.op), &parts_[kOperations]);
    for (int i = 0; i < 3; ++i) {
      const Operand kind = row.kinds[i];
      if (kind != Operand::kNone)
        AppendNumber(coder.Encode(kind, OperandOf(instruction, i)),
                     &parts_[OperandCoder::PartOf(kind)]);
    }
  }
}

void Writer::Places(const CodeObject& code) {
  const auto number = [&](uint64_t n) { AppendNumber(n, &parts_[kPlaces]); };
  if (!places_) {
    const int64_t line = code.places.empty() ? 0 : code.places[0].line;
    number(Zigzag(line - std::exchange(first_line_, line)));
    return;
  }
  const auto same = [](const Place& a, const Place& b) {
    return a.line == b.line && a.more_lines == b.more_lines && a.column == b.column &&
           a.end_column == b.end_column;
  };
  int64_t before = 0;
  for (size_t i = 0; i < code.places.size();) {
    const Place& place = code.places[i];
    size_t end = i;
    while (end < code.places.size() && same(code.places[end], place)) ++end;
    number(end - i);
    number(Zigzag(place.line - before));
    number(place.more_lines);
    number(place.column);
    number(place.end_column);
    before = place.line;
    i = end;
  }
}

void Writer::QualifiedNameOf(const CodeObject& code) {
  const auto outer = outer_.find(&code);
  const std::string_view name = code.qualified_name->view();
  if (outer != outer_.end() && name == QualifiedName(*outer->second, code.name->view()))
    return Number(0);
  Number(StringNumber(name) + 1);
}

void Writer::Code(const CodeObject& code) {
  Name(code.name->view());
  QualifiedNameOf(code);
  Number((code.rest ? code_flags::kRest : 0) | (code.keyword_rest ? code_flags::kKeywordRest : 0) |
         (code.generator ? code_flags::kGenerator : 0) |
         (code.class_body ? code_flags::kClassBody : 0));
  Number(static_cast<uint64_t>(code.generator_kind));
  Number(code.positional);
  Number(code.positional_only);
  Number(code.keyword_only);
  Number(code.registers);
  Number(code.temporaries);
  Number(static_cast<uint64_t>(code.class_cell + 1));
  Number(code.doc.empty() ? 0 : StringNumber(vm::Text(code.doc)) + 1);
  Number(code.parameters.size());
  for (const String* parameter : code.parameters) Name(parameter->view());
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
  Places(code);
}

Result<std::string> Writer::Run(const CodeObject& module, std::string_view source) {
  Collect(module);
  Number(module.module->count);
  for (uint32_t i = 0; i < module.module->count; ++i) Name(module.module->slots[i].name->view());
  Number(codes_.size());
  for (const CodeObject* code : codes_) Code(*code);
  if (strange_ != nullptr)
    return Status::Of(Code::kUnsupported, "{} of this module has no form in bytecode", strange_);
  std::string file(kBytecodeMagic);
  file += static_cast<char>(kBytecodeVersion);
  uint8_t set[4];
  PutU32(set, InstructionSet());
  file += AsText(set);
  AppendNumber(
      (source.empty() ? 0 : file_flags::kHasSource) | (places_ ? 0 : file_flags::kFirstLines),
      &file);
  if (!source.empty()) AppendText(source, &file);
  AppendNumber(strings_.size(), &parts_[kTexts]);
  for (const std::string& text : strings_) AppendText(text, &parts_[kTexts]);
  for (const std::string& part : parts_) AppendNumber(part.size(), &file);
  for (const std::string& part : parts_) file += part;
  return file;
}

}  // namespace

Result<std::string> WriteBytecode(Vm& vm, const CodeObject& module, std::string_view source,
                                  bool places) {
  return Writer(vm, places).Run(module, source);
}

}  // namespace ferry::vm
