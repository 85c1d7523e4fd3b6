#include "device-runtime/api/support/handles.h"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

#include "common/base/log.h"

namespace ferry::api {
namespace {

// A handle is, from its highest bit: how often its slot was used before, the slot, its type.
constexpr int kKindBits = 4;
constexpr int kSlotBits = 20;
static_assert(kMaxHandles <= size_t{1} << kSlotBits);

struct Slot {
  std::shared_ptr<void> object;
  uint64_t uses = 1;  // so that no handle is 0
  uint64_t forks = 0;
  HandleKind kind = {0, ""};
  bool closing = false;
};

// Never destroyed: apps may close their handles in destructors of static objects.
struct Table {
  std::deque<std::shared_mutex> mutexes = std::deque<std::shared_mutex>(1);  // one a fork
  std::shared_mutex* mutex = &mutexes.back();
  std::deque<Slot> slots;
  std::vector<size_t> free;
  std::atomic<uint64_t> forks = 0;  // between the process that loaded the library and this one
};

Table& TheTable();

// In the child of a fork. A lock that is held for writing belongs to the parent's thread, which the
// child's is not: it gets another, at another place, since tools that watch locks go by addresses.
void StartAnew() {
  Table& table = TheTable();
  table.mutex = &table.mutexes.emplace_back();
  table.forks.fetch_add(1);
}

Table& TheTable() {
  static Table& table = *new Table();
  static const int registered = pthread_atfork([] { TheTable().mutex->lock(); },
                                               [] { TheTable().mutex->unlock(); }, StartAnew);
  (void)registered;
  return table;
}

int& CallbackDepth() {
  thread_local int depth = 0;
  return depth;
}

uint64_t NumberOf(const Slot& slot, size_t index) {
  return slot.uses << (kSlotBits + kKindBits) | uint64_t{index} << kKindBits | slot.kind.number;
}

// With the table's lock held.
Status FindSlot(Table& table, HandleKind kind, const void* handle, const char* argument,
                Slot** out) {
  const auto number = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(handle));
  if (number == 0) return Status::Of(Code::kInvalidArgument, "{} is NULL", argument);
  const size_t index = number >> kKindBits & ((uint64_t{1} << kSlotBits) - 1);
  if (index >= table.slots.size())
    return Status::Of(Code::kInvalidArgument, "{} is no {}", argument, kind.name);
  Slot& slot = table.slots[index];
  if (slot.object == nullptr || NumberOf(slot, index) != number) {
    return Status::Of(Code::kInvalidArgument, "{} is no {}, or was closed", argument, kind.name);
  }
  if (slot.kind.number != kind.number) {
    return Status::Of(Code::kInvalidArgument, "{} is a {}, not a {}", argument, slot.kind.name,
                      kind.name);
  }
  if (slot.forks != table.forks.load(std::memory_order_relaxed)) {
    return Status::Of(Code::kFailedPrecondition,
                      "{} was opened before this process forked: open it here", argument);
  }
  if (slot.closing && CallbackDepth() == 0)
    return Status::Of(Code::kInvalidArgument, "{} is being closed", argument);
  *out = &slot;
  return OkStatus();
}

}  // namespace

uintptr_t AddHandle(HandleKind kind, std::shared_ptr<void> object) {
  Table& table = TheTable();
  const std::unique_lock lock(*table.mutex);
  size_t index = table.slots.size();
  if (!table.free.empty()) {
    index = table.free.back();
    table.free.pop_back();
  } else if (index == kMaxHandles) {
    return 0;
  } else {
    table.slots.emplace_back();
  }
  Slot& slot = table.slots[index];
  slot.object = std::move(object);
  slot.kind = kind;
  slot.forks = table.forks.load();
  slot.closing = false;
  return static_cast<uintptr_t>(NumberOf(slot, index));
}

Status FindHandle(HandleKind kind, const void* handle, const char* argument,
                  std::shared_ptr<void>* object) {
  Table& table = TheTable();
  const std::shared_lock lock(*table.mutex);
  Slot* slot = nullptr;
  FERRY_TRY(FindSlot(table, kind, handle, argument, &slot));
  *object = slot->object;
  return OkStatus();
}

Status TakeHandle(HandleKind kind, const void* handle, const char* argument,
                  std::shared_ptr<void>* object) {
  Table& table = TheTable();
  const std::unique_lock lock(*table.mutex);
  const int depth = std::exchange(CallbackDepth(), 1);  // what is being closed is found, too
  Slot* slot = nullptr;
  const Status found = FindSlot(table, kind, handle, argument, &slot);
  CallbackDepth() = depth;
  FERRY_TRY(found);
  *object = std::move(slot->object);
  slot->object = nullptr;
  ++slot->uses;
  table.free.push_back(
      static_cast<size_t>(reinterpret_cast<uintptr_t>(handle) >> kKindBits & (kMaxHandles - 1)));
  return OkStatus();
}

Status StartClosingHandle(HandleKind kind, const void* handle, const char* argument,
                          std::shared_ptr<void>* object) {
  if (CallbackDepth() > 0) {
    LogError("api", "a {} was closed inside a callback, which it would wait for: it stays",
             kind.name);
    return Status(Code::kFailedPrecondition, "inside a callback");
  }
  Table& table = TheTable();
  {
    const std::unique_lock lock(*table.mutex);
    Slot* slot = nullptr;
    FERRY_TRY(FindSlot(table, kind, handle, argument, &slot));
    slot->closing = true;
    *object = slot->object;
  }
  // The slot and `object` have it; calls that found it before are on their way out.
  constexpr int64_t kOwners = 2;
  constexpr auto kPause = std::chrono::milliseconds(1);
  while (object->use_count() > kOwners) std::this_thread::sleep_for(kPause);
  return OkStatus();
}

CallbackScope::CallbackScope() {
  ++CallbackDepth();
}
CallbackScope::~CallbackScope() {
  --CallbackDepth();
}

}  // namespace ferry::api
