#include "tools/ferry/chat/line_editor.h"

#include <fcntl.h>
#include <histedit.h>
#include <langinfo.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cwchar>
#include <utility>

#include "common/sys/filesystem.h"

namespace ferry::cli {
namespace {

void HistoryRemark(const std::string& path, const std::string& why) {
  std::fprintf(stderr, "no history of chats: %s: %s\n", path.c_str(), why.c_str());
}

// Letters are read as UTF-8, also where no locale is set.
void UseUtf8() {
  (void)std::setlocale(LC_CTYPE, "");
  if (std::strcmp(::nl_langinfo(CODESET), "UTF-8") != 0) (void)std::setlocale(LC_CTYPE, "C.UTF-8");
}

// An empty file of mode 0600 where there was none: libedit would make it first and close it then.
Status MakeHistory(const std::string& path) {
  FERRY_TRY(sys::SystemFileSystem().MakeDirectories(sys::ParentPath(path)));
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor < 0) return Status(Code::kIo, std::strerror(errno));
  const bool ours = ::fchmod(descriptor, 0600) == 0;
  const int error = errno;
  ::close(descriptor);
  return ours ? OkStatus() : Status(Code::kIo, std::strerror(error));
}

}  // namespace

struct LineEditor::Parts {
  explicit Parts(Signals& signals_in) : signals(signals_in) {}
  ~Parts() {
    if (edit != nullptr) ::el_end(edit);
    if (past != nullptr) ::history_end(past);
  }

  // A letter for libedit; 0 at the end of input, -1 when a signal came.
  int ReadLetter(wchar_t* letter) {
    mbstate_t state{};
    for (;;) {
      pollfd ready[2] = {{STDIN_FILENO, POLLIN, 0}, {signals.descriptor(), POLLIN, 0}};
      if (::poll(ready, 2, -1) < 0 && errno != EINTR) return -1;
      interrupted = (ready[1].revents & POLLIN) != 0;
      if (interrupted) return -1;
      if (ready[0].revents == 0) continue;
      char byte = 0;
      const ssize_t count = ::read(STDIN_FILENO, &byte, 1);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return static_cast<int>(count);
      const size_t used = std::mbrtowc(letter, &byte, 1, &state);
      if (used == static_cast<size_t>(-2)) continue;  // more of it comes
      if (used != static_cast<size_t>(-1)) return 1;
      state = {};  // no letter at all: left out
    }
  }

  static int Read(EditLine* edit, wchar_t* letter) {
    void* parts = nullptr;
    (void)::el_get(edit, EL_CLIENTDATA, &parts);
    return static_cast<Parts*>(parts)->ReadLetter(letter);
  }
  static char* Prompt(EditLine*) {
    static char prompt[] = "> ";
    return prompt;
  }

  Signals& signals;
  EditLine* edit = nullptr;
  History* past = nullptr;
  bool interrupted = false;  // by a signal, at the last letter
  std::string file;          // of the history; empty: none
};

std::string ChatHistoryPath() {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state == '/') return std::string(state) + "/ferry/chat_history";
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') return "";
  return std::string(home) + "/.local/state/ferry/chat_history";
}

LineEditor::LineEditor(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
LineEditor::~LineEditor() = default;

Result<std::unique_ptr<LineEditor>> LineEditor::Open(Signals& signals, std::string history) {
  UseUtf8();
  auto parts = std::make_unique<Parts>(signals);
  parts->edit = ::el_init("ferry", stdin, stdout, stderr);
  parts->past = ::history_init();
  if (parts->edit == nullptr || parts->past == nullptr)
    return Status(Code::kUnsupported, "this terminal cannot edit lines");
  HistEvent event;
  ::history(parts->past, &event, H_SETSIZE, kMaxHistoryLines);
  ::history(parts->past, &event, H_SETUNIQUE, 1);
  ::el_set(parts->edit, EL_CLIENTDATA, parts.get());
  ::el_set(parts->edit, EL_PROMPT, Parts::Prompt);
  ::el_set(parts->edit, EL_EDITOR, "emacs");
  ::el_set(parts->edit, EL_SIGNAL, 0);
  ::el_set(parts->edit, EL_HIST, ::history, parts->past);
  ::el_set(parts->edit, EL_GETCFN, Parts::Read);
  ::el_set(parts->edit, EL_BIND, "^R", "em-inc-search-prev", nullptr);
  if (!history.empty()) {
    const Status made = MakeHistory(history);
    if (!made.ok()) HistoryRemark(history, made.message());
    // A file that is none of libedit is begun anew with the first line.
    if (made.ok()) (void)::history(parts->past, &event, H_LOAD, history.c_str());
    if (made.ok()) parts->file = std::move(history);
  }
  return std::unique_ptr<LineEditor>(new LineEditor(std::move(parts)));
}

Result<LineInput::Got> LineEditor::Next(std::string* line) {
  ::el_resize(parts_->edit);
  int count = 0;
  const char* text = ::el_gets(parts_->edit, &count);
  if (text == nullptr || count <= 0) {
    if (!std::exchange(parts_->interrupted, false)) return LineInput::Got::kEnd;
    ::el_reset(parts_->edit);
    parts_->signals.Drain();
    return LineInput::Got::kSignal;
  }
  line->assign(text, static_cast<size_t>(count));
  while (line->ends_with('\n') || line->ends_with('\r')) line->pop_back();
  if (line->size() > kMaxLineBytes)
    return Status::Of(Code::kLimitExceeded, "a line has at most {} bytes", kMaxLineBytes);
  if (line->empty()) return LineInput::Got::kLine;
  HistEvent event;
  ::history(parts_->past, &event, H_ENTER, line->c_str());
  // After each line: a chat ends in many ways.
  if (!parts_->file.empty() && ::history(parts_->past, &event, H_SAVE, parts_->file.c_str()) < 0) {
    HistoryRemark(std::exchange(parts_->file, {}), "it cannot be written");
  }
  return LineInput::Got::kLine;
}

}  // namespace ferry::cli
