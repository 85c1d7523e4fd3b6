#include "tools/ferry/serve/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace ferry::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<CompletionRequest> Chat(std::string_view more, std::string* param) {
  const std::string body =
      R"({"messages":[{"role":"user","content":"Hi"}])" + std::string(more) + "}";
  return ParseCompletion(CompletionKind::kChat, body, param);
}

TEST(CompletionRequestTest, DefaultsOfAChat) {
  std::string param;
  const auto request = Chat("", &param);
  ASSERT_TRUE(request.ok()) << request.status().ToString();
  ASSERT_EQ(request->messages.size(), 1u);
  EXPECT_EQ(request->messages[0].role, "user");
  EXPECT_EQ(request->messages[0].content, "Hi");
  EXPECT_FLOAT_EQ(request->sampler.temperature, 1);
  EXPECT_FLOAT_EQ(request->sampler.top_p, 1);
  EXPECT_FALSE(request->seed.has_value());
  EXPECT_FALSE(request->max_tokens.has_value());
  EXPECT_FALSE(request->stream);
  EXPECT_EQ(param, "");
}

TEST(CompletionRequestTest, EveryFieldOfAChat) {
  std::string param;
  const auto request = ParseCompletion(CompletionKind::kChat, R"({
    "model": "pair", "temperature": 0.5, "top_p": 0.25, "top_k": 7, "seed": -1,
    "repetition_penalty": 1.5, "max_tokens": 3, "max_completion_tokens": 9, "stop": ["a", "bc"],
    "stream": true, "stream_options": {"include_usage": true}, "n": 1, "presence_penalty": 0.0,
    "user": "unknown fields are ignored",
    "messages": [{"role": "developer", "content": "Be brief."},
                 {"role": "assistant", "content": null, "tool_calls": []},
                 {"role": "user", "content": [{"type": "text", "text": "a"},
                                              {"type": "text", "text": "b"}]}]})",
                                       &param);
  ASSERT_TRUE(request.ok()) << request.status().ToString();
  EXPECT_EQ(request->model, "pair");
  EXPECT_FLOAT_EQ(request->sampler.temperature, 0.5F);
  EXPECT_FLOAT_EQ(request->sampler.top_p, 0.25F);
  EXPECT_EQ(request->sampler.top_k, 7);
  EXPECT_FLOAT_EQ(request->sampler.repetition_penalty, 1.5F);
  EXPECT_EQ(request->seed, ~uint64_t{0});
  EXPECT_EQ(request->max_tokens, 9);
  EXPECT_THAT(request->stop, ElementsAre("a", "bc"));
  EXPECT_TRUE(request->stream);
  EXPECT_TRUE(request->include_usage);
  ASSERT_EQ(request->messages.size(), 3u);
  EXPECT_EQ(request->messages[0].role, "system");
  EXPECT_EQ(request->messages[1].content, "");
  EXPECT_EQ(request->messages[2].content, "ab");
}

TEST(CompletionRequestTest, PromptsOfATextCompletion) {
  std::string param;
  const auto text = [&](std::string_view prompt) {
    return ParseCompletion(CompletionKind::kText, fmt::format(R"({{"prompt":{}}})", prompt),
                           &param);
  };
  EXPECT_EQ(text(R"("It was")")->prompt, "It was");
  EXPECT_EQ(text(R"(["It was"])")->prompt, "It was");
  EXPECT_THAT(text("[1,2,3]")->prompt_ids, ElementsAre(1, 2, 3));
  EXPECT_THAT(text("[[1,2,3]]")->prompt_ids, ElementsAre(1, 2, 3));
  for (const char* bad : {R"("")", "[]", "[[]]", "null", "7", R"(["a","b"])", "[1,-2]", "[1,2.5]",
                          "[1,\"a\"]", "[18446744073709551615]", "{}", "[{}]", "[null]"}) {
    const auto refused = text(bad);
    ASSERT_FALSE(refused.ok()) << bad;
    EXPECT_EQ(refused.code(), Code::kInvalidArgument) << bad;
    EXPECT_EQ(param, "prompt") << bad;
  }
}

TEST(CompletionRequestTest, WhatIsNotSupportedIsRefusedByName) {
  for (const char* field :
       {R"("n":2)", R"("logprobs":true)", R"("logprobs":0)", R"("top_logprobs":1)",
        R"("presence_penalty":0.1)", R"("frequency_penalty":-1)", R"("logit_bias":{"1":5})",
        R"("tools":[{}])", R"("functions":[{}])", R"("response_format":{"type":"json_object"})",
        R"("echo":true)", R"("suffix":"x")", R"("best_of":3)", R"("modalities":["audio"])"}) {
    std::string param;
    const auto refused = Chat(fmt::format(",{}", field), &param);
    ASSERT_FALSE(refused.ok()) << field;
    EXPECT_EQ(refused.code(), Code::kInvalidArgument);
    EXPECT_THAT(std::string(field), HasSubstr("\"" + param + "\""));
    EXPECT_THAT(refused.status().message(), HasSubstr(param + ": only "));
  }
}

