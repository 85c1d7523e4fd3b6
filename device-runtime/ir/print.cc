#include <cmath>

#include "device-runtime/ir/text.h"

namespace ferry::ir {
namespace {

bool IsPlain(std::string_view name) {
  if (name.empty() || name == "-" || name == "->") return false;
  for (char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '.' || c == '/' || c == ':' || c == '-';
    if (!plain) return false;
  }
  return true;
}

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 32 || byte == 127) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string Name(std::string_view name) {
  return IsPlain(name) ? std::string(name) : Quoted(name);
}

// Shortest text that reads back to the same bits; "nan", "inf", "-inf".
std::string Number(float value) {
  return fmt::format("{}", value);
}

void AppendElements(const Tensor& t, std::string& out) {
  for (int64_t i = 0; i < t.elements(); ++i) {
    if (t.dtype() == DType::kString) {
      out += ' ' + Quoted(t.Text(i));
    } else if (t.dtype() == DType::kF64) {
      out += fmt::format(" {}", t.Number(i));
    } else if (tensor::IsFloat(t.dtype())) {
      out += ' ' + Number(static_cast<float>(t.Number(i)));
    } else if (t.dtype() == DType::kU64) {
      out += fmt::format(" {}", static_cast<uint64_t>(t.Integer(i)));
    } else {
      out += fmt::format(" {}", t.Integer(i));
    }
  }
}

std::string TypeText(const Value& value) {
  static constexpr std::string_view kBegin[] = {"", "seq(", "optional(", "optional(seq("};
  static constexpr std::string_view kEnd[] = {"", ")", ")", "))"};
  const auto kind = static_cast<size_t>(value.kind);
  std::string out(kBegin[kind]);
  out += value.dtype ? tensor::DTypeName(*value.dtype) : "?";
  out += kEnd[kind];
  if (!value.dims) return out;
  out += " [";
  for (size_t i = 0; i < value.dims->size(); ++i) {
    const Dim& dim = (*value.dims)[i];
    if (i > 0) out += ',';
    if (dim.extent >= 0) {
      out += fmt::format("{}", dim.extent);
    } else {
      out += dim.symbol.empty() ? "?" : Quoted(dim.symbol);
    }
  }
  return out + "]";
}

template <typename T>
std::string List(const std::vector<T>& items) {
  std::string out = "[";
  for (size_t i = 0; i < items.size(); ++i) out += fmt::format("{}{}", i > 0 ? "," : "", items[i]);
  return out + "]";
}

struct AttributeText {
  std::string operator()(int64_t v) const { return fmt::format("i{}", v); }
  std::string operator()(float v) const { return "f" + Number(v); }
  std::string operator()(const std::string& v) const { return "s" + Quoted(v); }
  std::string operator()(const std::vector<int64_t>& v) const { return "I" + List(v); }
  std::string operator()(const std::vector<float>& v) const { return "F" + List(v); }
  std::string operator()(const Tensor& v) const { return "t{" + PrintTensor(v) + "}"; }
  std::string operator()(const std::vector<std::string>& v) const {
    std::string out = "S[";
    for (size_t i = 0; i < v.size(); ++i) out += (i > 0 ? "," : "") + Quoted(v[i]);
    return out + "]";
  }
  std::string operator()(const Subgraph&) const { return "g"; }
};

std::string Names(const Graph& graph, const std::vector<ValueId>& ids) {
  std::string out = "(";
  for (size_t i = 0; i < ids.size(); ++i) {
    if (i > 0) out += ", ";
    out += ids[i] == kNoValue ? "-" : Name(graph.values[ids[i]].name);
  }
  return out + ")";
}

}  // namespace

std::string PrintTensor(const Tensor& tensor) {
  std::string out =
      fmt::format("{} {} =", tensor::DTypeName(tensor.dtype()), tensor.shape().ToString());
  AppendElements(tensor, out);
  return out;
}

namespace {

void AppendConstant(const Value& value, const PrintOptions& options, std::string& out) {
  out += "const " + Name(value.name) + " " + TypeText(value);
  if (options.place && *value.dtype != DType::kString) {
    out += fmt::format(" at {}", options.place(*value.constant));
  } else if (value.constant->elements() > options.max_elements) {
    out += " ...";
  } else {
    out += " =";
    AppendElements(*value.constant, out);
  }
  out += "\n";
}

void AppendNode(const Graph& graph, const Node& node, const PrintOptions& options,
                std::string& out) {
  out += "node " + Name(node.op);
  if (node.version > 0) out += fmt::format("@{}", node.version);
  out += fmt::format(" {} {} -> {}", Name(node.name), Names(graph, node.inputs),
                     Names(graph, node.outputs));
  if (node.captured > 0) out += fmt::format(" captured {}", node.captured);
  for (const auto& [key, attribute] : node.attributes) {
    out += " " + Name(key) + "=" + std::visit(AttributeText{}, attribute);
  }
  out += "\n";
  for (const auto& [key, attribute] : node.attributes) {
    const auto* body = std::get_if<Subgraph>(&attribute);
    if (body != nullptr) out += "{\n" + Print(**body, options) + "}\n";
  }
}

}  // namespace

std::string Print(const Graph& graph, const PrintOptions& options) {
  std::string out = "graph " + Name(graph.name);
  if (graph.captured > 0) out += fmt::format(" captured {}", graph.captured);
  out += "\n";
  for (ValueId id : graph.inputs) {
    out += "input " + Name(graph.values[id].name) + " " + TypeText(graph.values[id]) + "\n";
  }
  for (const Value& value : graph.values) {
    if (value.constant) AppendConstant(value, options, out);
  }
  for (const Node& node : graph.nodes) AppendNode(graph, node, options, out);
  for (ValueId id : graph.outputs) {
    const Value& value = graph.values[id];
    out += "output " + Name(value.name);
    if (value.dtype) out += " " + TypeText(value);
    out += "\n";
  }
  return out;
}

}  // namespace ferry::ir
