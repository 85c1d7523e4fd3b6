#include <algorithm>
#include <charconv>
#include <optional>

#include "pipeline/expression/expression.h"
#include "pipeline/expression/node.h"

namespace ferry::expression {
namespace {

using NodePtr = std::unique_ptr<ExpressionNode>;

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

struct FunctionInfo {
  std::string_view name;
  Op op;
  size_t least, most;  // number of arguments
};
constexpr FunctionInfo kFunctions[] = {{"abs", Op::kAbs, 1, 1},
                                       {"bucket", Op::kBucket, 2, 2},
                                       {"ceil", Op::kCeil, 1, 1},
                                       {"floor", Op::kFloor, 1, 1},
                                       {"keyed_hash", Op::kKeyedHash, 1, 1},
                                       {"len", Op::kLen, 1, 1},
                                       {"max", Op::kMax, 1, 16},
                                       {"min", Op::kMin, 1, 16},
                                       {"round", Op::kRound, 1, 1}};
// Functions over a whole capture.
constexpr FunctionInfo kListFunctions[] = {{"count", Op::kCount, 1, 1},
                                           {"max", Op::kMax, 1, 1},
                                           {"min", Op::kMin, 1, 1},
                                           {"sum", Op::kSum, 1, 1}};

OwnName OwnNameOf(const std::vector<std::string>& path) {
  if (path.size() != 1) return OwnName::kNone;
  if (path[0] == "_event") return OwnName::kEvent;
  if (path[0] == "_page") return OwnName::kPage;
  return path[0] == "_time_ms" ? OwnName::kTimeMs : OwnName::kNone;
}

// Recursive descent straight over the text.
class Parser {
 public:
  Parser(std::string_view text, std::span<const std::string> captures)
      : text_(text), captures_(captures) {}

  // All of the text, or, when `end` is given, as much as is an expression.
  Result<NodePtr> Run(size_t* end) {
    FERRY_ASSIGN_OR_RETURN(NodePtr root, Or(0));
    if (end != nullptr)
      *end = at_;
    else if (Skip() != '\0' || at_ < text_.size())
      return Expected("an operator or the end");
    return root;
  }
  std::vector<CaptureUse>& uses() { return uses_; }

 private:
  char Skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n'))
      ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  Status Error(std::string_view message) const {
    return Status::Of(Code::kMalformed, "column {}: {}", at_ + 1, message);
  }
  Status Expected(std::string_view what) {
    Skip();
    if (at_ >= text_.size()) return Error(fmt::format("expected {}, found the end", what));
    return Error(fmt::format("expected {}, found '{}'", what, text_[at_]));
  }

  // Takes `symbol` when it comes next; words end where letters end.
  bool Take(std::string_view symbol) {
    Skip();
    if (text_.substr(at_, symbol.size()) != symbol) return false;
    if (IsLetter(symbol[0]) && at_ + symbol.size() < text_.size()) {
      const char next = text_[at_ + symbol.size()];
      if (IsLetter(next) || IsDigit(next)) return false;
    }
    at_ += symbol.size();
    return true;
  }

  // `start`: where the operator or the value is written.
  static NodePtr Make(Op op, size_t start, NodePtr left, NodePtr right = nullptr) {
    auto node = std::make_unique<ExpressionNode>();
    node->op = op;
    node->column = start + 1;
    if (left != nullptr) node->children.push_back(std::move(left));
    if (right != nullptr) node->children.push_back(std::move(right));
    return node;
  }

  Result<NodePtr> Or(int depth) {
    FERRY_ASSIGN_OR_RETURN(NodePtr left, And(depth));
    for (int chain = depth; Take("or");) {
      if (++chain > kMaxExpressionDepth) return TooDeep();
      const size_t start = at_ - 2;
      FERRY_ASSIGN_OR_RETURN(NodePtr right, And(depth));
      left = Make(Op::kOr, start, std::move(left), std::move(right));
    }
    return left;
  }

  Result<NodePtr> And(int depth) {
    FERRY_ASSIGN_OR_RETURN(NodePtr left, Not(depth));
    for (int chain = depth; Take("and");) {
      if (++chain > kMaxExpressionDepth) return TooDeep();
      const size_t start = at_ - 3;
      FERRY_ASSIGN_OR_RETURN(NodePtr right, Not(depth));
      left = Make(Op::kAnd, start, std::move(left), std::move(right));
    }
    return left;
  }

  Result<NodePtr> Not(int depth) {
    if (depth > kMaxExpressionDepth) return TooDeep();
    if (!Take("not")) return Comparison(depth);
    const size_t start = at_ - 3;
    FERRY_ASSIGN_OR_RETURN(NodePtr child, Not(depth + 1));
    return Make(Op::kNot, start, std::move(child));
  }

