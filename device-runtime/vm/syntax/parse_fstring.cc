// F-strings. The scanner gives the text between the quotes; fields are scanned and parsed again
// from their own place in the source, so that errors point into the string.
#include <fmt/format.h>

#include "device-runtime/vm/syntax/parser.h"

namespace ferry::vm {
namespace {

void Move(std::string_view text, Position* at) {
  for (char c : text) {
    if (c == '\n') {
      ++at->line;
      at->column = 1;
    } else {
      ++at->column;
    }
  }
}

// Where the expression of a field that begins at `i` ends: at '}', ':', '=' or '!' outside of
// brackets and strings; npos when nothing ends it.
size_t EndOfExpression(std::string_view text, size_t i) {
  int depth = 0;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\'' || c == '"') {
      const bool triple = text.substr(i, 3) == std::string(3, c);
      const std::string_view quote = text.substr(i, triple ? 3 : 1);
      i = text.find(quote, i + quote.size());
      if (i == std::string_view::npos) return i;
      i += quote.size() - 1;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (depth > 0 && (c == ')' || c == ']' || c == '}')) {
      --depth;
    } else if (depth == 0) {
      if (c == '}' || c == ':') return i;
      const char next = i + 1 < text.size() ? text[i + 1] : 0;
      if (c == '!' && next != '=') return i;
      if (c == '!' || c == '<' || c == '>' || (c == '=' && next == '=')) {
        if (next == '=') ++i;
      } else if (c == '=') {
        return i;
      }
    }
  }
  return std::string_view::npos;
}

// Whether a '#' stands outside of strings.
bool HasComment(std::string_view text) {
  char quote = 0;
  for (char c : text) {
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '#') {
      return true;
    }
  }
  return false;
}

}  // namespace

Node* Parser::FStringExpression(std::string_view text, Position at) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    FailAt(at, "f-string: empty expression not allowed");
  } else if (text.find('\\') != std::string_view::npos) {
    FailAt(at, "f-string expression part cannot include a backslash");
  } else if (HasComment(text)) {
    FailAt(at, "f-string expression part cannot include '#'");
  } else if (error_.ok()) {
    auto tokens = ScanExpression(source_, text, at);
    if (!tokens.ok()) {
      error_ = tokens.status();
    } else {
      Parser inner(source_, std::move(*tokens), arena_, depth_, class_name_, true);
      Node* node = inner.OnlyExpression();
      if (inner.error().ok()) return node;
      error_ = inner.error();
    }
  }
  return New(Kind::kPass, at);
}

// Reads one field; `i` is just after its '{' and `at` the place of `i`. Gives the index after '}'.
size_t Parser::FStringField(std::string_view text, size_t i, bool raw, bool spec, Position* at,
                            std::vector<Node*>* parts) {
  const size_t begin = i;
  if (spec && fstring_specs_ > 1) FailAt(*at, "f-string: expressions nested too deeply");
  i = EndOfExpression(text, i);
  if (i == std::string_view::npos) {
    FailAt(*at, "f-string: expecting '}'");
    return text.size();
  }
  Node* field = New(Kind::kFormat, *at);
  field->a = FStringExpression(text.substr(begin, i - begin), *at);
  if (text[i] == '=') {
    for (++i; i < text.size() && (text[i] == ' ' || (text[i] >= '\t' && text[i] <= '\r'));) ++i;
    Node* shown = New(Kind::kString, *at);
    shown->text = text.substr(begin, i - begin);
    parts->push_back(shown);
    field->op = i < text.size() && text[i] == '}' ? 'r' : 0;
  }
  if (i < text.size() && text[i] == '!') {
    field->op = i + 1 < text.size() ? text[i + 1] : 0;
    if (field->op != 'r' && field->op != 's' && field->op != 'a')
      FailAt(*at,
             i + 1 < text.size() && text[i + 1] != '}' && text[i + 1] != ':'
                 ? fmt::format(
                       "f-string: invalid conversion character '{}': expected 's', 'r', or 'a'",
                       text[i + 1])
                 : "f-string: invalid conversion character: expected 's', 'r', or 'a'");
    i += 2;
  }
  Move(text.substr(begin, i > text.size() ? std::string_view::npos : i - begin), at);
  if (i < text.size() && text[i] == ':') {
    field->b = New(Kind::kFString, *at);
    ++at->column;
    const size_t start = i + 1;
    ++fstring_specs_;
    i = FStringText(text, start, raw, true, *at, &field->b->list);
    --fstring_specs_;
    if (i < text.size()) Move(text.substr(start, i - start), at);
  }
  if (i >= text.size() || text[i] != '}') {
    FailAt(*at, "f-string: expecting '}'");
    return text.size();
  }
  ++at->column;
  field->end = *at;
  parts->push_back(field);
  return i + 1;
}

// Reads literal text and fields; in a format spec until the '}' that ends it. Gives the index
// there.
size_t Parser::FStringText(std::string_view text, size_t i, bool raw, bool spec, Position at,
                           std::vector<Node*>* parts) {
  Nested nested(this);
  std::string literal;
  const Position start = at;
  const auto flush = [&] {
    if (literal.empty()) return;
    Node* node = New(Kind::kString, start);
    std::string problem;
    if (raw) {
      node->text = literal;
    } else if (!Unescape(literal, false, &node->text, &problem)) {
      FailAt(start, problem);
    }
    literal.clear();
    parts->push_back(node);
  };
  while (i < text.size() && error_.ok()) {
    const char c = text[i];
    if ((c == '{' || c == '}') && !spec && i + 1 < text.size() && text[i + 1] == c) {
      literal.push_back(c);
      i += 2;
      at.column += 2;
    } else if (c == '\\' && !raw && i + 1 < text.size() && text[i + 1] != '{' &&
               text[i + 1] != '}') {
      // An escape is no place for a field: \N{DASH}.
      const size_t close = text.substr(i, 3) == "\\N{" ? text.find('}', i) : i + 1;
      const size_t end = close == std::string_view::npos ? text.size() : close + 1;
      literal += text.substr(i, end - i);
      Move(text.substr(i, end - i), &at);
      i = end;
    } else if (c == '{') {
      flush();
      ++at.column;
      i = FStringField(text, i + 1, raw, spec, &at, parts);
    } else if (c == '}') {
      if (spec) break;
      FailAt(at, "f-string: single '}' is not allowed");
    } else {
      literal.push_back(c);
      Move(text.substr(i, 1), &at);
      ++i;
    }
  }
  flush();
  return i;
}

void Parser::FString(const Token& token, std::vector<Node*>* parts) {
  FStringText(token.value, 0, token.raw, false, token.value_at, parts);
}

}  // namespace ferry::vm
