// Published chat templates: each renders the conversations that it is made for, or refuses.
#include "common/base/json.h"
#include "device-runtime/llm/template/chat_template.h"
#include "device-runtime/llm/tokenizer/tests/archive.h"

namespace ferry::llm {
namespace {

class TemplateVectors : public testing::TokenizerArchive {
 protected:
  static std::unique_ptr<ChatTemplate> Load(const std::string& name) {
    auto parsed = ChatTemplate::Parse(Text("chat-templates/" + name));
    EXPECT_TRUE(parsed.ok()) << name << ": " << parsed.status().ToString();
    return parsed.ok() ? std::move(*parsed) : nullptr;
  }
};

const Json kMoreVectors = {{"bos_token", "<s>"}, {"eos_token", "</s>"}};

TEST_F(TemplateVectors, EveryTemplateParsesAndRenders) {
  const auto names = sys::SystemFileSystem().List(Path("chat-templates"));
  ASSERT_TRUE(names.ok());
  ASSERT_EQ(names->size(), 10u);
  const ChatMessage messages[] = {
      {"user", "first question"}, {"assistant", "first answer"}, {"user", "second question"}};
  for (const std::string& name : *names) {
    const auto parsed = Load(name);
    ASSERT_NE(parsed, nullptr);
    const auto text = (*parsed).Render(messages, true, kMoreVectors);
    ASSERT_TRUE(text.ok()) << name << ": " << text.status().ToString();
    size_t at = 0;
    for (const ChatMessage& message : messages) {
      at = text->find(message.content, at);
      ASSERT_NE(at, std::string::npos) << name << ": " << *text;
    }
    const auto shorter = (*parsed).Render(messages, false, kMoreVectors);
    ASSERT_TRUE(shorter.ok());
    // Phi ends the text with its end token instead.
    const bool has_end = shorter->ends_with("</s>");
    EXPECT_TRUE(has_end || text->starts_with(*shorter)) << name;
  }
}

TEST_F(TemplateVectors, WholeTextOfSome) {
  const ChatMessage messages[] = {{"system", "Be brief."}, {"user", "Hi"}};
  EXPECT_EQ(*Load("Qwen-Qwen2.5-7B-Instruct.jinja")->Render(messages, true, kMoreVectors),
            "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n"
            "<|im_start|>assistant\n");
  EXPECT_EQ(*Load("microsoft-Phi-3.5-mini-instruct.jinja")->Render(messages, true, kMoreVectors),
            "<|system|>\nBe brief.<|end|>\n<|user|>\nHi<|end|>\n<|assistant|>\n");
}

TEST_F(TemplateVectors, Tools) {
  const Json tool = {{"type", "function"},
                     {"function",
                      {{"name", "weather"},
                       {"description", "of a city"},
                       {"parameters",
                        {{"type", "object"},
                         {"properties", {{"city", {{"type", "string"}}}}},
                         {"required", {"city"}}}}}}};
  Json more = kMoreVectors;
  more["tools"] = Json::array({tool});
  const ChatMessage messages[] = {{"user", "rain?"}};
  const auto text = Load("Qwen-Qwen2.5-7B-Instruct.jinja")->Render(messages, true, more);
  ASSERT_TRUE(text.ok()) << text.status().ToString();
  EXPECT_NE(text->find(R"({"function": {"description": "of a city", "name": "weather", )"
                       R"("parameters": {"properties": {"city": {"type": "string"}}, )"
                       R"("required": ["city"], "type": "object"}}, "type": "function"})"),
            std::string::npos)
      << *text;
  for (const std::string name :
       {"NousResearch-Hermes-3-Llama-3.1-8B-tool_use.jinja",
        "meetkai-functionary-medium-v3.2.jinja", "mistralai-Mistral-Nemo-Instruct-2407.jinja"}) {
    const auto rendered = Load(name)->Render(messages, true, more);
    ASSERT_TRUE(rendered.ok()) << name << rendered.status().ToString();
    EXPECT_NE(rendered->find("weather"), std::string::npos) << name;
  }
}

TEST_F(TemplateVectors, RolesOutOfTurnAreRaised) {
  const ChatMessage messages[] = {{"user", "a"}, {"user", "b"}};
  const auto text =
      Load("mistralai-Mistral-Nemo-Instruct-2407.jinja")->Render(messages, true, kMoreVectors);
  ASSERT_EQ(text.code(), Code::kInvalidArgument);
  EXPECT_NE(text.status().message().find("alternate"), std::string::npos);
}

TEST(TemplateOfThePair, Renders) {
  FERRY_NEEDS_SHARED("lm-pair");
  const auto config = sys::ReadFile(sys::SystemFileSystem(),
                                    testing::SharedPath("lm-pair/draft/tokenizer_config.json"));
  ASSERT_TRUE(config.ok());
  const auto source = GetString(*ParseJson(AsText(*config)), "chat_template");
  ASSERT_TRUE(source.ok());
  const auto parsed = ChatTemplate::Parse(*source);
  ASSERT_TRUE(parsed.ok());
  const ChatMessage messages[] = {{"user", "Hi"}, {"assistant", "Ho\n"}};
  EXPECT_EQ(*(*parsed)->Render(messages, true),
            "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHo\n<|im_end|>\n"
            "<|im_start|>assistant\n");
}

}  // namespace
}  // namespace ferry::llm
