#include <cmath>
#include <deque>

#include "common/base/bytes.h"
#include "common/crypto/hash.h"
#include "pipeline/expression/expression.h"
#include "pipeline/expression/node.h"

namespace ferry::expression {
namespace {

using Kind = Value::Kind;

// What went wrong, kept small: a text is made only when somebody asks for it.
struct Fault {
  const ExpressionNode* node = nullptr;
  std::string_view left = {}, right = {};  // types; the second may be empty
  bool too_long = false;
  bool no_key = false;

  Status ToStatus() const {
    if (no_key)
      return Status::Of(Code::kUnavailable, "column {}: there is no key for keyed_hash",
                        node->column);
    if (too_long)
      return Status::Of(Code::kLimitExceeded, "column {}: a string over {} bytes", node->column,
                        kMaxStringResult);
    if (node == nullptr)
      return Status::Of(Code::kInvalidArgument, "a condition gave {}, not true or false", left);
    if (right.empty())
      return Status::Of(Code::kInvalidArgument, "column {}: {} does not take {}", node->column,
                        OpText(node->op), left);
    return Status::Of(Code::kInvalidArgument, "column {}: {} does not take {} and {}", node->column,
                      OpText(node->op), left, right);
  }
};

Value Arithmetic(Op op, const Value& a, const Value& b) {
  if (a.kind == Kind::kInt && b.kind == Kind::kInt && op != Op::kDivide) {
    int64_t out = 0;
    if (op == Op::kAdd && !__builtin_add_overflow(a.i, b.i, &out)) return Value::Int(out);
    if (op == Op::kSubtract && !__builtin_sub_overflow(a.i, b.i, &out)) return Value::Int(out);
    if (op == Op::kMultiply && !__builtin_mul_overflow(a.i, b.i, &out)) return Value::Int(out);
    if (op == Op::kModulo && b.i == 0) return Value::Null();
    if (op == Op::kModulo && b.i == -1) return Value::Int(0);
    if (op == Op::kModulo) {  // the sign of the divisor, as in scripts
      const int64_t rest = a.i % b.i;
      return Value::Int(rest != 0 && (rest < 0) != (b.i < 0) ? rest + b.i : rest);
    }
  }
  const double left = a.AsDouble(), right = b.AsDouble();
  switch (op) {
    case Op::kAdd:
      return Value::Double(left + right);
    case Op::kSubtract:
      return Value::Double(left - right);
    case Op::kMultiply:
      return Value::Double(left * right);
    case Op::kDivide:
      return Value::Double(left / right);  // by zero: not finite, so null
    default:
      return Value::Double(left - right * std::floor(left / right));
  }
}

bool Holds(Op op, int order) {
  switch (op) {
    case Op::kLess:
      return order < 0;
    case Op::kLessEqual:
      return order <= 0;
    case Op::kGreater:
      return order > 0;
    default:
      return order >= 0;
  }
}

int NumberOrder(const Value& a, const Value& b) {
  if (a.kind == Kind::kInt && b.kind == Kind::kInt) return a.i < b.i ? -1 : a.i > b.i;
  const double left = a.AsDouble(), right = b.AsDouble();
  return left < right ? -1 : left > right;
}

// A rounded double as an integer where it fits.
Value Whole(double value) {
  constexpr double kLimit = 9007199254740992;  // 2^53: every integer below is exact
  if (std::fabs(value) <= kLimit) return Value::Int(static_cast<int64_t>(value));
  return Value::Double(value);
}

Value Bucket(const Value& value, const Value& size) {
  if (size.AsDouble() <= 0) return Value::Null();
  if (value.kind == Kind::kInt && size.kind == Kind::kInt) {
    const int64_t rest = value.i % size.i;
    int64_t out = 0;
    if (!__builtin_sub_overflow(value.i, rest < 0 ? rest + size.i : rest, &out))
      return Value::Int(out);
  }
  return Value::Double(std::floor(value.AsDouble() / size.AsDouble()) * size.AsDouble());
}

// Equal numbers have one text.
std::string HashText(std::string_view key, const Value& value) {
  constexpr size_t kHashBytes = 8;
  const bool whole = value.kind == Kind::kDouble && std::floor(value.d) == value.d;
  const std::string text = WriteJson((whole ? Whole(value.d) : value).ToJson());
  const crypto::Sha256Digest digest = crypto::HmacSha256(AsBytes(key), AsBytes(text));
  return ToHex(ByteView(digest).first(kHashBytes));
}

// One evaluation. Functions return false after an error, which `fault` then tells.
class Evaluation {
 public:
  Evaluation(const Subject& subject, const Captures* captures)
      : subject_(subject), captures_(captures) {}

