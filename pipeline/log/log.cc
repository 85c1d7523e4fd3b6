#include "pipeline/log/log.h"

#include <atomic>
#include <deque>
#include <mutex>

#include "pipeline/log/writer.h"

namespace ferry::log {
namespace {

using BuilderPtr = std::shared_ptr<BlockBuilder>;

class SegmentLog : public Log {
 public:
  SegmentLog(sys::FileSystem& fs, sys::Clock& clock, sys::Random& random, const LogOptions& options)
      : fs_(fs),
        clock_(clock),
        random_(random),
        options_(options),
        writer_(fs, clock, random, options_) {}

  Status Start() {
    FERRY_TRY(fs_.MakeDirectories(options_.directory));
    FERRY_ASSIGN_OR_RETURN(auto found,
                           LoadIdentity(fs_, options_.directory, options_.key, random_));
    const bool is_new = !found;
    if (is_new) found = FreshIdentity();
    identity_ = std::move(*found);
    if (options_.key && !identity_.log_key)
      identity_.log_key = crypto::Secret32::Generate(random_);
    else if (!is_new)
      return Recover();
    FERRY_TRY(SaveIdentity(fs_, options_.directory, options_.key, random_, &identity_));
    return Recover();
  }

  Result<uint64_t> Append(const event::Event& event, int64_t arrival_ms) override {
    Prepared prepared = Prepare(event, arrival_ms);
    const size_t charge = prepared.charge;
    if (charge > kMaxEventCharge)
      return Status::Of(Code::kLimitExceeded, "an event of {} bytes, the limit is {}", charge,
                        event::kMaxEventBytes);
    const int64_t now_ns = clock_.MonotonicNs();
    const std::lock_guard lock(mutex_);
    if (stats_.waiting_bytes + charge > options_.max_waiting_bytes) {
      ++stats_.refused;
      if (!trouble_.ok()) return trouble_.Context("the log takes no event");
      return Status::Of(Code::kLimitExceeded,
                        "{} bytes of events wait for the disk, the limit is {}",
                        stats_.waiting_bytes, options_.max_waiting_bytes);
    }
    if (active_->count() == 0) {
      active_->first = next_;
      active_->since_ns = now_ns;
    }
    active_->Add(std::move(prepared));
    stats_.waiting_bytes += charge;
    if (active_->charge() >= kGroupBytes) CloseActive();
    return next_++;
  }

  Status WaitDurable(uint64_t number) override {
    if (number <= durable_.load()) return OkStatus();
    const std::lock_guard writer(writer_mutex_);
    while (number > durable_.load()) {
      const BuilderPtr block = Oldest(INT64_MAX);
      if (block == nullptr)
        return Status::Of(Code::kInvalidArgument, "event {} was never given", number);
      FERRY_TRY(WriteOne(*block));
    }
    return OkStatus();
  }

  Status Flush(int64_t now_ns) override {
    const std::lock_guard writer(writer_mutex_);
    while (const BuilderPtr block = Oldest(now_ns)) FERRY_TRY(WriteOne(*block));
    return OkStatus();
  }

  int64_t due_ns() const override {
    const std::lock_guard lock(mutex_);
    if (!closed_.empty()) return trouble_.ok() ? INT64_MIN : clock_.MonotonicNs() + kGroupNs;
    return active_->count() == 0 ? INT64_MAX : active_->since_ns + kGroupNs;
  }

  uint64_t durable() const override { return durable_.load(); }
  uint64_t next() const override {
    const std::lock_guard lock(mutex_);
    return next_;
  }

  Status ForEach(uint64_t from, uint64_t to,
                 const std::function<bool(const Entry&)>& take) override {
    uint64_t given = 0;
    uint64_t after = 0;  // segments up to this one are done
    while (true) {
      std::optional<Segment> segment;
      {
        const std::lock_guard lock(mutex_);
        for (const auto& one : segments_) {
          if (one->head.segment <= after || one->last < from || one->first > to) continue;
          segment = *one;
          break;
        }
      }
      if (!segment) return OkStatus();
      after = segment->head.segment;
      Result<bool> more = ReadSegment(fs_, *segment, from, to, take, &given);
      if (more.code() == Code::kNotFound) continue;  // dropped meanwhile
      FERRY_TRY(more);
      if (!*more) return OkStatus();
    }
  }

