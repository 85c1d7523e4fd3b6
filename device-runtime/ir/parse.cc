#include <unordered_map>

#include "device-runtime/ir/scanner.h"
#include "device-runtime/ir/text.h"

namespace ferry::ir {
namespace {

constexpr int64_t kMaxVersion = 1000;

class Parser {
 public:
  explicit Parser(const ParseOptions& options) : options_(options) {}

  Status Line(std::string_view text) {
    LineScanner line(text);
    if (line.AtEnd() || line.Accept("#")) return OkStatus();
    FERRY_ASSIGN_OR_RETURN(std::string keyword, line.Word());
    if (keyword == "graph") {
      FERRY_ASSIGN_OR_RETURN(graph_.name, line.Name());
      FERRY_ASSIGN_OR_RETURN(graph_.captured, Captured(line));
    } else if (keyword == "input") {
      FERRY_TRY(Input(line));
    } else if (keyword == "const") {
      FERRY_TRY(Constant(line));
    } else if (keyword == "node") {
      FERRY_TRY(OneNode(line));
    } else if (keyword == "output") {
      FERRY_TRY(Output(line));
    } else {
      return line.Error("unknown keyword '" + keyword + "'");
    }
    return line.AtEnd() ? OkStatus() : line.Error("the line goes on after its end");
  }

  Graph Take() { return std::move(graph_); }

  // Bodies of the latest node that the lines after it must hold.
  bool WantsBody() const { return bodies_given_ < bodies_.size(); }
  void GiveBody(Graph body) {
    graph_.nodes.back().attributes[bodies_[bodies_given_++]] =
        std::make_shared<const Graph>(std::move(body));
  }

 private:
  ValueId Named(const std::string& name) {
    auto [it, is_new] = ids_.try_emplace(name, kNoValue);
    if (is_new) it->second = graph_.AddValue(name);
    return it->second;
  }

  static Result<int> Captured(LineScanner& line) {
    if (!line.Accept("captured ")) return 0;
    FERRY_ASSIGN_OR_RETURN(int64_t count, line.Integer());
    if (count < 0 || count > kMaxValues) return line.Error("no such count");
    return static_cast<int>(count);
  }

  static Status Type(LineScanner& line, Value& value) {
    int closing = 0;
    if (line.Accept("seq(")) {
      value.kind = ValueKind::kSequence;
      closing = 1;
    } else if (line.Accept("optional(")) {
      closing = line.Accept("seq(") ? 2 : 1;
      value.kind = closing == 2 ? ValueKind::kOptionalSequence : ValueKind::kOptional;
    }
    if (!line.Accept("?")) {
      FERRY_ASSIGN_OR_RETURN(value.dtype, line.Type());
    }
    for (; closing > 0; --closing) FERRY_TRY(line.Expect(")"));
    if (!line.NextIs('[')) return OkStatus();
    FERRY_ASSIGN_OR_RETURN(value.dims, line.Dims());
    return OkStatus();
  }

  Status Input(LineScanner& line) {
    FERRY_ASSIGN_OR_RETURN(std::string name, line.Name());
    graph_.inputs.push_back(Named(name));
    return Type(line, graph_.values[graph_.inputs.back()]);
  }

  Status Output(LineScanner& line) {
    FERRY_ASSIGN_OR_RETURN(std::string name, line.Name());
    graph_.outputs.push_back(Named(name));
    if (line.AtEnd()) return OkStatus();
    Value& value = graph_.values[graph_.outputs.back()];
    FERRY_TRY(Type(line, value));
    if (value.constant && value.dtype != value.constant->dtype()) {
      return line.Error("the type is another one");
    }
    return OkStatus();
  }

  Status Constant(LineScanner& line) {
    FERRY_ASSIGN_OR_RETURN(std::string name, line.Name());
    if (ids_.contains(name)) return line.Error("'" + name + "' is there already");
    FERRY_ASSIGN_OR_RETURN(DType dtype, line.Type());
    FERRY_ASSIGN_OR_RETURN(std::vector<Dim> dims, line.Dims());
    FERRY_ASSIGN_OR_RETURN(Shape shape, FixedShapeOf(dims));
    Tensor tensor;
    if (line.Accept("at")) {
      FERRY_ASSIGN_OR_RETURN(int64_t offset, line.Integer());
      if (!options_.load || offset < 0) return line.Error("no weights to read from");
      FERRY_ASSIGN_OR_RETURN(tensor, options_.load(dtype, shape, static_cast<uint64_t>(offset)));
    } else {
      FERRY_TRY(line.Expect("="));
      FERRY_ASSIGN_OR_RETURN(tensor, line.Elements(dtype, shape));
    }
    ids_[name] = graph_.AddConstant(name, std::move(tensor));
    return OkStatus();
  }

  Result<std::vector<ValueId>> Ids(LineScanner& line) {
    std::vector<ValueId> ids;
    FERRY_TRY(line.Expect("("));
    while (!line.Accept(")")) {
      if (!ids.empty()) FERRY_TRY(line.Expect(","));
      const bool quoted = line.NextIs('"');
      FERRY_ASSIGN_OR_RETURN(std::string name, line.Name());
      ids.push_back(name == "-" && !quoted ? kNoValue : Named(name));
    }
    return ids;
  }