  bool Compute(const ExpressionNode& node, Value* out);
  const Fault& fault() const { return fault_; }
  Answer Condition(const ExpressionNode& root) {
    Value value;
    if (!Compute(root, &value)) return Answer::kError;
    if (value.is_null()) return Answer::kFalse;
    if (value.kind == Kind::kBool) return value.b ? Answer::kTrue : Answer::kFalse;
    fault_ = {nullptr, value.TypeName()};
    return Answer::kError;
  }

 private:
  bool Bad(const ExpressionNode& node, const Value& a) {
    fault_ = {&node, a.TypeName()};
    return false;
  }
  bool Bad(const ExpressionNode& node, const Value& a, const Value& b) {
    fault_ = {&node, a.TypeName(), b.TypeName()};
    return false;
  }

  static Value FieldOf(const ExpressionNode& node, const Subject& subject) {
    if (node.own != OwnName::kNone && subject.named) {
      if (node.own == OwnName::kTimeMs) return Value::Int(subject.time_ms);
      return Value::Text(node.own == OwnName::kPage ? subject.page : subject.event);
    }
    if (subject.fields == nullptr) return Value::Null();
    const Json* found = FindField(*subject.fields, node.path);
    return found == nullptr ? Value::Null() : Value::Of(*found);
  }

  size_t CountOf(const ExpressionNode& node) const {
    return captures_ == nullptr ? 0 : captures_->Count(node.capture);
  }

  Value Field(const ExpressionNode& node) const {
    if (node.capture == kNoCapture) return FieldOf(node, subject_);
    const size_t count = CountOf(node);
    if (count == 0) return Value::Null();
    return FieldOf(node, captures_->At(node.capture, count - 1));
  }

  // The better of `best` and `value` for min or max.
  bool Better(const ExpressionNode& node, const Value& value, Value* best) {
    if (value.is_null()) return true;
    if (!value.is_number()) return Bad(node, value);
    if (best->is_null() || (NumberOrder(value, *best) < 0) == (node.op == Op::kMin)) *best = value;
    return true;
  }

  bool OverCapture(const ExpressionNode& node, Value* out) {
    const size_t count = CountOf(node);
    *out = node.op == Op::kCount ? Value::Int(static_cast<int64_t>(count))
                                 : (node.op == Op::kSum ? Value::Int(0) : Value::Null());
    if (node.op == Op::kCount) return true;
    for (size_t k = 0; k < count; ++k) {
      const Value value = FieldOf(node, captures_->At(node.capture, k));
      if (node.op != Op::kSum) {
        if (!Better(node, value, out)) return false;
        continue;
      }
      if (value.is_null() || out->is_null()) continue;
      if (!value.is_number()) return Bad(node, value);
      *out = Arithmetic(Op::kAdd, *out, value);
    }
    return true;
  }

  bool Extreme(const ExpressionNode& node, Value* out) {
    *out = Value::Null();
    for (const auto& child : node.children) {
      Value value;
      if (!Compute(*child, &value) || !Better(node, value, out)) return false;
    }
    return true;
  }

  bool Truth(const ExpressionNode& node, const Value& value, bool* out) {
    *out = value.kind == Kind::kBool && value.b;
    return value.is_null() || value.kind == Kind::kBool || Bad(node, value);
  }

  bool Logic(const ExpressionNode& node, Value* out) {
    bool truth = false;
    if (!Compute(*node.children[0], out) || !Truth(node, *out, &truth)) return false;
    if (node.op == Op::kNot) {
      *out = Value::Bool(!truth);
      return true;
    }
    if (truth != (node.op == Op::kOr)) {
      if (!Compute(*node.children[1], out) || !Truth(node, *out, &truth)) return false;
    }
    *out = Value::Bool(truth);
    return true;
  }

  bool One(const ExpressionNode& node, Value* out) {
    if (!Compute(*node.children[0], out)) return false;
    if (out->is_null()) return true;
    if (node.op == Op::kLen) {
      if (out->kind != Kind::kText && out->kind != Kind::kJson) return Bad(node, *out);
      const size_t size = out->kind == Kind::kText ? out->text.size() : out->json->size();
      *out = Value::Int(static_cast<int64_t>(size));
      return true;
    }
    if (!out->is_number()) return Bad(node, *out);
    if (node.op == Op::kNegate || (node.op == Op::kAbs && out->AsDouble() < 0)) {
      *out = Arithmetic(Op::kSubtract, Value::Int(0), *out);
      return true;
    }
    if (node.op == Op::kAbs || out->kind != Kind::kDouble) return true;
    if (node.op == Op::kCeil)
      *out = Whole(std::ceil(out->d));
    else if (node.op == Op::kFloor)
      *out = Whole(std::floor(out->d));
    else
      *out = Whole(std::nearbyint(out->d));  // halves to even, as in scripts
    return true;
  }

