// Methods of bytes and bytearray on ASCII letters, and those that pad and translate.
#include <algorithm>

#include "device-runtime/vm/exec/collections/buffer.h"
#include "device-runtime/vm/lib/method.h"
#include "device-runtime/vm/lib/types/bytes.h"

namespace ferry::vm {
namespace {

bool Upper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool Lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool Letter(char c) {
  return Upper(c) || Lower(c);
}
bool Digit(char c) {
  return c >= '0' && c <= '9';
}
char ToUpper(char c) {
  return Lower(c) ? static_cast<char>(c - 32) : c;
}
char ToLower(char c) {
  return Upper(c) ? static_cast<char>(c + 32) : c;
}

// `change` gets each byte, the one before and its place.
Value Changed(Vm& vm, Args& args, const char* name, char (*change)(char, char, size_t)) {
  if (!ExpectMethod(vm, args, name, 0, 0) ||
      !vm.ChargeSteps(static_cast<int64_t>(BytesSelf(args).size() / 32)) ||
      !vm.Scratch(2 * BytesSelf(args).size()))
    return Value();
  std::string out(BytesSelf(args));
  char before = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    const char c = out[i];
    out[i] = change(c, before, i);
    before = c;
  }
  return NewBytesLike(vm, args[0], out);
}
Value LowerOf(Vm& vm, Args& args) {
  return Changed(vm, args, "lower", [](char c, char, size_t) { return ToLower(c); });
}
Value UpperOf(Vm& vm, Args& args) {
  return Changed(vm, args, "upper", [](char c, char, size_t) { return ToUpper(c); });
}
Value SwapCase(Vm& vm, Args& args) {
  return Changed(vm, args, "swapcase",
                 [](char c, char, size_t) { return Upper(c) ? ToLower(c) : ToUpper(c); });
}
Value Capitalize(Vm& vm, Args& args) {
  return Changed(vm, args, "capitalize",
                 [](char c, char, size_t i) { return i == 0 ? ToUpper(c) : ToLower(c); });
}
Value Title(Vm& vm, Args& args) {
  return Changed(vm, args, "title", [](char c, char before, size_t) {
    return Letter(before) ? ToLower(c) : ToUpper(c);
  });
}

Value All(Vm& vm, Args& args, const char* name, bool empty, bool (*accept)(char)) {
  const std::string_view self = BytesSelf(args);
  if (!ExpectMethod(vm, args, name, 0, 0) ||
      !vm.ChargeSteps(static_cast<int64_t>(self.size() / 32)))
    return Value();
  return Value::Bool(self.empty() ? empty : std::all_of(self.begin(), self.end(), accept));
}
Value IsAlnum(Vm& vm, Args& args) {
  return All(vm, args, "isalnum", false, [](char c) { return Letter(c) || Digit(c); });
}
Value IsAlpha(Vm& vm, Args& args) {
  return All(vm, args, "isalpha", false, Letter);
}
Value IsAscii(Vm& vm, Args& args) {
  return All(vm, args, "isascii", true, [](char c) { return (c & 0x80) == 0; });
}
Value IsDigit(Vm& vm, Args& args) {
  return All(vm, args, "isdigit", false, Digit);
}
Value IsSpace(Vm& vm, Args& args) {
  return All(vm, args, "isspace", false,
             [](char c) { return kBytesSpace.find(c) != std::string_view::npos; });
}
Value Cased(Vm& vm, Args& args, const char* name, bool upper) {
  const std::string_view self = BytesSelf(args);
  if (!ExpectMethod(vm, args, name, 0, 0) ||
      !vm.ChargeSteps(static_cast<int64_t>(self.size() / 32)))
    return Value();
  return Value::Bool(std::any_of(self.begin(), self.end(), Letter) &&
                     std::none_of(self.begin(), self.end(), upper ? Lower : Upper));
}
Value IsUpper(Vm& vm, Args& args) {
  return Cased(vm, args, "isupper", true);
}
Value IsLower(Vm& vm, Args& args) {
  return Cased(vm, args, "islower", false);
}
Value IsTitle(Vm& vm, Args& args) {
  if (!ExpectMethod(vm, args, "istitle", 0, 0)) return Value();
  bool any = false, in_word = false;
  for (char c : BytesSelf(args)) {
    if ((Upper(c) && in_word) || (Lower(c) && !in_word)) return Value::Bool(false);
    in_word = Letter(c);
    any = any || in_word;
  }
  return Value::Bool(any);
}

Value Pad(Vm& vm, Args& args, const char* name, int side) {
  int64_t width;
  char fill = ' ';
  if (!ExpectMethod(vm, args, name, 1, 2) || !vm.ToIndex(args[1], &width, "width")) return Value();
  if (args.count == 3) {
    if (!IsBytes(args[2]) || BytesSelf({args.args + 2, 1}).size() != 1)
      return vm.Throw(Error::kTypeError,
                      "{}() argument 2 must be a byte string of length 1, not {}", name,
                      args[2].IsNone() ? "None" : vm.TypeName(args[2]));
    fill = BytesSelf({args.args + 2, 1})[0];
  }
  const std::string_view self = BytesSelf(args);
  const auto size = static_cast<int64_t>(self.size());
  if (width <= size) return NewBytesLike(vm, args[0], self);
  if (width > LargestBytes(vm)) return vm.TooLarge();
  if (!vm.ChargeSteps(width / 64) || !vm.Scratch(4 * static_cast<size_t>(width))) return Value();
  const int64_t room = width - size;
  const int64_t left = side < 0 ? 0 : side > 0 ? room : room / 2 + (room & width & 1);
  return NewBytesLike(vm, args[0],
                      std::string(static_cast<size_t>(left), fill) + std::string(self) +
                          std::string(static_cast<size_t>(room - left), fill));
}
Value Center(Vm& vm, Args& args) {
  return Pad(vm, args, "center", 0);
}
Value LeftJustify(Vm& vm, Args& args) {
  return Pad(vm, args, "ljust", -1);
}
Value RightJustify(Vm& vm, Args& args) {
  return Pad(vm, args, "rjust", 1);
}

Value ZFill(Vm& vm, Args& args) {
  int64_t width;
  if (!ExpectMethod(vm, args, "zfill", 1, 1) || !vm.ToIndex(args[1], &width, "width"))
    return Value();
  const std::string_view self = BytesSelf(args);
  const auto size = static_cast<int64_t>(self.size());
  if (width <= size) return NewBytesLike(vm, args[0], self);
  if (width > LargestBytes(vm)) return vm.TooLarge();
  const bool sign = !self.empty() && (self[0] == '+' || self[0] == '-');
  return vm.ChargeSteps(width / 64) && vm.Scratch(4 * static_cast<size_t>(width))
             ? NewBytesLike(vm, args[0],
                            std::string(self.substr(0, sign)) +
                                std::string(static_cast<size_t>(width - size), '0') +
                                std::string(self.substr(sign)))
             : Value();
}

Value ExpandTabs(Vm& vm, Args& args) {
  static constexpr const char* kNames[] = {"tabsize"};
  Value bound[1];
  int64_t size = 8;
  if (!BindMethod(vm, args, "expandtabs", kNames, 0, 1, bound) ||
      (!bound[0].empty() && !vm.ToIndex(bound[0], &size, "tabsize")))
    return Value();
  if (size < INT32_MIN || size > INT32_MAX)
    return vm.Raise(Error::kOverflowError, "Python int too large to convert to C int");
  std::string out;
  int64_t column = 0;
  for (char c : BytesSelf(args)) {
    const int64_t width = c != '\t' ? 1 : size > 0 ? size - column % size : 0;
    if (static_cast<int64_t>(out.size()) + width > LargestBytes(vm)) return vm.TooLarge();
    if (!vm.ChargeSteps(1 + width / 64) ||
        !vm.Scratch(3 * (out.size() + static_cast<size_t>(width))))
      return Value();
    out.append(static_cast<size_t>(width), c == '\t' ? ' ' : c);
    column = c == '\n' || c == '\r' ? 0 : column + width;
  }
  return NewBytesLike(vm, args[0], out);
}

Value Translate(Vm& vm, Args& args) {
  static constexpr const char* kNames[] = {"table", "delete"};
  Value bound[2];
  std::string copy_table, copy_gone;
  std::string_view table, gone;
  if (!BindMethod(vm, args, "translate", kNames, 1, 2, bound)) return Value();
  const bool plain = bound[0].IsNone();
  if (!plain && !BytesOf(vm, bound[0], &copy_table, &table)) return Value();
  if (!plain && table.size() != 256)
    return vm.Raise(Error::kValueError, "translation table must be 256 characters long");
  if (!bound[1].empty() && !BytesOf(vm, bound[1], &copy_gone, &gone)) return Value();
  if (!vm.Scratch(3 * BytesSelf(args).size())) return Value();
  bool drop[256] = {};
  for (char c : gone) drop[static_cast<unsigned char>(c)] = true;
  std::string out;
  for (char c : BytesSelf(args)) {
    const auto u = static_cast<unsigned char>(c);
    if (!drop[u]) out.push_back(plain ? c : table[u]);
  }
  return vm.ChargeSteps(static_cast<int64_t>(BytesSelf(args).size() / 32))
             ? NewBytesLike(vm, args[0], out)
             : Value();
}

Value MakeTrans(Vm& vm, Args& args) {
  std::string copy_from, copy_to;
  std::string_view from, to;
  if (!Expect(vm, args, "maketrans", 2, 2) || !BytesOf(vm, args[0], &copy_from, &from) ||
      !BytesOf(vm, args[1], &copy_to, &to))
    return Value();
  if (from.size() != to.size())
    return vm.Raise(Error::kValueError, "maketrans arguments must have same length");
  char table[256];
  for (int i = 0; i < 256; ++i) table[i] = static_cast<char>(i);
  for (size_t i = 0; i < from.size(); ++i) table[static_cast<unsigned char>(from[i])] = to[i];
  return vm.NewBytes({table, 256});
}

constexpr BuiltinRow kRows[] = {{"capitalize", Capitalize},
                                {"center", Center},
                                {"expandtabs", ExpandTabs},
                                {"isalnum", IsAlnum},
                                {"isalpha", IsAlpha},
                                {"isascii", IsAscii},
                                {"isdigit", IsDigit},
                                {"islower", IsLower},
                                {"isspace", IsSpace},
                                {"istitle", IsTitle},
                                {"isupper", IsUpper},
                                {"ljust", LeftJustify},
                                {"lower", LowerOf},
                                {"rjust", RightJustify},
                                {"swapcase", SwapCase},
                                {"title", Title},
                                {"translate", Translate},
                                {"upper", UpperOf},
                                {"zfill", ZFill}};

}  // namespace

bool InstallBytesCase(Vm& vm) {
  for (Type type : {Type::kBytes, Type::kByteArray}) {
    Class* cls = vm.classes[static_cast<int>(type)];
    if (!AddStaticMethod(vm, cls, "maketrans", MakeTrans) || !AddMethods(vm, cls, kRows))
      return false;
  }
  return true;
}

}  // namespace ferry::vm
