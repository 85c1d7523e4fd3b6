#include "device-runtime/vm/compile/imports.h"

#include <algorithm>
#include <utility>

#include "device-runtime/vm/isolate.h"
#include "device-runtime/vm/syntax/ast.h"

namespace ferry::vm {
namespace {

bool IsNamed(const Node* node, Kind kind, std::string_view text) {
  return node->kind == kind && node->text == text;
}

// A condition that is false in every module that another one imports.
bool NeverHolds(const Node* test) {
  if (test == nullptr) return false;  // `import a, b`: a block without a condition
  if (IsNamed(test, Kind::kName, "TYPE_CHECKING") ||
      IsNamed(test, Kind::kAttribute, "TYPE_CHECKING"))
    return true;
  return test->kind == Kind::kCompare && test->list.size() == 1 &&
         test->ops[0] == static_cast<int>(Operator::kEqual) &&
         ((IsNamed(test->a, Kind::kName, "__name__") &&
           IsNamed(test->list[0], Kind::kString, "__main__")) ||
          (IsNamed(test->a, Kind::kString, "__main__") &&
           IsNamed(test->list[0], Kind::kName, "__name__")));
}

// Walks over statements; expressions hold no imports. No recursion: an `elif` lies inside of the
// one before it, as many as there are.
class Finder {
 public:
  std::vector<ImportStatement> Run(const std::vector<Node*>& body) {
    Later(body, false);
    while (!waiting_.empty()) {
      const auto [node, may_fail] = waiting_.back();
      waiting_.pop_back();
      Visit(*node, may_fail);
    }
    std::ranges::stable_sort(
        found_, {}, [](const ImportStatement& one) { return std::pair(one.line, one.column); });
    return std::move(found_);
  }

 private:
  // The first of them is on top: imports of one line stay in their order.
  void Later(const std::vector<Node*>& nodes, bool may_fail) {
    for (size_t i = nodes.size(); i > 0; --i) waiting_.emplace_back(nodes[i - 1], may_fail);
  }

  void Visit(const Node& node, bool may_fail) {
    switch (node.kind) {
      case Kind::kImport:
        found_.push_back({node.text, 0, {}, node.at.line, node.at.column, may_fail});
        return;
      case Kind::kFromImport:
        found_.push_back({node.text, node.op, node.names, node.at.line, node.at.column, may_fail});
        return;
      case Kind::kFunction:
        return Later(node.function->body, may_fail);
      case Kind::kTry:
        Later(node.body, may_fail || !node.list.empty());
        Later(node.list, may_fail);  // handlers
        break;
      case Kind::kMatch:
        Later(node.list, may_fail);  // cases
        break;
      case Kind::kIf:
        if (!NeverHolds(node.a)) Later(node.body, may_fail);
        break;
      case Kind::kWhile:
      case Kind::kFor:
      case Kind::kWith:
      case Kind::kClass:
      case Kind::kHandler:
      case Kind::kCase:
        Later(node.body, may_fail);
        break;
      default:
        return;
    }
    Later(node.orelse, may_fail);
    Later(node.finally, may_fail);
  }

  std::vector<std::pair<const Node*, bool>> waiting_;
  std::vector<ImportStatement> found_;
};

// As the compiler reads it: without a byte order mark, with "\n" at the end of every line.
std::string Plain(std::string_view source) {
  if (source.starts_with("\xEF\xBB\xBF")) source.remove_prefix(3);
  std::string plain;
  plain.reserve(source.size());
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r' && i + 1 < source.size() && source[i + 1] == '\n') continue;
    plain.push_back(source[i] == '\r' ? '\n' : source[i]);
  }
  return plain;
}

}  // namespace

Result<std::vector<ImportStatement>> Imports(std::string_view source, std::string_view file) {
  FERRY_TRY(CheckSyntax(source, file));
  Arena arena;
  const std::string plain = Plain(source);
  FERRY_ASSIGN_OR_RETURN(const std::vector<Node*> body, Parse(SourceText{plain, file}, &arena));
  return Finder().Run(body);
}

}  // namespace ferry::vm