  Result<Entry> Read(uint64_t number) override {
    std::optional<Entry> found;
    FERRY_TRY(ForEach(number, number, [&found](const Entry& entry) {
      found = entry;
      return false;
    }));
    if (!found) return Status::Of(Code::kNotFound, "the log has no event {}", number);
    return std::move(*found);
  }

  Status Retain(int64_t now_ms, uint64_t keep_from) override {
    const std::lock_guard writer(writer_mutex_);
    keep_from_ = keep_from;
    return DropOld(now_ms, 0);
  }

  Result<EraseReceipt> Erase() override;

  LogStats stats() const override {
    const std::lock_guard lock(mutex_);
    LogStats out = stats_;
    out.next = next_;
    out.segments = segments_.size();
    if (!segments_.empty()) {
      out.first = segments_.front()->first;
      out.last = segments_.back()->last;
    }
    for (const auto& segment : segments_) out.bytes += segment->end;
    out.waiting_events = active_->count();
    for (const BuilderPtr& block : closed_) out.waiting_events += block->count();
    return out;
  }

 private:
  static constexpr int64_t kGroupNs = kGroupMs * 1'000'000;

  Identity FreshIdentity() {
    Identity fresh;
    fresh.log_id.resize(kLogIdBytes);
    random_.Fill({reinterpret_cast<uint8_t*>(fresh.log_id.data()), fresh.log_id.size()});
    return fresh;
  }

  Status Recover() {
    FERRY_ASSIGN_OR_RETURN(FoundSegments found,
                           FindSegments(fs_, options_.directory, identity_, &stats_));
    segments_.assign(found.segments.begin(), found.segments.end());
    next_ = std::max({options_.next_at_least, identity_.next, uint64_t{1}});
    if (!segments_.empty()) {
      next_ = std::max(next_, segments_.back()->last + 1);
      writer_.Learn(*segments_.back()->head.names);
      // What was written last may have been read from memory only.
      FERRY_ASSIGN_OR_RETURN(const auto file,
                             fs_.OpenForWrite(segments_.back()->path, sys::WriteMode::kAppend));
      FERRY_TRY(file->Sync());
      FERRY_TRY(fs_.SyncDirectory(options_.directory));
    }
    durable_ = next_ - 1;
    writer_.Begin(identity_, std::max(found.next_segment, identity_.first_segment));
    return OkStatus();
  }

  void CloseActive() {
    closed_.push_back(active_);
    active_ = std::make_shared<BlockBuilder>();
  }

  // What is to be written first and stays in the list, or null; `now_ns` INT64_MAX: all is due.
  BuilderPtr Oldest(int64_t now_ns) {
    const std::lock_guard lock(mutex_);
    const bool due =
        active_->count() > 0 && (now_ns == INT64_MAX || now_ns - active_->since_ns >= kGroupNs);
    if (closed_.empty() && due) CloseActive();
    return closed_.empty() ? nullptr : closed_.front();
  }

  // What is written next lies under a key that must be on the disk before.
  Status SaveChangedIdentity() {
    if (!unsaved_) return OkStatus();
    FERRY_TRY(SaveIdentity(fs_, options_.directory, options_.key, random_, &identity_));
    unsaved_ = false;
    return OkStatus();
  }

  // The writer's lock is held.
  Status WriteOne(const BlockBuilder& block) {
    FERRY_TRY(SaveChangedIdentity());
    if (!writer_.HasOpen()) (void)DropOld(INT64_MIN, block.charge());
    Result<SegmentWriter::Written> written = writer_.Write(block);
    if (written.code() == Code::kDiskFull && DropOne()) written = writer_.Write(block);
    const std::lock_guard lock(mutex_);
    trouble_ = written.status();
    if (!written.ok()) return trouble_;
    if (written->began != nullptr) segments_.push_back(written->began);
    segments_.back()->Add(written->block, written->at, written->end);
    stats_.waiting_bytes -= block.charge();
    stats_.event_bytes += block.charge();
    stats_.encoded_bytes += written->encoded;
    stats_.written_bytes += written->bytes;
    ++stats_.commits;
    durable_ = block.first + block.count() - 1;
    closed_.pop_front();
    return OkStatus();
  }

  // The oldest segment that no rule needs; for a full disk.
  bool DropOne() {
    std::shared_ptr<Segment> oldest;
    {
      const std::lock_guard lock(mutex_);
      if (segments_.size() < 2 || segments_.front()->last >= keep_from_) return false;
      oldest = segments_.front();
      segments_.pop_front();
    }
    return fs_.Remove(oldest->path).ok();
  }

