#include "device-runtime/ir/scanner.h"

#include <charconv>
#include <cmath>

namespace ferry::ir {
namespace {

bool IsPlainChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '/' || c == ':' || c == '-';
}

}  // namespace

Status LineScanner::Error(std::string_view what) const {
  return Status::Of(Code::kBadModel, "column {}: {}", at_ + 1, what);
}

void LineScanner::SkipSpaces() {
  while (at_ < line_.size() && line_[at_] == ' ') ++at_;
}

bool LineScanner::AtEnd() {
  SkipSpaces();
  return at_ >= line_.size();
}

bool LineScanner::Accept(std::string_view text) {
  SkipSpaces();
  if (!line_.substr(at_).starts_with(text)) return false;
  at_ += text.size();
  return true;
}

bool LineScanner::NextIs(char c) {
  SkipSpaces();
  return at_ < line_.size() && line_[at_] == c;
}

Status LineScanner::Expect(std::string_view text) {
  return Accept(text) ? OkStatus() : Error(fmt::format("'{}' is missing", text));
}

Result<std::string> LineScanner::Word() {
  SkipSpaces();
  const size_t begin = at_;
  while (at_ < line_.size() && IsPlainChar(line_[at_])) ++at_;
  if (begin == at_) return Error("a name is missing");
  return std::string(line_.substr(begin, at_ - begin));
}

Result<std::string> LineScanner::Quoted() {
  FERRY_TRY(Expect("\""));
  std::string out;
  while (at_ < line_.size() && line_[at_] != '"') {
    char c = line_[at_++];
    if (c == '\\') {
      if (at_ >= line_.size()) return Error("the text does not end");
      c = line_[at_++];
      if (c == 'x') {
        unsigned byte = 0;
        if (at_ + 2 > line_.size()) return Error("\\x needs two digits");
        const char* digits = line_.data() + at_;
        if (std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2) {
          return Error("\\x needs two digits");
        }
        at_ += 2;
        c = static_cast<char>(byte);
      }
    }
    out += c;
  }
  FERRY_TRY(Expect("\""));
  return out;
}

Result<std::string> LineScanner::Name() {
  return NextIs('"') ? Quoted() : Word();
}

Result<int64_t> LineScanner::Integer() {
  SkipSpaces();
  int64_t value = 0;
  const auto [end, error] = std::from_chars(line_.data() + at_, line_.data() + line_.size(), value);
  if (error != std::errc()) return Error("an integer is missing");
  at_ = static_cast<size_t>(end - line_.data());
  return value;
}

Result<uint64_t> LineScanner::Unsigned() {
  SkipSpaces();
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(line_.data() + at_, line_.data() + line_.size(), value);
  if (error != std::errc()) return Error("an unsigned integer is missing");
  at_ = static_cast<size_t>(end - line_.data());
  return value;
}

Result<double> LineScanner::Float() {
  SkipSpaces();
  double value = 0;
  const auto [end, error] = std::from_chars(line_.data() + at_, line_.data() + line_.size(), value);
  if (error != std::errc()) return Error("a number is missing");
  at_ = static_cast<size_t>(end - line_.data());
  return value;
}

Result<std::vector<int64_t>> LineScanner::Integers() {
  FERRY_TRY(Expect("["));
  std::vector<int64_t> values;
  while (!Accept("]")) {
    if (!values.empty()) FERRY_TRY(Expect(","));
    FERRY_ASSIGN_OR_RETURN(int64_t value, Integer());
    values.push_back(value);
  }
  return values;
}

Result<std::vector<float>> LineScanner::Floats() {
  FERRY_TRY(Expect("["));
  std::vector<float> values;
  while (!Accept("]")) {
    if (!values.empty()) FERRY_TRY(Expect(","));
    FERRY_ASSIGN_OR_RETURN(double value, Float());
    values.push_back(static_cast<float>(value));
  }
  return values;
}

Result<std::vector<Dim>> LineScanner::Dims() {
  FERRY_TRY(Expect("["));
  std::vector<Dim> dims;
  while (!Accept("]")) {
    if (!dims.empty()) FERRY_TRY(Expect(","));
    SkipSpaces();
    Dim dim;
    const char next = at_ < line_.size() ? line_[at_] : ' ';
    if (Accept("?")) {
    } else if ((next >= '0' && next <= '9') || next == '-') {
      FERRY_ASSIGN_OR_RETURN(dim.extent, Integer());
      if (dim.extent < 0) return Error("a dimension is negative");
    } else {
      FERRY_ASSIGN_OR_RETURN(dim.symbol, Name());
    }
    if (dims.size() >= tensor::kMaxRank) return Error("the rank is too large");
    dims.push_back(std::move(dim));
  }
  return dims;
}

Result<DType> LineScanner::Type() {
  FERRY_ASSIGN_OR_RETURN(std::string word, Word());
  auto dtype = tensor::ParseDType(word);
  if (!dtype.ok()) return Error(dtype.status().message());
  return *dtype;
}

Result<Shape> FixedShapeOf(const std::vector<Dim>& dims) {
  std::vector<int64_t> extents;
  for (const Dim& dim : dims) {
    if (dim.extent < 0) return Status(Code::kBadModel, "a constant has a free dimension");
    extents.push_back(dim.extent);
  }
  auto shape = Shape::Make(extents);
  if (!shape.ok()) return Status(Code::kBadModel, shape.status().message());
  return *shape;
}

Result<Tensor> LineScanner::Elements(DType dtype, const Shape& shape) {
  // Every element takes two characters at least: a short line cannot ask for much memory.
  if (shape.elements() > static_cast<int64_t>(line_.size())) return Error("elements are missing");
  FERRY_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Zeros(dtype, shape));
  auto strings = std::make_shared<tensor::StringPool>();
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    if (dtype == DType::kString) {
      FERRY_ASSIGN_OR_RETURN(std::string text, Quoted());
      tensor.SetText(i, strings->Add(text));
    } else if (dtype == DType::kI64) {
      FERRY_ASSIGN_OR_RETURN(int64_t value, Integer());
      tensor.SetInteger(i, value);
    } else if (dtype == DType::kU64) {
      FERRY_ASSIGN_OR_RETURN(uint64_t value, Unsigned());
      tensor.SetInteger(i, static_cast<int64_t>(value));
    } else {
      FERRY_ASSIGN_OR_RETURN(double value, Float());
      tensor.SetNumber(i, value);
    }
  }
  if (dtype == DType::kString) tensor.KeepStrings(std::move(strings));
  return tensor;
}

Result<Tensor> LineScanner::TensorText() {
  FERRY_ASSIGN_OR_RETURN(DType dtype, Type());
  FERRY_ASSIGN_OR_RETURN(std::vector<Dim> dims, Dims());
  FERRY_ASSIGN_OR_RETURN(Shape shape, FixedShapeOf(dims));
  FERRY_TRY(Expect("="));
  return Elements(dtype, shape);
}

}  // namespace ferry::ir
