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
    switch (t.dtype()) {
      case DType::kF32:
      case DType::kF16:
        out += ' ' + Number(static_cast<float>(t.Number(i)));
        break;
      case DType::kF64:
        out += fmt::format(" {}", t.Number(i));
        break;
      default:
        out += fmt::format(" {}", t.Integer(i));
    }
  }
}

std::string TypeText(const Value& value) {
  std::string out(value.dtype ? tensor::DTypeName(*value.dtype) : "?");
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

std::string Print(const Graph& graph, const PrintOptions& options) {
  std::string out = "graph " + Name(graph.name) + "\n";
  for (ValueId id : graph.inputs) {
    out += "input " + Name(graph.values[id].name) + " " + TypeText(graph.values[id]) + "\n";
  }
  for (const Value& value : graph.values) {
    if (!value.constant) continue;
    out += "const " + Name(value.name) + " " + TypeText(value);
    if (options.place) {
      out += fmt::format(" at {}", options.place(*value.constant));
    } else if (value.constant->elements() > options.max_elements) {
      out += " ...";
    } else {
      out += " =";
      AppendElements(*value.constant, out);
    }
    out += "\n";
  }
  for (const Node& node : graph.nodes) {
    out += fmt::format("node {} {} {} -> {}", Name(node.op), Name(node.name),
                       Names(graph, node.inputs), Names(graph, node.outputs));
    for (const auto& [key, attribute] : node.attributes) {
      out += " " + Name(key) + "=" + std::visit(AttributeText{}, attribute);
    }
    out += "\n";
  }
  for (ValueId id : graph.outputs) {
    const Value& value = graph.values[id];
    out += "output " + Name(value.name);
    if (value.dtype) out += " " + TypeText(value);
    out += "\n";
  }
  return out;
}

}  // namespace ferry::ir
