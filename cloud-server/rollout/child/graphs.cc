#include "cloud-server/rollout/child/graphs.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>

#include "cloud-server/rollout/child/child_process.h"
#include "common/base/json.h"

namespace ferry::server {
namespace {

constexpr size_t kMaxQuotedGraphError = 300;
constexpr const char* kGraphKind = "model_graph";

using GraphText = std::shared_ptr<const std::string>;

// The latest graphs, as many as kMaxGraphsKept holds. Any thread.
class KeptGraphs {
 public:
  GraphText Find(const std::string& key) {
    std::lock_guard lock(mutex_);
    for (auto item = items_.begin(); item != items_.end(); ++item) {
      if (item->first != key) continue;
      items_.splice(items_.begin(), items_, item);
      return item->second;
    }
    return nullptr;
  }
  void Put(const std::string& key, GraphText text) {
    std::lock_guard lock(mutex_);
    bytes_ += text->size();
    items_.emplace_front(key, std::move(text));
    while (bytes_ > kMaxGraphsKept && items_.size() > 1) {
      bytes_ -= items_.back().second->size();
      items_.pop_back();
    }
  }

 private:
  std::mutex mutex_;
  std::list<std::pair<std::string, GraphText>> items_;  // the latest first
  size_t bytes_ = 0;
};

struct TurnTaker {
  std::mutex mutex;
  std::condition_variable ended;
  bool busy = false;
};

// One at a time, as a timed mutex would have it, whose wait ThreadSanitizer does not know.
class Turn {
 public:
  Turn(TurnTaker& taker, std::chrono::milliseconds timeout) : taker_(taker) {
    std::unique_lock lock(taker_.mutex);
    came_ = taker_.ended.wait_for(lock, timeout, [&] { return !taker_.busy; });
    if (came_) taker_.busy = true;
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    if (!came_) return;
    {
      const std::lock_guard lock(taker_.mutex);
      taker_.busy = false;
    }
    taker_.ended.notify_one();
  }
  bool came() const { return came_; }

 private:
  TurnTaker& taker_;
  bool came_ = false;
};

class ChildGraphs : public Graphs {
 public:
  ChildGraphs(Registry& registry, sys::FileSystem& fs, ChildOptions options)
      : registry_(registry), fs_(fs), options_(std::move(options)) {}

  Result<GraphText> Read(const PackageRow& row, const std::string& model) override {
    const std::string key = row.plain_sha256 + "/" + model;
    if (GraphText kept = kept_.Find(key)) return kept;
    if (row.plain_length > kMaxGraphPackage)
      return Status::Of(Code::kLimitExceeded,
                        "{} {} has {} bytes; graphs are made of packages up to {}", row.name,
                        row.version, row.plain_length, kMaxGraphPackage);
    const Turn turn(making_, std::chrono::milliseconds(kGraphWaitMs));
    if (!turn.came())
      return Status(Code::kUnavailable, "graphs of other models are being made: ask again");
    if (GraphText kept = kept_.Find(key)) return kept;
    const std::string folder =
        sys::JoinPath(options_.scratch_directory, fmt::format("graph-{}", next_.fetch_add(1)));
    FERRY_TRY(fs_.RemoveTree(folder));
    FERRY_TRY(fs_.MakeDirectories(folder));
    Result<std::string> text = MakeIn(folder, row, model);
    FERRY_TRY(fs_.RemoveTree(folder));
    FERRY_TRY(text);
    auto made = std::make_shared<const std::string>(std::move(*text));
    kept_.Put(key, made);
    return made;
  }

 private:
  Result<std::string> MakeIn(const std::string& folder, const PackageRow& row,
                             const std::string& model) {
    const std::string fpk = sys::JoinPath(folder, "package.fpk");
    const Status opened = registry_.OpenPackage(row.name, row.version, fs_, fpk);
    if (opened.code() == Code::kDiskFull || opened.code() == Code::kIo) return opened;
    if (!opened.ok())
      return Status::Of(Code::kFailedPrecondition, "{} {} cannot be read by this server: {}",
                        row.name, row.version, opened.message());
    return RunGraphChild(options_, fpk, model);
  }

  Registry& registry_;
  sys::FileSystem& fs_;
  const ChildOptions options_;
  std::atomic<uint64_t> next_{0};
  TurnTaker making_;
  KeptGraphs kept_;
};

// What the child said is wrong, or that it said nothing of use.
Status GraphFailure(const ChildResult& child, const Result<Json>& answer) {
  if (answer.ok() && answer->is_object()) {
    const auto error = GetObjectOrNull(*answer, "error");
    if (error.ok() && *error != nullptr) {
      const auto name = GetString(**error, "name");
      const auto text = GetString(**error, "text");
      const auto code = name.ok() ? CodeFromName(*name) : std::nullopt;
      const Code said = code == Code::kNotFound ? Code::kNotFound : Code::kFailedPrecondition;
      if (text.ok()) return Status::Of(said, "{}", text->substr(0, kMaxQuotedGraphError));
    }
  }
  const std::string& errors = child.errors;
  return Status::Of(Code::kFailedPrecondition, "the model could not be read: status {}: {}",
                    child.exit_code,
                    errors.empty() ? "no output" : errors.substr(0, kMaxQuotedGraphError));
}

}  // namespace

std::unique_ptr<Graphs> MakeChildGraphs(Registry& registry, sys::FileSystem& fs,
                                        ChildOptions options) {
  return std::make_unique<ChildGraphs>(registry, fs, std::move(options));
}

Result<std::string> RunGraphChild(const ChildOptions& options, const std::string& fpk,
                                  const std::string& model) {
  ChildLimits limits;
  limits.timeout_ms = kGraphTimeoutMs;
  limits.max_output = kMaxGraphOutput;
  limits.max_memory = options.max_memory;
  limits.input = fpk;
  std::vector<std::string> arguments = {options.program, "graph", kChildInput};
  if (!model.empty()) arguments.push_back("--model=" + model);
  FERRY_ASSIGN_OR_RETURN(ChildResult child, RunChild(arguments, limits));
  // It read what a stranger may have made: what it says is looked at before it goes on.
  const Result<Json> answer = ParseJson(child.output);
  const bool is_graph = child.exit_code == 0 && answer.ok() && answer->is_object() &&
                        GetStringOr(*answer, "kind", "").value_or("") == kGraphKind;
  if (!is_graph) return GraphFailure(child, answer);
  return std::move(child.output);
}

}  // namespace ferry::server
