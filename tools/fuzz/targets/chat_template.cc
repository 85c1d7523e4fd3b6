#include "device-runtime/llm/template/chat_template.h"

#include "tools/fuzz/target.h"

namespace ferry::fuzz {
namespace {

void RunChatTemplate(ByteView bytes) {
  auto parsed = llm::ChatTemplate::Parse(AsText(bytes));
  if (!parsed.ok()) return;
  const llm::ChatMessage messages[] = {{"system", "s"}, {"user", "u <b>"}, {"assistant", ""}};
  (void)(*parsed)->Render(messages, true).ok();
}

std::vector<Bytes> ChatTemplateSeeds() {
  std::vector<Bytes> seeds;
  for (std::string_view text :
       {"{% for m in messages %}<|{{ m.role }}|>{{ m['content'] | trim }}\n{%- endfor %}",
        "{% set ns = namespace(x=1) %}{% if messages[0].role == 'system' and ns.x is defined %}{{ "
        "messages | length }}{% else %}{{ raise_exception('no') }}{% endif %}",
        "{% macro f(a, b=2) %}{{ a ~ b }}{% endmacro %}{{ f(1) }}{{ [1, 2][::-1] | join(',') }}"}) {
    seeds.push_back(ToBytes(text));
  }
  return seeds;
}

}  // namespace

const Target kChatTemplateTarget = {"chat_template", RunChatTemplate, ChatTemplateSeeds};

}  // namespace ferry::fuzz
