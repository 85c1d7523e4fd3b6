// Damaged and random templates: text or an error, never a crash.
#include <random>

#include "device-runtime/llm/template/tests/render.h"

namespace ferry::llm {
namespace {

constexpr const char* kWords[] = {
    "{{",       "}}",      "{%",       "%}",    "{#",     "#}",        "-%}",    "{%-",
    "if",       "elif",    "else",     "endif", "for",    "in",        "endfor", "set",
    "endset",   "macro",   "endmacro", "raw",   "endraw", "not",       "and",    "or",
    "is",       "defined", "(",        ")",     "[",      "]",         "{",      "}",
    ",",        ":",       ".",        "|",     "=",      "==",        "~",      "+",
    "-",        "*",       "**",       "//",    "'a'",    "\"",        "'",      "1",
    "2.5",      "x",       "messages", "loop",  "index",  "namespace", "range",  "trim",
    "join",     "tojson",  "items",    "split", "break",  "\n",        " ",      "\\",
    "\xc3\xa9", "\xff",    "none",     "true",  "lower",  "map"};

void Use(const std::string& source) {
  const auto parsed = ChatTemplate::Parse(source);
  if (!parsed.ok()) {
    ASSERT_FALSE(parsed.status().message().empty());
    return;
  }
  const ChatMessage messages[] = {{"user", "hi"}, {"assistant", "ho \xf0\x9f\x98\x80"}};
  (void)(*parsed)->Render(messages, true, {{"x", {1, "a", {{"k", nullptr}}}}});
}

TEST(TemplateFuzz, RandomWords) {
  std::mt19937 random(1);
  for (int round = 0; round < 30000; ++round) {
    std::string source = random() % 2 == 0 ? "{{ " : "{% for x in messages %}{{ ";
    for (int i = random() % 30; i > 0; --i) {
      source += kWords[random() % std::size(kWords)];
      if (random() % 2 == 0) source += ' ';
    }
    if (random() % 2 == 0) source += " }}{% endfor %}";
    Use(source);
  }
}

TEST(TemplateFuzz, DamagedTemplates) {
  const std::string good[] = {
      "{%- set ns = namespace(a=1) %}{% for m in messages -%}\n{% if m.role == 'user' and "
      "loop.index0 % 2 == 0 %}<|u|>{{ m['content'] | trim }}{% elif not loop.last %}{{ "
      "raise_exception('no') }}{% else %}{% set ns.a = ns.a + 1 %}{% endif %}{% endfor %}{{ ns.a "
      "}}",
      "{% macro f(a, b=[1, 'x']) %}{{ a.split('i')[-1].strip() ~ b[::-1] | join(', ') }}{% "
      "endmacro "
      "%}{{ f(messages[0].content) }}{{ {'k': x} | tojson(indent=2) }}{{ x[1:2] is sequence }}",
      "{% raw %}{{ a }}{% endraw %}{{ x | map('string') | select('ne', 'a') | list | length }}{# c "
      "#}{% for k, v in {'a': 1}.items() if v %}{{ k if k is string else v }}{% endfor %}"};
  std::mt19937 random(2);
  for (const std::string& text : good) ASSERT_TRUE(ChatTemplate::Parse(text).ok()) << text;
  for (int round = 0; round < 20000; ++round) {
    std::string source = good[random() % std::size(good)];
    for (int i = 1 + random() % 5; i > 0; --i) {
      const size_t at = random() % source.size();
      const size_t count = 1 + random() % 6;
      switch (random() % 4) {
        case 0:
          source[at] = static_cast<char>(random());
          break;
        case 1:
          source.erase(at, count);
          break;
        case 2:
          source.insert(at, source.substr(random() % source.size(), count));
          break;
        default:
          source.insert(at, kWords[random() % std::size(kWords)]);
      }
      if (source.empty()) source = " ";
    }
    Use(source);
  }
}

}  // namespace
}  // namespace ferry::llm