  Result<NodePtr> Comparison(int depth) {
    FERRY_ASSIGN_OR_RETURN(NodePtr left, Sum(depth));
    for (const Op op :
         {Op::kEqual, Op::kNotEqual, Op::kLessEqual, Op::kGreaterEqual, Op::kLess, Op::kGreater}) {
      if (!Take(OpText(op))) continue;
      const size_t start = at_ - OpText(op).size();
      FERRY_ASSIGN_OR_RETURN(NodePtr right, Sum(depth));
      return Make(op, start, std::move(left), std::move(right));
    }
    return left;
  }

  Result<NodePtr> Sum(int depth) {
    FERRY_ASSIGN_OR_RETURN(NodePtr left, Product(depth));
    for (int chain = depth;;) {
      Op op;
      if (Take("+"))
        op = Op::kAdd;
      else if (Take("-"))
        op = Op::kSubtract;
      else
        return left;
      if (++chain > kMaxExpressionDepth) return TooDeep();
      const size_t start = at_ - 1;
      FERRY_ASSIGN_OR_RETURN(NodePtr right, Product(depth));
      left = Make(op, start, std::move(left), std::move(right));
    }
  }

  Result<NodePtr> Product(int depth) {
    FERRY_ASSIGN_OR_RETURN(NodePtr left, Unary(depth));
    for (int chain = depth;;) {
      Op op;
      if (Take("*"))
        op = Op::kMultiply;
      else if (Take("/"))
        op = Op::kDivide;
      else if (Take("%"))
        op = Op::kModulo;
      else
        return left;
      if (++chain > kMaxExpressionDepth) return TooDeep();
      const size_t start = at_ - 1;
      FERRY_ASSIGN_OR_RETURN(NodePtr right, Unary(depth));
      left = Make(op, start, std::move(left), std::move(right));
    }
  }

  Result<NodePtr> Unary(int depth) {
    if (depth > kMaxExpressionDepth) return TooDeep();
    if (!Take("-")) return Primary(depth);
    const size_t start = at_ - 1;
    FERRY_ASSIGN_OR_RETURN(NodePtr child, Unary(depth + 1));
    return Make(Op::kNegate, start, std::move(child));
  }

  Result<NodePtr> Primary(int depth) {
    const char c = Skip();
    if (Take("(")) {
      FERRY_ASSIGN_OR_RETURN(NodePtr inner, Or(depth + 1));
      if (!Take(")")) return Expected(")");
      return inner;
    }
    if (IsDigit(c)) return Number();
    if (c == '"') return String();
    if (!IsLetter(c)) return Expected("a value");
    if (Take("true")) return Constant(true);
    if (Take("false")) return Constant(false);
    if (Take("null")) return Constant(nullptr);
    return FieldOrCall(depth);
  }

  Result<NodePtr> Constant(Json value) const {
    NodePtr node = Make(Op::kConstant, at_, nullptr);
    node->constant = std::move(value);
    node->value = Value::Of(node->constant);
    return node;
  }

  Result<NodePtr> Number() {
    const char* begin = text_.data() + at_;
    const char* end = text_.data() + text_.size();
    int64_t whole = 0;
    const auto [whole_end, whole_error] = std::from_chars(begin, end, whole);
    double value = 0;
    const auto [value_end, value_error] = std::from_chars(begin, end, value);
    if (value_error != std::errc()) return Error("a number out of range");
    if (value_end < end && (IsLetter(*value_end) || *value_end == '.'))
      return Error("a bad number");
    at_ = static_cast<size_t>(value_end - text_.data());
    if (whole_error == std::errc() && whole_end == value_end) return Constant(whole);
    return Constant(value);
  }

  Result<NodePtr> String() {
    std::string out;
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
      if (at_ >= text_.size()) break;
      if (text_[at_ - 1] == '\\' && text_[at_] != '"' && text_[at_] != '\\')
        return Error("only \\\" and \\\\ may follow a backslash");
      out += text_[at_];
    }
    if (at_ >= text_.size()) return Error("a string without end");
    ++at_;
    return Constant(std::move(out));
  }

  std::string Word() {
    std::string out;
    while (at_ < text_.size() && (IsLetter(text_[at_]) || IsDigit(text_[at_]))) out += text_[at_++];
    return out;
  }

