#include "tools/model_graph/text.h"

#include <algorithm>

#include "tools/model_graph/model_graph.h"

namespace ferry::model_graph {
namespace {

constexpr size_t kShownItems = 24;  // of a list

template <typename T>
std::string ListText(const std::vector<T>& items) {
  std::string text = "[";
  for (size_t i = 0; i < std::min(items.size(), kShownItems); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", items[i]);
  if (items.size() > kShownItems) text += fmt::format(", ... {} in all", items.size());
  return text + "]";
}

struct AttributeWords {
  std::string operator()(int64_t number) const { return fmt::format("{}", number); }
  std::string operator()(float number) const { return fmt::format("{}", number); }
  std::string operator()(const std::string& text) const { return text; }
  std::string operator()(const std::vector<int64_t>& numbers) const { return ListText(numbers); }
  std::string operator()(const std::vector<float>& numbers) const { return ListText(numbers); }
  std::string operator()(const std::vector<std::string>& texts) const { return ListText(texts); }
  std::string operator()(const tensor::Tensor& tensor) const { return tensor.TypeText(); }
  std::string operator()(const ir::Subgraph& body) const {
    return fmt::format("a body of {} nodes", body->nodes.size());
  }
};

}  // namespace

std::string CutText(std::string_view text, size_t most) {
  if (most == 0) most = kMaxGraphNameBytes;
  if (text.size() <= most) return std::string(text);
  size_t end = most;
  // Bytes 10xxxxxx go on with a character.
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "...";
}

std::string AttributeText(const ir::Attribute& attribute) {
  return CutText(std::visit(AttributeWords{}, attribute), kMaxAttributeBytes);
}

}  // namespace ferry::model_graph