  // The writer's lock is held. The last segment stays.
  Status DropOld(int64_t now_ms, uint64_t more_bytes) {
    std::vector<std::shared_ptr<Segment>> dropped;
    {
      const std::lock_guard lock(mutex_);
      uint64_t bytes = more_bytes;
      for (const auto& segment : segments_) bytes += segment->end;
      while (segments_.size() > 1) {
        const Segment& oldest = *segments_.front();
        const bool aged = now_ms != INT64_MIN && options_.max_age_ms > 0 &&
                          oldest.last_arrival_ms < now_ms - options_.max_age_ms;
        // Of before there was a key: it goes as soon as nobody needs it.
        const bool plain = identity_.log_key.has_value() && !oldest.head.sealed;
        const bool wanted = oldest.last >= keep_from_;
        const bool hard = bytes > options_.hard_max_bytes || segments_.size() > kMaxSegments;
        if (!hard && (wanted || !(aged || plain || bytes > options_.max_bytes))) break;
        if (wanted) stats_.lost_to_limit += oldest.events;
        bytes -= oldest.end;
        dropped.push_back(segments_.front());
        segments_.pop_front();
      }
    }
    Status status;
    for (const auto& segment : dropped)
      if (Status removed = fs_.Remove(segment->path); !removed.ok()) status = removed;
    return status;
  }

  sys::FileSystem& fs_;
  sys::Clock& clock_;
  sys::Random& random_;
  const LogOptions options_;

  std::mutex writer_mutex_;  // ORDER: before mutex_
  SegmentWriter writer_;
  Identity identity_;
  bool unsaved_ = false;    // the identity on the disk is another
  uint64_t keep_from_ = 0;  // until Retain says more, nothing goes but by the hard limit

  mutable std::mutex mutex_;
  std::deque<BuilderPtr> closed_;  // to be written, in order
  BuilderPtr active_ = std::make_shared<BlockBuilder>();
  std::deque<std::shared_ptr<Segment>> segments_;
  uint64_t next_ = 1;
  Status trouble_;  // of the last write
  LogStats stats_;
  std::atomic<uint64_t> durable_ = 0;
};

Result<EraseReceipt> SegmentLog::Erase() {
  const std::lock_guard writer(writer_mutex_);
  EraseReceipt receipt;
  std::deque<std::shared_ptr<Segment>> gone;
  {
    const std::lock_guard lock(mutex_);
    if (active_->count() > 0) CloseActive();
    for (const BuilderPtr& block : closed_) receipt.events += block->count();
    receipt.last = next_ - 1;
    receipt.first = !segments_.empty() ? segments_.front()->first
                    : !closed_.empty() ? closed_.front()->first
                                       : 0;
    gone = segments_;
    identity_.next = next_;
  }
  // First the new identity: from here on a start finishes it.
  identity_.first_segment = writer_.next_segment();
  receipt.key_destroyed = identity_.log_key.has_value();
  if (receipt.key_destroyed) identity_.log_key = crypto::Secret32::Generate(random_);
  writer_.Begin(identity_, identity_.first_segment);
  unsaved_ = true;
  FERRY_TRY(SaveChangedIdentity());
  {
    const std::lock_guard lock(mutex_);
    segments_.clear();
    // Events that came meanwhile stay, and they alone.
    std::erase_if(closed_, [this](const auto& block) { return block->first < identity_.next; });
    stats_.waiting_bytes = active_->charge();
    for (const BuilderPtr& block : closed_) stats_.waiting_bytes += block->charge();
    durable_ = identity_.next - 1;
  }
  for (const auto& segment : gone) {
    FERRY_TRY(fs_.Remove(segment->path));
    ++receipt.segments;
    receipt.bytes += segment->end;
    receipt.events += segment->events;
  }
  FERRY_TRY(fs_.SyncDirectory(options_.directory));
  if (receipt.events == 0) receipt.first = receipt.last = 0;
  receipt.erased_ms = clock_.NowUnixMs();
  return receipt;
}

}  // namespace

Result<std::unique_ptr<Log>> Log::Open(sys::FileSystem& fs, sys::Clock& clock, sys::Random& random,
                                       const LogOptions& options) {
  auto log = std::make_unique<SegmentLog>(fs, clock, random, options);
  FERRY_TRY(log->Start().Context("log {}", options.directory));
  return std::unique_ptr<Log>(std::move(log));
}

}  // namespace ferry::log
