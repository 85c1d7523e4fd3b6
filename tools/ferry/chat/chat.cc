#include "tools/ferry/chat/chat.h"

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <optional>

#include "common/base/json.h"
#include "device-runtime/llm/tokenizer/tokenizer.h"
#include "tools/ferry/chat/conversation.h"
#include "tools/ferry/chat/line_editor.h"
#include "tools/ferry/chat/line_input.h"
#include "tools/ferry/signals.h"
#include "tools/ferry/text/visible.h"

namespace ferry::cli {
namespace {

constexpr const char* kHelp =
    "/reset          forget the conversation\n"
    "/system TEXT    begin anew with this system text; without TEXT, with none\n"
    "/mode MODE      device-only, split or cloud-only, also amid an answer; without MODE, says\n"
    "                which it is\n"
    "/stats          figures since the start\n"
    "/quit           leave (or end of input, or Ctrl-C twice)\n"
    "//...           a line that begins with a slash\n"
    "Ctrl-C stops an answer.\n";

void Remark(const std::string& text) {
  std::fprintf(stderr, "%s\n", VisibleLines(text).c_str());
}

void Print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

class Loop {
 public:
  Loop(Responder& responder, Conversation conversation, Signals& signals, const Sampling& sampling,
       int64_t max_new, bool json)
      : responder_(responder),
        splits_(responder.mode() != "local"),
        conversation_(std::move(conversation)),
        signals_(signals),
        input_(STDIN_FILENO, signals),
        sampling_(sampling),
        max_new_(max_new),
        json_(json),
        terminal_(!json && ::isatty(STDIN_FILENO) != 0 && ::isatty(STDOUT_FILENO) != 0) {}

  const Status& failed() const { return failed_; }

  // A terminal that cannot do it gets lines as they are typed.
  void EditLines(bool history) {
    if (!terminal_) return;
    auto editor = LineEditor::Open(signals_, history ? ChatHistoryPath() : "");
    if (editor.ok()) editor_ = *std::move(editor);
  }

  Result<Json> Run() {
    std::string line;
    for (;;) {
      FERRY_ASSIGN_OR_RETURN(const LineInput::Got got, NextLine(&line));
      if (got == LineInput::Got::kEnd) break;
      if (got == LineInput::Got::kSignal) {
        if (signals_.count() >= 2 || signals_.last() != SIGINT) break;
        Remark("\n(Ctrl-C again, or /quit, leaves)");
        continue;
      }
      signals_.Reset();
      if (line.empty()) continue;
      const bool command = line.front() == '/' && !line.starts_with("//");
      if (command && !Command(line)) break;
      if (!command) FERRY_TRY(Say(line.front() == '/' ? line.substr(1) : line));
      if (signals_.count() >= 2 || (signals_.count() > 0 && signals_.last() != SIGINT)) break;
    }
    if (terminal_) Print("\n");
    return turns_;
  }

 private:
  // What was typed during the last answer first.
  Result<LineInput::Got> NextLine(std::string* line) {
    if (input_.TakeHeld(line)) return LineInput::Got::kLine;
    if (editor_ != nullptr) return editor_->Next(line);
    if (terminal_) Print("> ");
    return input_.Next(line);
  }

  // What a model writes, or was made to write, is text: no terminal obeys it.
  void PrintModel(const std::string& text) { Print(shown_ ? VisibleLines(text) : text); }

  // False: leave.
  bool Command(const std::string& line) {
    const size_t space = line.find(' ');
    const std::string name = line.substr(0, space);
    const std::string rest = space == std::string::npos ? "" : line.substr(space + 1);
    if (name == "/quit" || name == "/exit") return false;
    if (name == "/help") {
      Remark(kHelp);
    } else if (name == "/reset") {
      conversation_.Reset();
    } else if (name == "/system") {
      conversation_.SetSystem(rest);
    } else if (name == "/stats") {
      Remark(WriteJson(responder_.Stats()));
    } else if (name == "/mode") {
      const Status status = rest.empty() ? OkStatus() : responder_.SetMode(rest);
      Remark(status.ok() ? responder_.mode() : status.ToString());
    } else {
      Remark(fmt::format("{} is no command here: /help", name));
    }
    return true;
  }

  // A mode that is asked for amid an answer; other lines wait for its end.
  void SwitchMode() {
    std::string line;
    while (splits_ && input_.TakeIf("/mode", &line)) (void)Command(line);
  }

