#include <unordered_map>

#include "device-runtime/ir/scanner.h"
#include "device-runtime/ir/text.h"

namespace ferry::ir {
namespace {

class Parser {
 public:
  explicit Parser(const ParseOptions& options) : options_(options) {}

  Status Line(std::string_view text) {
    LineScanner line(text);
    if (line.AtEnd() || line.Accept("#")) return OkStatus();
    FERRY_ASSIGN_OR_RETURN(std::string keyword, line.Word());
    if (keyword == "graph") {
      FERRY_ASSIGN_OR_RETURN(graph_.name, line.Name());
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

 private:
  ValueId Named(const std::string& name) {
    auto [it, is_new] = ids_.try_emplace(name, kNoValue);
    if (is_new) it->second = graph_.AddValue(name);
    return it->second;
  }

  Status Type(LineScanner& line, Value& value) {
    FERRY_ASSIGN_OR_RETURN(value.dtype, line.Type());
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
    FERRY_ASSIGN_OR_RETURN(DType dtype, line.Type());
    Value& value = graph_.values[graph_.outputs.back()];
    if (value.constant && value.dtype != dtype) return line.Error("the type is another one");
    value.dtype = dtype;
    if (line.AtEnd()) return OkStatus();
    FERRY_ASSIGN_OR_RETURN(value.dims, line.Dims());
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
    if (line.NextIs('(')) return line.Error("the node's name is missing");
    FERRY_ASSIGN_OR_RETURN(node.name, line.Name());
    FERRY_ASSIGN_OR_RETURN(node.inputs, Ids(line));
    FERRY_TRY(line.Expect("->"));
    FERRY_ASSIGN_OR_RETURN(node.outputs, Ids(line));
    while (!line.AtEnd()) {
      FERRY_ASSIGN_OR_RETURN(std::string key, line.Name());
      FERRY_TRY(line.Expect("="));
      FERRY_ASSIGN_OR_RETURN(Attribute value, OneAttribute(line));
      node.attributes.insert_or_assign(std::move(key), std::move(value));
    }
    graph_.nodes.push_back(std::move(node));
    return OkStatus();
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
    return line.Error("an attribute needs one of i f s I F t");
  }

  const ParseOptions& options_;
  Graph graph_;
  std::unordered_map<std::string, ValueId> ids_;
};

}  // namespace

Result<Graph> Parse(std::string_view text, const ParseOptions& options) {
  Parser parser(options);
  int number = 0;
  while (!text.empty()) {
    ++number;
    const size_t end = std::min(text.find('\n'), text.size());
    FERRY_TRY(parser.Line(text.substr(0, end)).Context("line {}", number));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parser.Take();
}

Result<Tensor> ParseTensor(std::string_view text) {
  LineScanner line(text);
  FERRY_ASSIGN_OR_RETURN(Tensor tensor, line.TensorText());
  if (!line.AtEnd()) return line.Error("the line goes on after its end");
  return tensor;
}

}  // namespace ferry::ir