TEST(CompletionRequestTest, WrongValuesAreRefusedByName) {
  const std::string long_stop(kMaxStopBytes + 1, 'x');
  for (const std::string& field :
       {std::string(R"("temperature":-0.1)"), std::string(R"("temperature":2.5)"),
        std::string(R"("temperature":"hot")"), std::string(R"("top_p":1.5)"),
        std::string(R"("max_tokens":0)"), std::string(R"("max_tokens":1.5)"),
        std::string(R"("max_completion_tokens":18446744073709551615)"),
        std::string(R"("seed":1.5)"), std::string(R"("top_k":-1)"), std::string(R"("stop":"")"),
        std::string(R"("stop":[1])"), R"("stop":")" + long_stop + "\"",
        std::string(R"("stream":1)"), std::string(R"("stream_options":{})"),
        std::string(R"("model":1)"), std::string(R"("repetition_penalty":"x")")}) {
    std::string param;
    const auto refused = Chat("," + field, &param);
    ASSERT_FALSE(refused.ok()) << field;
    EXPECT_EQ(refused.code(), Code::kInvalidArgument) << field;
    EXPECT_THAT(field, HasSubstr("\"" + param + "\""));
  }
}

TEST(CompletionRequestTest, WrongMessagesAreRefusedByPlace) {
  const auto parse = [](std::string_view messages, std::string* param) {
    return ParseCompletion(CompletionKind::kChat, fmt::format(R"({{"messages":{}}})", messages),
                           param);
  };
  const std::pair<const char*, const char*> cases[] = {
      {"null", "messages"},
      {"[]", "messages"},
      {R"("hi")", "messages"},
      {R"([7])", "messages[0]"},
      {R"([{"content":"x"}])", "messages[0].role"},
      {R"([{"role":"king","content":"x"}])", "messages[0].role"},
      {R"([{"role":"user<|im_end|>","content":"x"}])", "messages[0].role"},
      {R"([{"role":"user","content":"x"},{"role":"user"}])", "messages[1].content"},
      {R"([{"role":"user","content":7}])", "messages[0].content"},
      {R"([{"role":"user","content":[{"type":"image_url","image_url":"x"}]}])",
       "messages[0].content"},
      {R"([{"role":"user","content":[{"type":"text"}]}])", "messages[0].content"},
      {R"([{"role":"user","content":["x"]}])", "messages[0].content"},
  };
  for (const auto& [messages, where] : cases) {
    std::string param;
    const auto refused = parse(messages, &param);
    ASSERT_FALSE(refused.ok()) << messages;
    EXPECT_EQ(param, where) << messages;
  }
  std::string many = "[";
  for (size_t i = 0; i <= kMaxMessages; ++i)
    many += std::string(i == 0 ? "" : ",") + R"({"role":"user","content":"x"})";
  std::string param;
  EXPECT_THAT(parse(many + "]", &param).status().message(), HasSubstr("over the limit"));
}

TEST(CompletionRequestTest, WhatIsNoJsonObjectIsMalformed) {
  for (const std::string& body :
       {std::string(), std::string("{"), std::string("[]"), std::string("7"),
        std::string("{\"prompt\":\"\xff\"}"), "[" + std::string(100, '[')}) {
    std::string param;
    EXPECT_EQ(ParseCompletion(CompletionKind::kText, body, &param).code(), Code::kMalformed);
  }
}

// A valid body with bytes changed, cut out and doubled: parsed or refused, never worse.
TEST(CompletionRequestTest, SpoiledBodiesAreParsedOrRefused) {
  const std::string valid = R"({"model":"m","temperature":0.5,"seed":18446744073709551615,)"
                            R"("stop":["x","y"],"stream":true,"stream_options":{},"n":1,)"
                            R"("prompt":[1,2,3],"messages":[{"role":"user","content":)"
                            R"([{"type":"text","text":"\u00e9"}]}]})";
  std::mt19937 random(7);
  int parsed = 0;
  int refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string body = valid;
    for (int change = 0; change < 1 + round % 4; ++change) {
      const size_t at = random() % body.size();
      const std::string_view alphabet = "{}[]\",:0123456789.-eEntruefalsx\\\xff\0";
      switch (random() % 3) {
        case 0:
          body[at] = alphabet[random() % alphabet.size()];
          break;
        case 1:
          body.erase(at, 1 + random() % 8);
          break;
        default:
          body.insert(at, body.substr(random() % body.size(), random() % 16));
      }
      if (body.empty()) body = "x";
    }
    for (const CompletionKind kind : {CompletionKind::kText, CompletionKind::kChat}) {
      std::string param;
      const auto request = ParseCompletion(kind, body, &param);
      ++(request.ok() ? parsed : refused);
      if (request.ok()) {
        EXPECT_TRUE(request->sampler.Check().ok());
        EXPECT_TRUE(request->prompt_ids.empty() || kind == CompletionKind::kText);
      }
    }
  }
  EXPECT_GT(parsed, 100);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace ferry::cli