  // One turn. An error of this turn alone is a remark; the conversation stays as it was.
  Status Say(const std::string& said) {
    const Result<std::vector<llm::TokenId>> prompt = conversation_.Prompt(said);
    if (!prompt.ok()) return Failed(said, prompt.status());
    ReplyRequest request;
    request.prompt = *prompt;
    request.sampler = sampling_.options;
    request.seed = sampling_.seed;
    request.max_new = max_new_;
    request.more_end_tokens = conversation_.turn_ends();
    llm::StreamDecoder decoder(responder_.tokenizer());
    ReplyEvents events;
    events.wanted = [this] {
      SwitchMode();
      return signals_.count() == 0;
    };
    events.on_token = [&](llm::TokenId id) {
      if (!json_) PrintModel(decoder.Push(id));
      return signals_.count() == 0;
    };
    events.on_mode = [](const std::string& mode) { Remark(fmt::format("\n[{}]", mode)); };
    const Result<Reply> reply = responder_.Answer(request, events);
    if (!json_) PrintModel(decoder.Finish() + "\n");
    if (!reply.ok() && reply.code() == Code::kCancelled) return OkStatus();
    if (!reply.ok()) return Failed(said, reply.status());
    conversation_.Answered(*reply);
    turns_.push_back({{"user", said},
                      {"assistant", llm::Decode(responder_.tokenizer(), reply->ids, true)},
                      {"ids", reply->ids},
                      {"reason", llm::FinishReasonName(reply->reason)},
                      {"prompt_tokens", prompt->size()},
                      {"reused_tokens", reply->reused},
                      {"figures", reply->figures != nullptr ? *reply->figures : Json::object()}});
    return OkStatus();
  }

  Status Failed(const std::string& said, const Status& status) {
    // The first one ends the program's output, where no one at a terminal sees it now.
    if (terminal_ || !failed_.ok()) Remark("ferry: " + status.ToString());
    if (!terminal_ && failed_.ok()) failed_ = status;
    turns_.push_back(
        {{"user", said},
         {"error", {{"name", InfoOf(status.code()).name}, {"text", status.message()}}}});
    return OkStatus();
  }

  Responder& responder_;
  const bool splits_;  // it asks on this thread whether a reply is wanted
  Conversation conversation_;
  Signals& signals_;
  LineInput input_;
  std::unique_ptr<LineEditor> editor_;  // null: lines come as they are
  const Sampling sampling_;
  const int64_t max_new_;
  const bool json_;
  const bool terminal_;
  const bool shown_ = ::isatty(STDOUT_FILENO) != 0;
  Json turns_ = Json::array();
  Status failed_;
};

// "auto" takes the template when there is one, and says so when there is none.
Result<Conversation> StartConversation(const Responder& responder, const ChatOptions& options) {
  bool use = options.use_template != "off";
  if (options.use_template == "auto" && responder.chat_template() == nullptr) {
    Remark("the model has no chat template: it continues what you write");
    use = false;
  }
  FERRY_ASSIGN_OR_RETURN(Conversation conversation, Conversation::Start(responder, use));
  conversation.SetSystem(options.system);
  return conversation;
}

}  // namespace

Result<Output> Chat(const ChatOptions& options, bool json) {
  FERRY_ASSIGN_OR_RETURN(const Sampling sampling, ResolveSampling(options.sampling));
  FERRY_ASSIGN_OR_RETURN(const std::unique_ptr<Responder> responder,
                         MakeResponder(options.responder));
  FERRY_ASSIGN_OR_RETURN(Conversation conversation, StartConversation(*responder, options));
  // An end from outside waits until the terminal is as it was.
  FERRY_ASSIGN_OR_RETURN(std::unique_ptr<Signals> signals,
                         Signals::Catch({SIGINT, SIGTERM, SIGHUP}));
  std::optional<Loop> loop(std::in_place, *responder, std::move(conversation), *signals, sampling,
                           options.max_new, json);
  loop->EditLines(options.history);
  Output out;
  FERRY_ASSIGN_OR_RETURN(Json turns, loop->Run());
  out.failed = loop->failed();
  loop.reset();
  const int last = signals->last();
  signals.reset();
  if (last != 0 && last != SIGINT) (void)::raise(last);
  out.json() = {
      {"turns", std::move(turns)}, {"seed", sampling.seed}, {"stats", responder->Stats()}};
  return out;
}

}  // namespace ferry::cli
