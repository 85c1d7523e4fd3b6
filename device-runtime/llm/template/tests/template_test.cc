// Templates as text cases: what they print. Each was checked against Jinja 3.1 with the options
// that Hugging Face sets.
#include "common/base/json.h"
#include "device-runtime/llm/template/tests/render.h"

namespace ferry::llm {
namespace {

using testing::Render;

struct Case {
  const char* source;
  const char* printed;
};

const Json kMore = {{"n", 7},
                    {"f", 2.5},
                    {"s", "Hello World"},
                    {"l", {3, 1, 2}},
                    {"d", {{"b", 1}, {"a", {{"x", "y"}}}}},
                    {"people", {{{"name", "Ann"}, {"age", 30}}, {{"name", "bob"}, {"age", 4}}}},
                    {"none_", nullptr}};

void Check(std::initializer_list<Case> cases) {
  for (const Case& one : cases) EXPECT_EQ(Render(one.source, kMore), one.printed) << one.source;
}

TEST(Template, Text) {
  Check({{"", ""},
         {"plain { % } text", "plain { % } text"},
         {"a{# a comment #}b", "ab"},
         {"one\n", "one"},
         {"two\n\n", "two\n"},
         {"a\r\nb", "a\nb"},
         {"{% raw %}{{ x }}{% if %}{% endraw %}", "{{ x }}{% if %}"},
         {"{{ '{{' }}", "{{"},
         {"{{ {'a': {'b': 1}}['a']['b'] }}", "1"}});
}

TEST(Template, WhiteSpace) {
  Check({{"a {%- if true -%} b {%- endif -%} c", "abc"},
         {"a {{- 1 -}} b", "a1b"},
         {"{% if true %}\nx\n{% endif %}\ny", "x\ny"},
         {"  {% if true %}\n  x\n  {% endif %}\ny", "  x\ny"},
         {"  {%+ if true %}x{% endif +%}\ny", "  x\ny"},
         {"a {% if true %}b{% endif %}", "a b"},
         {"  {# note #}\nx", "x"},
         {"  {{ 1 }}\nx", "  1\nx"},
         {"x{#- note -#}  y", "xy"},
         {"{% raw -%}  a  {%- endraw %}\nb", "ab"},
         {"\n\n{%- set a = 1 %}\n{{ a }}", "1"}});
}

TEST(Template, Literals) {
  Check({{"{{ 1 }} {{ -2.50 }} {{ 1_000 }} {{ 1e3 }} {{ 1.0e20 }}", "1 -2.5 1000 1000.0 1e+20"},
         {"{{ 'it''s' }} {{ \"q\" 'r' }}", "its qr"},
         {R"({{ 'a\n\t\'\\\u00e9\x41' }})",
          "a\n\t'\\\xc3\xa9"
          "A"},
         {"{{ true }} {{ False }} {{ none }}", "True False None"},
         {"{{ [1, 'a', none, [true]] }}", "[1, 'a', None, [True]]"},
         {"{{ {'a': 1, 'b': \"it's\"} }}", "{'a': 1, 'b': \"it's\"}"},
         {"{{ (1) }}{{ (1, 2)[1] }}{{ () | length }}", "120"},
         {"{{ [1, 2,] }}", "[1, 2]"}});
}

TEST(Template, Operators) {
  Check({{"{{ 1 + 2 * 3 - 4 / 2 }}", "5.0"},
         {"{{ 7 // 2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 7.5 // 2 }}", "3 -4 2 3.0"},
         {"{{ 2 ** 10 }} {{ 2 ** -1 }} {{ -2 ** 2 }}", "1024 0.5 4"},
         {"{{ 'a' + 'b' ~ 1 ~ none }}", "ab1None"},
         {"{{ 'ab' * 3 }} {{ [1] * 2 + [2] }}", "ababab [1, 1, 2]"},
         {"{{ 1 < 2 < 3 }} {{ 1 < 3 < 2 }} {{ 'a' <= 'b' }}", "True False True"},
         {"{{ 1 == 1.0 }} {{ 1 == true }} {{ '1' == 1 }} {{ [1] != [2] }}", "True True False True"},
         {"{{ 2 in l }} {{ 'lo W' in s }} {{ 'a' in d }} {{ 9 not in l }}", "True True True True"},
         {"{{ not 1 }} {{ not x is defined }} {{ 0 or 'b' }} {{ 1 and [] }}", "False True b []"},
         {"{{ 'y' if n > 5 else 'z' }} {{ 'y' if n > 9 }}!", "y !"},
         {"{{ -1|abs }} {{ +n }} {{ - f }}", "1 7 -2.5"}});
}

TEST(Template, Access) {
  Check({{"{{ d.a.x }} {{ d['a']['x'] }} {{ l[0] }} {{ l[-1] }} {{ s[1] }}", "y y 3 2 e"},
         {"{{ d.nope }}{{ l[9] }}{{ nope }}{{ none_.x }}!", "!"},
         {"{{ l[1:] }} {{ l[:-1] }} {{ l[::-1] }} {{ s[-5:] }} {{ s[::2] }}",
          "[1, 2] [3, 1] [2, 1, 3] World HloWrd"},
         {"{{ l[5:1] }} {{ l[1:1] }} {{ s[2:0:-1] }}", "[] [] le"},
         {"{{ (s ~ '\xc3\xa9')[-1] }} {{ '\xe4\xb8\xad\xe6\x96\x87'[1:] }}",
          "\xc3\xa9 \xe6\x96\x87"}});
}

TEST(Template, If) {
  Check({{"{% if n == 1 %}a{% elif n == 7 %}b{% else %}c{% endif %}", "b"},
         {"{% if nope %}a{% elif none_ %}b{% else %}c{% endif %}", "c"},
         {"{% if '' or [] or {} or 0 %}a{% endif %}", ""}});
}

TEST(Template, For) {
  Check({{"{% for x in l %}{{ loop.index }}{{ x }}{% if not loop.last %},{% endif %}{% endfor %}",
          "13,21,32"},
         {"{% for x in [] %}a{% else %}none{% endfor %}", "none"},
         {"{% for x in nope %}a{% endfor %}", ""},
         {"{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}", "a={'x': 'y'};b=1;"},
         {"{% for k in d %}{{ k }}{% endfor %}", "ab"},
         {"{% for x in l if x > 1 %}{{ loop.index0 }}{{ x }}{{ loop.length }} {% endfor %}",
          "032 122 "},
         {"{% for x in l %}{{ loop.first }}{{ loop.revindex }}{{ loop.previtem }} {% endfor %}",
          "True3 False23 False11 "},
         {"{% for x in range(5) %}{% if x == 1 %}{% continue %}{% endif %}{% if x == 3 %}"
          "{% break %}{% endif %}{{ x }}{% endfor %}",
          "02"},
         {"{% for c in 'a\xc3\xa9' %}[{{ c }}]{% endfor %}", "[a][\xc3\xa9]"},
         {"{% for a in [1,2] %}{% for b in [3,4] %}{{ loop.index }}{{ a }}{{ b }} {% endfor %}"
          "{{ loop.index }};{% endfor %}",
          "113 214 1;123 224 2;"},
         {"{{ range(2) | list }} {{ range(5, 1, -2) | list }}", "[0, 1] [5, 3]"}});
}

TEST(Template, Set) {
  Check({{"{% set x = 1 %}{% set y, z = [2, 3] %}{{ x }}{{ y }}{{ z }}", "123"},
         {"{% set x = 1 %}{% for i in l %}{% set x = i %}{% endfor %}{{ x }}", "1"},
         {"{% set x = 1 %}{% if true %}{% set x = 2 %}{% endif %}{{ x }}", "2"},
         {"{% set ns = namespace(x=1) %}{% for i in l %}{% set ns.x = ns.x + i %}{% endfor %}"
          "{{ ns.x }}",
          "7"},
         {"{% set t %}a{{ n }}{% endset %}[{{ t }}]", "[a7]"}});
}

TEST(Template, Macros) {
  Check({{"{% macro m(a, b='x') %}<{{ a }}{{ b }}>{% endmacro %}{{ m(1) }}{{ m(1, b=2) }}",
          "<1x><12>"},
         {"{% macro f(n) %}{% if n > 0 %}{{ n }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(3) }}",
          "321"},
         {"{% set g = 5 %}{% macro m() %}{{ g }}{{ l2 }}{% endmacro %}"
          "{% for l2 in [1] %}{{ m() }}{% endfor %}",
          "5"},
         {"{% generation %}a{% endgeneration %}", "a"}});
}

TEST(Template, Filters) {
  Check(
      {{"{{ '  a ' | trim }}|{{ 'xax' | trim('x') }}", "a|a"},
       {"{{ s | upper }} {{ s | lower }} {{ 'hELLO w' | capitalize }} {{ 'ab cd' | title }}",
        "HELLO WORLD hello world Hello w Ab Cd"},
       {"{{ l | length }} {{ s | length }} {{ d | count }} {{ '\xc3\xa9' | length }}", "3 11 2 1"},
       {"{{ l | join(', ') }} {{ people | join('+', attribute='name') }}", "3, 1, 2 Ann+bob"},
       {"{{ nope | default('x') }} {{ '' | default('y', true) }} {{ 0 | d('z') }}", "x y 0"},
       {"{{ l | first }} {{ l | last }} {{ s | first }} {{ l | reverse | list }}",
        "3 2 H [2, 1, 3]"},
       {"{{ l | sort }} {{ l | max }} {{ l | min }} {{ l | sum }} {{ [1, 1, 2] | unique | list }}",
        "[1, 2, 3] 3 1 6 [1, 2]"},
       {"{{ people | map(attribute='age') | list }} {{ ['a'] | map('upper') | list }}",
        "[30, 4] ['A']"},
       {"{{ people | selectattr('age', 'gt', 9) | map(attribute='name') | list }}", "['Ann']"},
       {"{{ people | rejectattr('name', 'equalto', 'Ann') | list | length }}", "1"},
       {"{{ l | select('odd') | list }} {{ l | reject('odd') | list }}", "[3, 1] [2]"},
       {"{{ '3' | int + 1 }} {{ 'x' | int }} {{ '2.5' | float }} {{ 3.9 | int }} {{ -3 | abs }}",
        "4 0 2.5 3 3"},
       {"{{ 'a-b-c' | replace('-', '+') }} {{ 'aaa' | replace('a', 'b', 2) }}", "a+b+c bba"},
       {"{{ d | tojson }} {{ '\xc3\xa9<\"' | tojson }}",
        "{\"a\": {\"x\": \"y\"}, \"b\": 1} \"\xc3\xa9<\\\"\""},
       {"{{ [1, {'a': []}] | tojson(indent=2) }}", "[\n  1,\n  {\n    \"a\": []\n  }\n]"},
       {"{{ {'b': 2, 'A': 1} | dictsort | map('join') | list }} {{ d | items | list | length }}",
        "['A1', 'b2'] 2"},
       {"{{ 'a\nb\n\nc' | indent(2) }}", "a\n  b\n\n  c"},
       {"{{ 1 | string + 'a' }} {{ 'x' | safe }} {{ 'ab' | list }}", "1a x ['a', 'b']"}});
}

TEST(Template, Tests) {
  Check({{"{{ s is string }} {{ l is sequence }} {{ d is mapping }} {{ n is number }}",
          "True True True True"},
         {"{{ n is integer }} {{ f is float }} {{ true is boolean }} {{ l is iterable }}",
          "True True True True"},
         {"{{ none_ is none }} {{ nope is undefined }} {{ n is not none }}", "True True True"},
         {"{{ 4 is even }} {{ 4 is odd }} {{ 6 is divisibleby 3 }} {{ 'a' is in 'abc' }}",
          "True False True True"},
         {"{{ true is true }} {{ 1 is true }} {{ false is false }}", "True False True"},
         {"{{ 'a' is lower }} {{ 'A' is upper }} {{ 3 is eq(3) }} {{ 3 is ge 4 }}",
          "True True True False"}});
}

TEST(Template, Methods) {
  Check(
      {{"{{ ' a '.strip() }}|{{ 'xxa'.lstrip('x') }}|{{ 'a\n'.rstrip() }}|", "a|a|a|"},
       {"{{ 'a b  c'.split() }} {{ 'a,b,c'.split(',', 1) }} {{ 'a</think>b'.split('</think>')[-1] "
        "}}",
        "['a', 'b', 'c'] ['a', 'b,c'] b"},
       {"{{ 'a,b,c'.rsplit(',', 1) }} {{ 'a\nb'.splitlines() }}", "['a,b', 'c'] ['a', 'b']"},
       {"{{ s.startswith('He') }} {{ s.endswith(('x', 'ld')) }} {{ s.find('W') }}", "True True 6"},
       {"{{ s.upper() }} {{ s.lower() }} {{ 'ab c'.title() }} {{ 'aB'.capitalize() }}",
        "HELLO WORLD hello world Ab C Ab"},
       {"{{ 'aXbX'.replace('X', '') }} {{ '-'.join(['a', 'b']) }} {{ 'aab'.count('a') }}",
        "ab a-b 2"},
       {"{{ d.get('b') }} {{ d.get('z') }} {{ d.get('z', 5) }}", "1 None 5"},
       {"{{ d.keys() | list }} {{ {'a': 1}.values() | list }} {{ {'a': 1}.items() | map('join') | "
        "list }}",
        "['a', 'b'] [1] ['a1']"},
       {"{{ l.index(1) }} {{ l.count(3) }} {{ '12'.isdigit() }}", "1 1 True"}});
}

TEST(Template, TimeComesFromOutside) {
  const std::string source =
      "{{ strftime_now('%d %b %Y') if strftime_now is defined else 'no clock' }}";
  EXPECT_EQ(Render(source), "no clock");
  EXPECT_EQ(Render(source, {{"now", 1700000000}}), "14 Nov 2023");
}

TEST(Template, Messages) {
  const auto parsed = ChatTemplate::Parse(
      "{% for m in messages %}<{{ m.role }}>{{ m['content'] }}{% endfor %}"
      "{% if add_generation_prompt %}<assistant>{% endif %}{{ bos_token }}");
  ASSERT_TRUE(parsed.ok());
  const ChatMessage messages[] = {{"system", "be {{ brief }}"}, {"user", "hi"}};
  EXPECT_EQ(*(*parsed)->Render(messages, true, {{"bos_token", "<s>"}}),
            "<system>be {{ brief }}<user>hi<assistant><s>");
  EXPECT_EQ(*(*parsed)->Render({}, false), "");
  EXPECT_EQ((*parsed)->Render({}, false, Json::array()).code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace ferry::llm