  Status OneNode(LineScanner& line) {
    Node node;
    FERRY_ASSIGN_OR_RETURN(node.op, line.Name());
    if (line.Accept("@")) {
      FERRY_ASSIGN_OR_RETURN(int64_t version, line.Integer());
      if (version < 1 || version > kMaxVersion) return line.Error("no such version");
      node.version = static_cast<int>(version);
    }
    if (line.NextIs('(')) return line.Error("the node's name is missing");
    FERRY_ASSIGN_OR_RETURN(node.name, line.Name());
    FERRY_ASSIGN_OR_RETURN(node.inputs, Ids(line));
    FERRY_TRY(line.Expect("->"));
    FERRY_ASSIGN_OR_RETURN(node.outputs, Ids(line));
    FERRY_ASSIGN_OR_RETURN(node.captured, Captured(line));
    while (!line.AtEnd()) {
      FERRY_ASSIGN_OR_RETURN(std::string key, line.Name());
      FERRY_TRY(line.Expect("="));
      FERRY_ASSIGN_OR_RETURN(Attribute value, OneAttribute(line));
      node.attributes.insert_or_assign(std::move(key), std::move(value));
    }
    bodies_.clear();
    bodies_given_ = 0;
    for (const auto& [key, attribute] : node.attributes) {
      if (std::holds_alternative<Subgraph>(attribute)) bodies_.push_back(key);
    }
    graph_.nodes.push_back(std::move(node));
    return OkStatus();
  }

  static Result<std::vector<std::string>> Texts(LineScanner& line) {
    FERRY_TRY(line.Expect("["));
    std::vector<std::string> texts;
    while (!line.Accept("]")) {
      if (!texts.empty()) FERRY_TRY(line.Expect(","));
      FERRY_ASSIGN_OR_RETURN(std::string text, line.Quoted());
      texts.push_back(std::move(text));
    }
    return texts;
  }

  Result<Attribute> OneAttribute(LineScanner& line) {
    if (line.Accept("t{")) {
      FERRY_ASSIGN_OR_RETURN(Tensor value, line.TensorText());
      FERRY_TRY(line.Expect("}"));
      return Attribute(std::move(value));
    }
    if (line.Accept("s")) {
      FERRY_ASSIGN_OR_RETURN(std::string value, line.Quoted());
      return Attribute(std::move(value));
    }
    if (line.Accept("I")) {
      FERRY_ASSIGN_OR_RETURN(std::vector<int64_t> value, line.Integers());
      return Attribute(std::move(value));
    }
    if (line.Accept("F")) {
      FERRY_ASSIGN_OR_RETURN(std::vector<float> value, line.Floats());
      return Attribute(std::move(value));
    }
    if (line.Accept("i")) {
      FERRY_ASSIGN_OR_RETURN(int64_t value, line.Integer());
      return Attribute(value);
    }
    if (line.Accept("f")) {
      FERRY_ASSIGN_OR_RETURN(double value, line.Float());
      return Attribute(static_cast<float>(value));
    }
    if (line.Accept("S")) {
      FERRY_ASSIGN_OR_RETURN(std::vector<std::string> value, Texts(line));
      return Attribute(std::move(value));
    }
    if (line.Accept("g")) return Attribute(Subgraph());  // its body follows the line
    return line.Error("an attribute needs one of i f s I F S t g");
  }

  const ParseOptions& options_;
  Graph graph_;
  std::unordered_map<std::string, ValueId> ids_;
  std::vector<std::string> bodies_;  // keys of the latest node's bodies, in order
  size_t bodies_given_ = 0;
};

// Parsers of a graph and of the bodies that are open, innermost last.
class Parsers {
 public:
  explicit Parsers(const ParseOptions& options) : options_(options) {
    stack_.emplace_back(options);
  }

  Status Line(std::string_view text) {
    Parser& top = stack_.back();
    if (text == "{") {
      if (!top.WantsBody()) return Status(Code::kBadModel, "a body that no node has");
      if (stack_.size() > kMaxGraphDepth) {
        return Status::Of(Code::kLimitExceeded, "bodies are nested more than {} deep",
                          kMaxGraphDepth);
      }
      stack_.emplace_back(options_);
      return OkStatus();
    }
    if (top.WantsBody()) return Status(Code::kBadModel, "a body is missing");
    if (text != "}") return top.Line(text);
    if (stack_.size() == 1) return Status(Code::kBadModel, "no body ends here");
    Graph body = top.Take();
    stack_.pop_back();
    stack_.back().GiveBody(std::move(body));
    return OkStatus();
  }

  Result<Graph> Finish() {
    if (stack_.size() > 1 || stack_.back().WantsBody()) {
      return Status(Code::kBadModel, "a body does not end");
    }
    return stack_.back().Take();
  }

 private:
  const ParseOptions& options_;
  std::vector<Parser> stack_;
};

}  // namespace

Result<Graph> Parse(std::string_view text, const ParseOptions& options) {
  Parsers parsers(options);
  int number = 0;
  while (!text.empty()) {
    ++number;
    const size_t end = std::min(text.find('\n'), text.size());
    FERRY_TRY(parsers.Line(text.substr(0, end)).Context("line {}", number));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parsers.Finish();
}

Result<Tensor> ParseTensor(std::string_view text) {
  LineScanner line(text);
  FERRY_ASSIGN_OR_RETURN(Tensor tensor, line.TensorText());
  if (!line.AtEnd()) return line.Error("the line goes on after its end");
  return tensor;
}

}  // namespace ferry::ir
