// bytes.split, rsplit, splitlines, join.
#include <algorithm>

#include "device-runtime/vm/exec/collections/buffer.h"
#include "device-runtime/vm/lib/method.h"
#include "device-runtime/vm/lib/types/bytes.h"

namespace ferry::vm {
namespace {

constexpr size_t kNone = std::string_view::npos;

bool IsSpaceByte(char c) {
  return kBytesSpace.find(c) != kNone;
}

// Collects parts; from the right, they are turned round at the end.
struct Parts {
  Vm& vm;
  Value like;
  Value list;
  bool Add(std::string_view part) {
    Value v = NewBytesLike(vm, like, part);
    return !v.empty() && vm.ChargeSteps(1) && vm.Append(As<List>(list), v);
  }
};

bool SplitSpace(Parts* parts, std::string_view self, uint64_t most, bool right) {
  while (true) {
    while (!self.empty() && IsSpaceByte(right ? self.back() : self.front()))
      right ? self.remove_suffix(1) : self.remove_prefix(1);
    if (self.empty()) return true;
    if (most-- == 0) {
      return parts->Add(self);
    }
    size_t size = 0;
    while (size < self.size() && !IsSpaceByte(right ? self[self.size() - 1 - size] : self[size]))
      ++size;
    if (!parts->Add(right ? self.substr(self.size() - size) : self.substr(0, size))) return false;
    right ? self.remove_suffix(size) : self.remove_prefix(size);
  }
}

bool SplitBy(Parts* parts, std::string_view self, std::string_view by, uint64_t most, bool right) {
  for (; most > 0; --most) {
    const size_t at = right ? self.rfind(by) : self.find(by);
    if (at == kNone) break;
    if (!parts->Add(right ? self.substr(at + by.size()) : self.substr(0, at))) return false;
    self = right ? self.substr(0, at) : self.substr(at + by.size());
  }
  return parts->Add(self);
}

Value SplitOf(Vm& vm, Args& args, bool right) {
  static constexpr const char* kNames[] = {"sep", "maxsplit"};
  Value bound[2];
  int64_t most = -1;
  if (!BindMethod(vm, args, right ? "rsplit" : "split", kNames, 0, 2, bound) ||
      (!bound[1].empty() && !vm.ToIndex(bound[1], &most, "maxsplit", true)))
    return Value();
  const auto limit = most < 0 ? UINT64_MAX : static_cast<uint64_t>(most);
  Parts parts{vm, args[0], vm.NewList(nullptr, 0)};
  if (parts.list.empty()) return Value();
  bool ok;
  if (bound[0].empty() || bound[0].IsNone()) {
    ok = vm.ChargeSteps(static_cast<int64_t>(BytesSelf(args).size() / 16)) &&
         SplitSpace(&parts, BytesSelf(args), limit, right);
  } else {
    std::string copy;
    std::string_view by;
    if (!BytesOf(vm, bound[0], &copy, &by)) return Value();
    if (by.empty()) return vm.Raise(Error::kValueError, "empty separator");
    ok = vm.ChargeSteps(static_cast<int64_t>(BytesSelf(args).size() / 32)) &&
         SplitBy(&parts, BytesSelf(args), by, limit, right);
  }
  if (!ok) return Value();
  auto* list = As<List>(parts.list);
  if (right) std::reverse(list->items, list->items + list->size);
  return parts.list;
}
Value Split(Vm& vm, Args& args) {
  return SplitOf(vm, args, false);
}
Value RSplit(Vm& vm, Args& args) {
  return SplitOf(vm, args, true);
}

Value SplitLines(Vm& vm, Args& args) {
  static constexpr const char* kNames[] = {"keepends"};
  Value bound[1];
  bool keep = false;
  if (!BindMethod(vm, args, "splitlines", kNames, 0, 1, bound) ||
      (!bound[0].empty() && !vm.Truth(bound[0], &keep)))
    return Value();
  Parts parts{vm, args[0], vm.NewList(nullptr, 0)};
  const std::string_view self = BytesSelf(args);
  if (parts.list.empty() || !vm.ChargeSteps(static_cast<int64_t>(self.size() / 32))) return Value();
  for (size_t at = 0; at < self.size();) {
    const size_t end = std::min(self.find_first_of("\r\n", at), self.size());
    size_t next = std::min(end + 1, self.size());
    if (end + 1 < self.size() && self[end] == '\r' && self[end + 1] == '\n') ++next;
    if (!parts.Add(self.substr(at, (keep ? next : end) - at))) return Value();
    at = next;
  }
  return parts.list;
}

Value Join(Vm& vm, Args& args) {
  if (!ExpectMethod(vm, args, "join", 1, 1)) return Value();
  Roots roots(vm);
  Value it = vm.Iterate(args[1]);
  if (it.empty()) {
    if (vm.TakePending(Error::kTypeError)) vm.Raise(Error::kTypeError, "can only join an iterable");
    return Value();
  }
  Value list = vm.ToList(roots.Add(it));
  if (list.empty()) return list;
  roots.Add(list);
  std::string out;
  const auto limit = static_cast<size_t>(LargestBytes(vm));
  const auto* items = As<List>(list);
  for (uint32_t i = 0; i < items->size; ++i) {
    std::string copy;
    std::string_view part;
    if (!IsBytesLike(items->items[i]))
      return vm.Throw(Error::kTypeError, "sequence item {}: expected a bytes-like object, {} found",
                      i, vm.TypeName(items->items[i]));
    if (!BytesOf(vm, items->items[i], &copy, &part)) return Value();
    if (i > 0) out += BytesSelf(args);
    out += part;
    if (out.size() > limit) return vm.TooLarge();
    if (!vm.Scratch(3 * out.size()) || !vm.ChargeSteps(1 + static_cast<int64_t>(part.size() / 64)))
      return Value();
  }
  return NewBytesLike(vm, args[0], out);
}

constexpr BuiltinRow kRows[] = {
    {"join", Join, true}, {"rsplit", RSplit}, {"split", Split}, {"splitlines", SplitLines}};

}  // namespace

bool InstallBytesSplit(Vm& vm) {
  return AddMethods(vm, vm.classes[static_cast<int>(Type::kBytes)], kRows) &&
         AddMethods(vm, vm.classes[static_cast<int>(Type::kByteArray)], kRows);
}

}  // namespace ferry::vm
