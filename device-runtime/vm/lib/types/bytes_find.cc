// Methods of bytes and bytearray that look for parts: count, find, index, replace, split,
// partition, strip, startswith ...
#include <algorithm>

#include "device-runtime/vm/exec/collections/buffer.h"
#include "device-runtime/vm/lib/method.h"
#include "device-runtime/vm/lib/types/bytes.h"

namespace ferry::vm {
namespace {

constexpr size_t kNone = std::string_view::npos;

// An optional bound of a search.
bool Bound(Vm& vm, const Args& args, uint32_t i, int64_t missing, int64_t length, int64_t* out) {
  *out = missing;
  if (args.count <= i || args[i].IsNone()) return true;
  if (!IsInt(args[i]) && vm.FindInClass(vm.ClassOf(args[i]), vm.names.index).empty()) {
    vm.Raise(Error::kTypeError,
             "slice indices must be integers or None or have an __index__ method");
    return false;
  }
  if (!vm.ToIndex(args[i], out, "index", true)) return false;
  if (*out < 0) *out = std::max<int64_t>(*out + length, 0);
  return true;
}

struct Range {
  int64_t start, end;
};
bool Bounds(Vm& vm, const Args& args, uint32_t first, Range* out) {
  return Bound(vm, args, first, 0, static_cast<int64_t>(BytesSelf(args).size()), &out->start) &&
         Bound(vm, args, first + 1, INT64_MAX, static_cast<int64_t>(BytesSelf(args).size()),
               &out->end);
}

// self[start:end] and where it begins. Scripts may run while bounds and needles are read, so this
// comes last. *inside false when start is past the end; false: reported.
bool Window(Vm& vm, const Args& args, Range range, std::string_view* out, size_t* at,
            bool* inside) {
  const std::string_view self = BytesSelf(args);
  const auto size = static_cast<int64_t>(self.size());
  const int64_t end = std::min(range.end, size);
  *inside = range.start <= size && range.start <= end;
  *at = static_cast<size_t>(std::min(range.start, size));
  *out = *inside ? self.substr(*at, static_cast<size_t>(end) - *at) : std::string_view();
  return vm.ChargeSteps(static_cast<int64_t>(out->size() / 32));
}

struct Needle {
  std::string copy;
  std::string_view view;
  char byte;
};
// Bytes-like or an int.
bool Find(Vm& vm, Value v, Needle* needle) {
  if (IsBytesLike(v)) return BytesOf(vm, v, &needle->copy, &needle->view);
  if (!IsInt(v) && vm.FindInClass(vm.ClassOf(v), vm.names.index).empty()) {
    vm.Throw(Error::kTypeError, "argument should be integer or bytes-like object, not '{}'",
             vm.TypeName(v));
    return false;
  }
  needle->view = {&needle->byte, 1};
  return ToByte(vm, v, "byte must be in range(0, 256)", &needle->byte);
}

// What is sought and where: these count their arguments as functions do.
bool Takes(Vm& vm, const Args& args, const char* name) {
  if (args.keywords() == 0 && args.count >= 2 && args.count <= 4) return true;
  if (args.keywords() > 0) {
    vm.Throw(Error::kTypeError, "{}.{}() takes no keyword arguments", vm.TypeName(args[0]), name);
  } else {
    vm.Throw(Error::kTypeError, "{}() takes at {} ({} given)", name,
             args.count < 2 ? "least 1 argument" : "most 3 arguments", args.count - 1);
  }
  return false;
}

bool Search(Vm& vm, Args& args, const char* name, bool last, int64_t* found) {
  Needle needle;
  Range range;
  std::string_view window;
  size_t at;
  bool inside;
  if (!Takes(vm, args, name) || !Bounds(vm, args, 2, &range) || !Find(vm, args[1], &needle) ||
      !Window(vm, args, range, &window, &at, &inside))
    return false;
  const size_t place = !inside ? kNone
                       : last  ? window.rfind(needle.view)
                               : window.find(needle.view);
  *found = place == kNone ? -1 : static_cast<int64_t>(at + place);
  return true;
}
Value FindOf(Vm& vm, Args& args) {
  int64_t at;
  return Search(vm, args, "find", false, &at) ? vm.NewInt(at) : Value();
}
Value RFind(Vm& vm, Args& args) {
  int64_t at;
  return Search(vm, args, "rfind", true, &at) ? vm.NewInt(at) : Value();
}
Value IndexOf(Vm& vm, Args& args) {
  int64_t at;
  if (!Search(vm, args, "index", false, &at)) return Value();
  return at < 0 ? vm.Raise(Error::kValueError, "subsection not found") : vm.NewInt(at);
}
Value RIndex(Vm& vm, Args& args) {
  int64_t at;
  if (!Search(vm, args, "rindex", true, &at)) return Value();
  return at < 0 ? vm.Raise(Error::kValueError, "subsection not found") : vm.NewInt(at);
}

Value Count(Vm& vm, Args& args) {
  Needle needle;
  Range range;
  std::string_view window;
  size_t at;
  bool inside;
  if (!Takes(vm, args, "count") || !Bounds(vm, args, 2, &range) || !Find(vm, args[1], &needle) ||
      !Window(vm, args, range, &window, &at, &inside))
    return Value();
  if (!inside) return Value::SmallInt(0);
  if (needle.view.empty()) return vm.NewInt(static_cast<int64_t>(window.size()) + 1);
  int64_t count = 0;
  for (size_t i = window.find(needle.view); i != kNone;
       i = window.find(needle.view, i + needle.view.size()))
    ++count;
  return vm.NewInt(count);
}

Value Ends(Vm& vm, Args& args, bool end) {
  const char* name = end ? "endswith" : "startswith";
  Range range;
  std::string_view window;
  size_t at;
  bool inside;
  if (!Takes(vm, args, name) || !Bounds(vm, args, 2, &range) ||
      !Window(vm, args, range, &window, &at, &inside))
    return Value();
  const bool tuple = Is(args[1], Type::kTuple);
  const uint32_t count = tuple ? As<Tuple>(args[1])->size : 1;
  for (uint32_t i = 0; i < count; ++i) {
    Value part = tuple ? As<Tuple>(args[1])->items[i] : args[1];
    if (!IsBytesLike(part)) {
      if (tuple)
        return vm.Throw(Error::kTypeError, "a bytes-like object is required, not '{}'",
                        vm.TypeName(part));
      return vm.Throw(Error::kTypeError, "{} first arg must be bytes or a tuple of bytes, not {}",
                      name, vm.TypeName(part));
    }
    std::string copy;
    std::string_view bytes;
    if (!BytesOf(vm, part, &copy, &bytes)) return Value();
    if (inside && (end ? window.ends_with(bytes) : window.starts_with(bytes)))
      return Value::Bool(true);
  }
  return Value::Bool(false);
}
Value StartsWith(Vm& vm, Args& args) {
  return Ends(vm, args, false);
}
Value EndsWith(Vm& vm, Args& args) {
  return Ends(vm, args, true);
}

Value Replace(Vm& vm, Args& args) {
  std::string copy_from, copy_to;
  std::string_view from, to;
  int64_t most = -1;
  if (!ExpectMethod(vm, args, "replace", 2, 3) ||
      (args.count == 4 && !vm.ToIndex(args[3], &most, "count", true)) ||
      !BytesOf(vm, args[1], &copy_from, &from) || !BytesOf(vm, args[2], &copy_to, &to))
    return Value();
  const std::string_view self = BytesSelf(args);
  if (!vm.ChargeSteps(static_cast<int64_t>(self.size() / 16))) return Value();
  auto left = most < 0 ? UINT64_MAX : static_cast<uint64_t>(most);
  const auto limit = static_cast<size_t>(LargestBytes(vm));
  std::string out;
  size_t at = 0;
  while (left > 0) {
    const size_t next = from.empty() ? at : self.find(from, at);
    if (next == kNone || next > self.size()) break;
    if (from.empty() && at == self.size()) {
      out += to;
      break;
    }
    out += self.substr(at, next - at);
    out += to;
    at = next + from.size();
    if (from.empty()) out.push_back(self[at++]);
    --left;
    if (out.size() > limit) return vm.TooLarge();
    if (!vm.Scratch(3 * out.size())) return Value();
    if (from.empty() && at == self.size() && left > 0) {
      out += to;
      break;
    }
  }
  if (at < self.size()) out += self.substr(at);
  return vm.ChargeSteps(static_cast<int64_t>(out.size() / 32)) ? NewBytesLike(vm, args[0], out)
                                                               : Value();
}

Value Partition(Vm& vm, Args& args, bool last) {
  std::string copy;
  std::string_view separator;
  if (!ExpectMethod(vm, args, last ? "rpartition" : "partition", 1, 1) ||
      !BytesOf(vm, args[1], &copy, &separator))
    return Value();
  if (separator.empty()) return vm.Raise(Error::kValueError, "empty separator");
  const std::string_view self = BytesSelf(args);
  if (!vm.ChargeSteps(static_cast<int64_t>(self.size() / 32))) return Value();
  const size_t at = last ? self.rfind(separator) : self.find(separator);
  std::string_view parts[3] = {self, "", ""};
  if (at != kNone) {
    parts[0] = self.substr(0, at);
    parts[1] = separator;
    parts[2] = self.substr(at + separator.size());
  } else if (last) {
    std::swap(parts[0], parts[2]);
  }
  Value out[3];
  for (int i = 0; i < 3; ++i)
    if ((out[i] = NewBytesLike(vm, args[0], parts[i])).empty()) return Value();
  return vm.NewTuple(out, 3);
}
Value PartitionFirst(Vm& vm, Args& args) {
  return Partition(vm, args, false);
}
Value PartitionLast(Vm& vm, Args& args) {
  return Partition(vm, args, true);
}

Value Strip(Vm& vm, Args& args, const char* name, bool left, bool right) {
  std::string copy;
  std::string_view set = kBytesSpace;
  if (!ExpectMethod(vm, args, name, 0, 1) ||
      (args.count == 2 && !args[1].IsNone() && !BytesOf(vm, args[1], &copy, &set)))
    return Value();
  std::string_view self = BytesSelf(args);
  if (!vm.ChargeSteps(static_cast<int64_t>(self.size() / 32))) return Value();
  const size_t first = left ? self.find_first_not_of(set) : 0;
  self = first == kNone ? std::string_view() : self.substr(first);
  const size_t last = right ? self.find_last_not_of(set) + 1 : self.size();
  return NewBytesLike(vm, args[0], self.substr(0, last));
}
Value StripBoth(Vm& vm, Args& args) {
  return Strip(vm, args, "strip", true, true);
}
Value StripLeft(Vm& vm, Args& args) {
  return Strip(vm, args, "lstrip", true, false);
}
Value StripRight(Vm& vm, Args& args) {
  return Strip(vm, args, "rstrip", false, true);
}

Value Remove(Vm& vm, Args& args, bool suffix) {
  std::string copy;
  std::string_view part;
  if (!ExpectMethod(vm, args, suffix ? "removesuffix" : "removeprefix", 1, 1) ||
      !BytesOf(vm, args[1], &copy, &part))
    return Value();
  std::string_view self = BytesSelf(args);
  if (suffix ? self.ends_with(part) : self.starts_with(part))
    self = suffix ? self.substr(0, self.size() - part.size()) : self.substr(part.size());
  return NewBytesLike(vm, args[0], self);
}
Value RemovePrefix(Vm& vm, Args& args) {
  return Remove(vm, args, false);
}
Value RemoveSuffix(Vm& vm, Args& args) {
  return Remove(vm, args, true);
}

constexpr BuiltinRow kRows[] = {{"count", Count},
                                {"endswith", EndsWith},
                                {"find", FindOf},
                                {"index", IndexOf},
                                {"lstrip", StripLeft},
                                {"partition", PartitionFirst},
                                {"removeprefix", RemovePrefix},
                                {"removesuffix", RemoveSuffix},
                                {"replace", Replace},
                                {"rfind", RFind},
                                {"rindex", RIndex},
                                {"rpartition", PartitionLast},
                                {"rstrip", StripRight},
                                {"startswith", StartsWith},
                                {"strip", StripBoth}};

}  // namespace

bool InstallBytesFind(Vm& vm) {
  return AddMethods(vm, vm.classes[static_cast<int>(Type::kBytes)], kRows) &&
         AddMethods(vm, vm.classes[static_cast<int>(Type::kByteArray)], kRows);
}

}  // namespace ferry::vm
