// Methods of str that pad, trim or replace single characters.
#include <algorithm>

#include "device-runtime/vm/lib/lib.h"
#include "device-runtime/vm/lib/types/str_arguments.h"
#include "device-runtime/vm/text/builder.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {
namespace {

// A set of characters: ASCII ones in a bitmap.
class CharacterSet {
 public:
  explicit CharacterSet(std::string_view members) : members_(members) {
    for (char c : members)
      if (static_cast<unsigned char>(c) < 128) bits_[(c >> 6) & 1] |= uint64_t{1} << (c & 63);
  }
  bool Has(std::string_view one) const {
    const auto c = static_cast<unsigned char>(one[0]);
    if (c < 128) return (bits_[c >> 6] >> (c & 63) & 1) != 0;
    return members_.find(one) != std::string_view::npos;
  }

 private:
  std::string_view members_;
  uint64_t bits_[2] = {};
};

size_t LastCharacter(std::string_view s) {
  size_t last = s.size() - 1;
  while (last > 0 && (static_cast<unsigned char>(s[last]) & 0xC0) == 0x80) --last;
  return last;
}

// Blanks at the ends of a text of ASCII.
Value StripAscii(Vm& vm, Value self, bool left, bool right) {
  const std::string_view s = Text(self);
  const auto blank = [](char c) { return c <= ' ' && ((c >= 9 && c <= 13) || c >= 0x1C); };
  size_t from = 0, to = s.size();
  while (left && from < to && blank(s[from])) ++from;
  while (right && from < to && blank(s[to - 1])) --to;
  if (to - from == s.size()) return PlainString(vm, self);
  return vm.ChargeSteps(static_cast<int64_t>((s.size() - (to - from)) / 4))
             ? vm.NewString(s.substr(from, to - from))
             : Value();
}

Value StripSides(Vm& vm, Args& args, const char* name, bool left, bool right) {
  if (!Positional(vm, args, name, 0, 1)) return Value();
  const bool given = args.count > 1 && !args[1].IsNone();
  if (!given && As<String>(args[0])->ascii()) return StripAscii(vm, args[0], left, right);
  if (given && !IsStr(args[1]))
    return vm.Throw(Error::kTypeError, "{} arg must be None or str", name);
  const CharacterSet set(given ? Text(args[1]) : std::string_view());
  const auto gone = [&](std::string_view one) {
    if (given) return set.Has(one);
    size_t at = 0;
    const auto c = static_cast<unsigned char>(one[0]);
    if (c > ' ' && c < 128) return false;
    return IsSpace(Utf8Next(one, &at));
  };
  std::string_view s = Text(args[0]);
  const size_t size = s.size();
  while (left && !s.empty() && gone(s.substr(0, Utf8Size(s[0])))) s.remove_prefix(Utf8Size(s[0]));
  while (right && !s.empty()) {
    const size_t last = LastCharacter(s);
    if (!gone(s.substr(last))) break;
    s = s.substr(0, last);
  }
  const size_t each = given ? Text(args[1]).size() / 16 + 1 : 1;
  if (!vm.ChargeSteps(static_cast<int64_t>((size - s.size()) * each / 4))) return Value();
  return s.size() == size ? PlainString(vm, args[0]) : vm.NewString(s);
}
Value Strip(Vm& vm, Args& args) {
  return StripSides(vm, args, "strip", true, true);
}
Value LStrip(Vm& vm, Args& args) {
  return StripSides(vm, args, "lstrip", true, false);
}
Value RStrip(Vm& vm, Args& args) {
  return StripSides(vm, args, "rstrip", false, true);
}

Value Padded(Vm& vm, std::string_view before, int64_t left, std::string_view body, int64_t right,
             std::string_view fill) {
  TextBuilder out(vm);
  if (left > static_cast<int64_t>(kMaxStringBytes) || right > static_cast<int64_t>(kMaxStringBytes))
    return vm.TooLarge();
  return out.Append(before) && out.Fill(fill, static_cast<size_t>(left)) && out.Append(body) &&
                 out.Fill(fill, static_cast<size_t>(right))
             ? out.ToString()
             : Value();
}

Value Justify(Vm& vm, Args& args, const char* name, char align) {
  int64_t width;
  if (!Positional(vm, args, name, 1, 2) || !vm.ToIndex(args[1], &width, "width")) return Value();
  std::string_view fill = " ";
  if (args.count > 2) {
    if (!IsStr(args[2]))
      return vm.Throw(Error::kTypeError, "The fill character must be a unicode character, not {}",
                      vm.TypeName(args[2]));
    fill = Text(args[2]);
    if (As<String>(args[2])->length != 1)
      return vm.Raise(Error::kTypeError, "The fill character must be exactly one character long");
  }
  const int64_t room = width - As<String>(args[0])->length;
  if (room <= 0) return PlainString(vm, args[0]);
  const int64_t left = align == '<' ? 0 : align == '^' ? room / 2 + (room & width & 1) : room;
  return Padded(vm, "", left, Text(args[0]), room - left, fill);
}
Value LJust(Vm& vm, Args& args) {
  return Justify(vm, args, "ljust", '<');
}
Value RJust(Vm& vm, Args& args) {
  return Justify(vm, args, "rjust", '>');
}
Value Center(Vm& vm, Args& args) {
  return Justify(vm, args, "center", '^');
}

Value ZFill(Vm& vm, Args& args) {
  int64_t width;
  if (!OneArgument(vm, args, "str.zfill") || !vm.ToIndex(args[1], &width, "width")) return Value();
  const int64_t room = width - As<String>(args[0])->length;
  if (room <= 0) return PlainString(vm, args[0]);
  const std::string_view s = Text(args[0]);
  const size_t sign = !s.empty() && (s[0] == '-' || s[0] == '+') ? 1 : 0;
  return Padded(vm, s.substr(0, sign), room, s.substr(sign), 0, "0");
}

Value ExpandTabs(Vm& vm, Args& args) {
  Value bound[1];
  static constexpr const char* kNames[] = {"tabsize"};
  int64_t size = 8;
  if (!Named(vm, args, "expandtabs", kNames, 0, bound) ||
      (!bound[0].empty() && !vm.ToIndex(bound[0], &size, "tabsize")))
    return Value();
  if (size < INT32_MIN || size > INT32_MAX)
    return vm.Raise(Error::kOverflowError, "Python int too large to convert to C int");
  const std::string_view s = Text(args[0]);
  if (!vm.ChargeSteps(static_cast<int64_t>(s.size() / 16))) return Value();
  TextBuilder out(vm);
  int64_t column = 0;
  for (size_t at = 0; at < s.size();) {
    const size_t step = Utf8Size(s[at]);
    if (s[at] == '\t') {
      if (size > 0) {
        const int64_t blanks = size - column % size;
        if (!out.Fill(" ", static_cast<size_t>(blanks))) return Value();
        column += blanks;
      }
    } else {
      if (!out.Append(s.substr(at, step))) return Value();
      column = s[at] == '\n' || s[at] == '\r' ? 0 : column + 1;
    }
    at += step;
  }
  return out.ToString();
}

Value RemoveEdge(Vm& vm, Args& args, const char* method, const char* name, bool start) {
  std::string_view what;
  const std::string_view s = Text(args[0]);
  if (!OneArgument(vm, args, method) || !TextAt(vm, args, name, 1, &what)) return Value();
  if (!what.empty() && (start ? s.starts_with(what) : s.ends_with(what)))
    return vm.NewString(start ? s.substr(what.size()) : s.substr(0, s.size() - what.size()));
  return PlainString(vm, args[0]);
}
Value RemovePrefix(Vm& vm, Args& args) {
  return RemoveEdge(vm, args, "str.removeprefix", "removeprefix", true);
}
Value RemoveSuffix(Vm& vm, Args& args) {
  return RemoveEdge(vm, args, "str.removesuffix", "removesuffix", false);
}

constexpr BuiltinRow kRows[] = {{"center", Center},
                                {"expandtabs", ExpandTabs},
                                {"ljust", LJust},
                                {"lstrip", LStrip},
                                {"removeprefix", RemovePrefix},
                                {"removesuffix", RemoveSuffix},
                                {"rjust", RJust},
                                {"rstrip", RStrip},
                                {"strip", Strip},
                                {"zfill", ZFill}};

}  // namespace

bool InstallStr(Vm& vm) {
  return AddMethods(vm, vm.classes[static_cast<int>(Type::kString)], kRows);
}

}  // namespace ferry::vm
