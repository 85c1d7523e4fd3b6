// The body of a completion call of `ferry serve`.
#include "common/base/check.h"
#include "tools/ferry/serve/answer.h"
#include "tools/ferry/serve/request.h"
#include "tools/ferry/serve/stop_filter.h"
#include "tools/fuzz/target.h"

namespace ferry::fuzz {
namespace {

// What was accepted keeps to the limits, an error names its field, and texts of the call come back
// in JSON that can be read.
void RunOpenaiJson(ByteView bytes) {
  for (const auto kind : {cli::CompletionKind::kText, cli::CompletionKind::kChat}) {
    std::string param;
    const auto request = cli::ParseCompletion(kind, AsText(bytes), &param);
    if (!request.ok()) {
      const cli::ApiError error = cli::ErrorOf(request.status(), param);
      CHECK(error.status >= 400 && error.status < 500) << request.status().ToString();
      CHECK(ParseJson(WriteJson(error.body)).ok());
      continue;
    }
    CHECK(request->messages.size() <= cli::kMaxMessages);
    CHECK(request->stop.size() <= cli::kMaxStops);
    for (const std::string& stop : request->stop)
      CHECK(!stop.empty() && stop.size() <= cli::kMaxStopBytes);
    CHECK(request->max_tokens.value_or(1) >= 1);
    CHECK(kind != cli::CompletionKind::kChat || !request->messages.empty());
    const cli::AnswerWriter writer(kind, "1", 1'700'000'000, request->model);
    const Json answer = writer.Whole(request->prompt, "stop", {});
    CHECK(ParseJson(WriteJson(answer)).ok());
    CHECK(cli::SseEvent(writer.Text(request->prompt, true)).ends_with("\n\n"));
  }
}

std::vector<Bytes> OpenaiJsonSeeds() {
  std::vector<Bytes> seeds;
  for (const std::string_view body :
       {R"({"model":"m","prompt":"My dear sir,","max_tokens":7,"temperature":0.5,"seed":3})",
        R"({"prompt":[1,2,151935],"stop":["\n","end"],"stream":true,
            "stream_options":{"include_usage":true}})",
        R"({"messages":[{"role":"system","content":"s"},
            {"role":"user","content":[{"type":"text","text":"a"}]}],"n":1,"top_p":0.9})",
        R"({"messages":[{"role":"developer","content":"\ud83d\ude00"}],"stop":"x","tools":[]})"})
    seeds.push_back(ToBytes(AsBytes(body)));
  return seeds;
}

}  // namespace

const Target kOpenaiJsonTarget = {"openai_json", RunOpenaiJson, OpenaiJsonSeeds};

}  // namespace ferry::fuzz