  bool Join(const ExpressionNode& node, const Value& a, const Value& b, Value* out) {
    if (node.op != Op::kAdd || a.kind != Kind::kText || b.kind != Kind::kText)
      return Bad(node, a, b);
    if (a.text.size() + b.text.size() > kMaxStringResult) {
      fault_ = {&node, {}, {}, true};
      return false;
    }
    texts_.emplace_back(a.text).append(b.text);
    *out = Value::Text(texts_.back());
    return true;
  }

  bool KeyedHash(const ExpressionNode& node, Value* out) {
    if (!Compute(*node.children[0], out)) return false;
    if (out->is_null()) return true;
    if (subject_.hash_key.empty()) {
      fault_ = {.node = &node, .no_key = true};
      return false;
    }
    texts_.push_back(HashText(subject_.hash_key, *out));
    *out = Value::Text(texts_.back());
    return true;
  }

  bool Two(const ExpressionNode& node, Value* out) {
    Value a, b;
    if (!Compute(*node.children[0], &a) || !Compute(*node.children[1], &b)) return false;
    if (node.op == Op::kBucket) {
      if ((!a.is_null() && !a.is_number()) || (!b.is_null() && !b.is_number()))
        return Bad(node, a, b);
      *out = a.is_null() || b.is_null() ? Value::Null() : Bucket(a, b);
      return true;
    }
    if (node.op == Op::kEqual || node.op == Op::kNotEqual) {
      *out = Value::Bool(Equal(a, b) == (node.op == Op::kEqual));
      return true;
    }
    *out = Value::Null();
    if (a.is_null() || b.is_null()) return true;
    const bool numbers = a.is_number() && b.is_number();
    if (node.op < Op::kEqual || node.op > Op::kGreaterEqual) {
      if (!numbers) return Join(node, a, b, out);
      *out = Arithmetic(node.op, a, b);
      return true;
    }
    if (!numbers && (a.kind != Kind::kText || b.kind != Kind::kText)) return Bad(node, a, b);
    *out = Value::Bool(Holds(node.op, numbers ? NumberOrder(a, b) : a.text.compare(b.text)));
    return true;
  }

  const Subject& subject_;
  const Captures* captures_;
  Fault fault_;
  std::deque<std::string> texts_;  // what + made
};

bool Evaluation::Compute(const ExpressionNode& node, Value* out) {
  switch (node.op) {
    case Op::kConstant:
      *out = node.value;
      return true;
    case Op::kField:
      *out = Field(node);
      return true;
    case Op::kCount:
    case Op::kSum:
      return OverCapture(node, out);
    case Op::kMin:
    case Op::kMax:
      return node.capture != kNoCapture ? OverCapture(node, out) : Extreme(node, out);
    case Op::kKeyedHash:
      return KeyedHash(node, out);
    case Op::kOr:
    case Op::kAnd:
    case Op::kNot:
      return Logic(node, out);
    default:
      return node.children.size() == 1 ? One(node, out) : Two(node, out);
  }
}

}  // namespace

Result<Json> Expression::Evaluate(const Subject& subject, const Captures* captures) const {
  Evaluation evaluation(subject, captures);
  Value value;
  if (!evaluation.Compute(*root_, &value)) return evaluation.fault().ToStatus();
  return value.ToJson();
}

Result<Json> Expression::Evaluate(const Json& fields) const {
  return Evaluate(Subject{&fields});
}

Result<bool> Expression::Test(const Subject& subject, const Captures* captures) const {
  Evaluation evaluation(subject, captures);
  const Answer answer = evaluation.Condition(*root_);
  if (answer == Answer::kError) return evaluation.fault().ToStatus();
  return answer == Answer::kTrue;
}

Result<bool> Expression::Test(const Json& fields) const {
  return Test(Subject{&fields});
}

Answer Expression::Decide(const Subject& subject, const Captures* captures) const {
  return Evaluation(subject, captures).Condition(*root_);
}

const Json* FindField(const Json& fields, std::span<const std::string> path) {
  const Json* at = &fields;
  for (const std::string& name : path) {
    const auto* object = at->get_ptr<const Json::object_t*>();
    if (object == nullptr) return nullptr;
    at = FindMember(*object, name);
    if (at == nullptr) return nullptr;
  }
  return at;
}

}  // namespace ferry::expression
