// What templates may not do: errors that say where, and limits.
#include "device-runtime/llm/template/tests/render.h"

namespace ferry::llm {
namespace {

using testing::Render;
using testing::TryRender;

TEST(TemplateErrors, NameThePlace) {
  const std::pair<const char*, const char*> cases[] = {
      {"{{ a", "line 1"},
      {"\n  {{ 1 + }}", "line 2, column 10"},
      {"{% if x %}", "endif"},
      {"{% endif %}", "endif"},
      {"{% for %}{% endfor %}", "line 1, column 8"},
      {"{{ (1 }}", "line 1"},
      {"{{ 'a }}", "a string without its end"},
      {"{# x", "comment"},
      {"{% raw %}", "raw"},
      {"{{ a ? b }}", "unexpected character"},
      {"{{ '\\xq' }}", "escape"},
      {"{% break %}", "outside of for"},
      {"{% nonsense %}", "nonsense"},
      {"{{ f(a=1, 2) }}", "positional"},
      {"{{ l[] }}", "index"},
      {"{{ ] }}", "bracket"},
      {"{% set %}", "line 1, column 8"},
  };
  for (const auto& [source, part] : cases) {
    const auto parsed = ChatTemplate::Parse(source);
    ASSERT_EQ(parsed.code(), Code::kMalformed) << source;
    EXPECT_NE(parsed.status().message().find(part), std::string::npos)
        << source << " -> " << parsed.status().message();
  }
}

TEST(TemplateErrors, NameWhatIsNotSupported) {
  const std::pair<const char*, const char*> cases[] = {
      {"{% include 'x' %}", "include"},
      {"{% extends 'x' %}", "extends"},
      {"{% import 'x' as y %}", "import"},
      {"{% call m() %}{% endcall %}", "call"},
      {"{{ x | nonsense }}", "nonsense"},
      {"{{ x is nonsense }}", "nonsense"},
      {"{{ f(*a) }}", "arguments"},
      {"{% do x %}", "do"},
      {"{% for x in l recursive %}{% endfor %}", "recursive"},
  };
  for (const auto& [source, part] : cases) {
    const auto parsed = ChatTemplate::Parse(source);
    ASSERT_EQ(parsed.code(), Code::kUnsupported) << source << parsed.status().ToString();
    EXPECT_NE(parsed.status().message().find(part), std::string::npos)
        << source << " -> " << parsed.status().message();
  }
  EXPECT_EQ(TryRender("{{ 'a'.encode() }}").code(), Code::kUnsupported);
  EXPECT_EQ(TryRender("{{ [].append(1) }}").code(), Code::kUnsupported);  // values never change
  EXPECT_EQ(TryRender("{{ '%s' % 1 }}").code(), Code::kUnsupported);
}

TEST(TemplateErrors, OfValues) {
  for (const char* source :
       {"{{ 1 + 'a' }}", "{{ nope.x }}", "{{ nope.x() }}", "{{ 1 // 0 }}", "{{ 1 % 0 }}",
        "{{ 'a' < 1 }}", "{% for x in 5 %}{% endfor %}", "{{ 5 | length }}", "{{ nope() }}",
        "{% set a, b = [1] %}", "{% set n = 1 %}{% set n.x = 1 %}", "{{ [1][::0] }}", "{{ -'a' }}",
        "{{ 1 | trim(1, 2) }}", "{{ 1 | trim(x=2) }}", "{{ 1 is eq }}", "{{ range() }}",
        "{{ nope | tojson }}", "{% macro m() %}{% endmacro %}{{ m(1) }}"}) {
    const auto text = TryRender(source);
    EXPECT_EQ(text.code(), Code::kInvalidArgument) << source << " -> " << Render(source);
  }
  EXPECT_EQ(Render("{{ raise_exception('roles must alternate') }}"),
            "invalid_argument: roles must alternate");
}

TEST(TemplateLimits, Parsing) {
  EXPECT_EQ(ChatTemplate::Parse(std::string(kMaxTemplateBytes + 1, 'a')).code(),
            Code::kLimitExceeded);
  const auto deep = [](const char* open, const char* inside, const char* close) {
    std::string source = "{{ ";
    for (int i = 0; i < 5000; ++i) source += open;
    source += inside;
    for (int i = 0; i < 5000; ++i) source += close;
    return ChatTemplate::Parse(source + " }}").code();
  };
  EXPECT_EQ(deep("(", "1", ")"), Code::kLimitExceeded);
  EXPECT_EQ(deep("[", "1", "]"), Code::kLimitExceeded);
  EXPECT_EQ(deep("not ", "1", ""), Code::kLimitExceeded);
  EXPECT_EQ(deep("- ", "1", ""), Code::kLimitExceeded);
  EXPECT_EQ(deep("", "1", "+1"), Code::kLimitExceeded);
  EXPECT_EQ(deep("", "a", ".a"), Code::kLimitExceeded);
  EXPECT_EQ(deep("", "a", "|trim"), Code::kLimitExceeded);
  EXPECT_EQ(deep("", "a", " and a"), Code::kLimitExceeded);
  EXPECT_EQ(deep("1 if 1 else ", "1", ""), Code::kLimitExceeded);
  std::string blocks;
  for (int i = 0; i < 5000; ++i) blocks += "{% if 1 %}";
  EXPECT_EQ(ChatTemplate::Parse(blocks).code(), Code::kLimitExceeded);
}

TEST(TemplateLimits, Rendering) {
  for (const char* source : {
           "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}",
           "{{ range(1000000000) }}",
           "{{ 'a' * 1000000000000 }}",
           "{{ [1] * 4611686018427387904 }}",
           "{% set ns = namespace(s='aaaaaaaa') %}{% for i in range(60) %}"
           "{% set ns.s = ns.s + ns.s %}{% endfor %}",
           "{% set ns = namespace(l=[1]) %}{% for i in range(60) %}{% set ns.l = [ns.l, ns.l] %}"
           "{% endfor %}{{ ns.l }}",
           "{% set ns = namespace(l=[1]) %}{% for i in range(100000) %}{% set ns.l = [ns.l] %}"
           "{% endfor %}",
           "{% set ns = namespace(l=[1]) %}{% for i in range(60) %}{% set ns.l = [ns.l, ns.l] %}"
           "{% endfor %}{{ ns.l == ns.l }}",
           "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
           "{% for i in range(3000) %}{{ 'a' * 60000 }}{% endfor %}",
           "{{ ('a,' * 60000000).split(',') }}",
           "{{ 9223372036854775807 + 1 }}",
           "{{ 3 ** 99 }}",
       }) {
    const auto text = TryRender(source);
    EXPECT_EQ(text.code(), Code::kLimitExceeded) << source << text.status().ToString();
  }
  // A namespace that holds itself is given back with the rest.
  EXPECT_EQ(Render("{% set n = namespace() %}{% set n.me = n %}{{ n.me.me is defined }}"), "True");
}

}  // namespace
}  // namespace ferry::llm
