// Import statements.
#include "device-runtime/vm/syntax/parser.h"

namespace ferry::vm {

std::string Parser::DottedName() {
  std::string name = ExpectName();
  while (Accept(".")) name += "." + ExpectName();
  return name;
}

Node* Parser::Import() {
  const Position at = Next().at;
  std::vector<Node*> all;
  do {
    Node* node = New(Kind::kImport, at);
    node->text = DottedName();
    if (Accept("as")) {
      node->op = 1;
      node->names.push_back(ExpectName());
    } else {
      node->names.push_back(node->text.substr(0, node->text.find('.')));
    }
    all.push_back(node);
  } while (Accept(","));
  for (Node* node : all) Done(node);
  if (all.size() == 1) return all[0];
  Node* block = New(Kind::kIf, at);  // several imports of one line, as a block that always runs
  block->body = std::move(all);
  return Done(block);
}

Node* Parser::FromImport() {
  Node* node = New(Kind::kFromImport, Next().at);
  for (;; Next()) {
    if (At("...")) {
      node->op += 3;
    } else if (At(".")) {
      ++node->op;
    } else {
      break;
    }
  }
  if (node->op == 0 || !At("import")) node->text = DottedName();
  Expect("import");
  if (Accept("*")) {
    node->names = {"*"};
    return Done(node);
  }
  const bool parenthesized = Accept("(");
  do {
    if (parenthesized && !node->names.empty() && At(")")) break;
    if (!parenthesized && !node->names.empty() && Peek().type == TokenType::kNewline)
      Fail("trailing comma not allowed without surrounding parentheses");
    node->names.push_back(ExpectName());
    node->names2.push_back(Accept("as") ? ExpectName() : node->names.back());
  } while (Accept(","));
  if (parenthesized) Expect(")");
  return Done(node);
}

}  // namespace ferry::vm