  Result<NodePtr> FieldOrCall(int depth) {
    const size_t start = at_;
    NodePtr node = Make(Op::kField, start, nullptr);
    node->path.push_back(Word());
    for (const std::string_view word : {"and", "or", "not"})
      if (node->path[0] == word) {
        at_ = start;
        return Expected("a value");
      }
    if (Take("(")) return Call(node->path[0], start, depth);
    while (at_ + 1 < text_.size() && text_[at_] == '.' && IsLetter(text_[at_ + 1])) {
      ++at_;
      node->path.push_back(Word());
    }
    if (const size_t capture = CaptureOf(node->path[0]);
        capture != kNoCapture && node->path.size() > 1) {
      node->capture = capture;
      node->path.erase(node->path.begin());
      uses_.push_back({capture, start + 1});
    }
    node->own = OwnNameOf(node->path);
    return node;
  }

  size_t CaptureOf(std::string_view name) const {
    const auto found = std::find(captures_.begin(), captures_.end(), name);
    return found == captures_.end() ? kNoCapture : static_cast<size_t>(found - captures_.begin());
  }

  // A function over a capture: its name, "(", the capture and, but for count, a field, ")". Null
  // when it is none; then nothing is taken.
  Result<NodePtr> ListCall(const std::string& name, size_t start) {
    const auto* function =
        std::find_if(std::begin(kListFunctions), std::end(kListFunctions),
                     [&name](const FunctionInfo& one) { return one.name == name; });
    if (function == std::end(kListFunctions) || captures_.empty()) return NodePtr();
    const size_t begin = at_;
    Skip();
    const size_t column = at_ + 1;
    const size_t capture = CaptureOf(Word());
    NodePtr node = Make(function->op, start, nullptr);
    while (at_ + 1 < text_.size() && text_[at_] == '.' && IsLetter(text_[at_ + 1])) {
      ++at_;
      node->path.push_back(Word());
    }
    const bool with_field = function->op != Op::kCount;
    if (capture == kNoCapture || node->path.empty() == with_field || !Take(")")) {
      at_ = begin;
      return NodePtr();
    }
    node->capture = capture;
    node->own = OwnNameOf(node->path);
    uses_.push_back({capture, column});
    return node;
  }

  Result<NodePtr> Call(const std::string& name, size_t start, int depth) {
    FERRY_ASSIGN_OR_RETURN(NodePtr over_list, ListCall(name, start));
    if (over_list != nullptr) return over_list;
    const FunctionInfo* found = nullptr;
    for (const FunctionInfo& function : kFunctions)
      if (function.name == name) found = &function;
    if (found == nullptr && (name == "count" || name == "sum") && !captures_.empty())
      return Expected(name == "count" ? "the name of an earlier step and )"
                                      : "the name of an earlier step, a field and )");
    if (found == nullptr) {
      at_ = start;
      return Error(
          fmt::format("there is no function {}; known are: abs bucket ceil floor keyed_hash len "
                      "max min round",
                      name));
    }
    NodePtr node = Make(found->op, start, nullptr);
    do {
      FERRY_ASSIGN_OR_RETURN(NodePtr argument, Or(depth + 1));
      node->children.push_back(std::move(argument));
    } while (Take(","));
    if (!Take(")")) return Expected(", or )");
    if (node->children.size() < found->least || node->children.size() > found->most) {
      at_ = start;
      return Error(fmt::format("{} takes {} to {} arguments, not {}", name, found->least,
                               found->most, node->children.size()));
    }
    return node;
  }

  Status TooDeep() const {
    return Status::Of(Code::kLimitExceeded, "column {}: nested or chained deeper than {}", at_ + 1,
                      kMaxExpressionDepth);
  }

  std::string_view text_;
  std::span<const std::string> captures_;
  std::vector<CaptureUse> uses_;
  size_t at_ = 0;
};

}  // namespace

Result<Expression> Expression::ParsePrefix(std::string_view text,
                                           std::span<const std::string> captures, size_t* end) {
  if (end != nullptr) text = text.substr(0, kMaxExpressionBytes + 1);
  Parser parser(text, captures);
  FERRY_ASSIGN_OR_RETURN(NodePtr root, parser.Run(end));
  if (end != nullptr) text = text.substr(0, *end);
  while (end != nullptr && !text.empty() &&
         (text.back() == ' ' || text.back() == '\n' || text.back() == '\t'))
    text.remove_suffix(1);
  if (text.size() > kMaxExpressionBytes)
    return Status::Of(Code::kLimitExceeded, "the expression has more than {} bytes",
                      kMaxExpressionBytes);
  Expression out;
  out.root_ = std::move(root);
  out.text_ = text;
  out.captures_ = std::move(parser.uses());
  return out;
}

Result<Expression> Expression::Parse(std::string_view text, std::span<const std::string> captures) {
  if (text.size() > kMaxExpressionBytes)
    return Status::Of(Code::kLimitExceeded, "the expression has {} bytes, the limit is {}",
                      text.size(), kMaxExpressionBytes);
  return ParsePrefix(text, captures, nullptr);
}

}  // namespace ferry::expression
