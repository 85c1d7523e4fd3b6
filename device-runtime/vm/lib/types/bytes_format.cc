// bytes % values: as for str, on bytes.
#include "device-runtime/vm/exec/collections/buffer.h"
#include "device-runtime/vm/number/bigint.h"

namespace ferry::vm {
namespace {

struct Formatter {
  Vm& vm;
  Value args;
  bool tuple;
  uint32_t next = 0;
  std::string out;

  bool Take(Value* v) {
    const uint32_t count = tuple ? As<Tuple>(args)->size : 1;
    if (next >= count) {
      vm.Raise(Error::kTypeError, "not enough arguments for format string");
      return false;
    }
    *v = tuple ? As<Tuple>(args)->items[next] : args;
    ++next;
    return true;
  }
};

// What %s and %b put: bytes-like objects and those with __bytes__.
bool PutBytes(Vm& vm, Value v, std::string* text) {
  if (IsBytesLike(v)) {
    std::string copy;
    std::string_view bytes;
    if (!BytesOf(vm, v, &copy, &bytes)) return false;
    *text = bytes;
    return true;
  }
  String* method = vm.Intern("__bytes__");
  bool found = false;
  Value result = method == nullptr ? Value() : vm.CallSpecial(v, method, nullptr, 0, &found);
  if (vm.failed()) return false;
  if (found && Is(result, Type::kBytes)) {
    *text = As<BytesObject>(result)->view();
    return true;
  }
  vm.Throw(Error::kTypeError,
           "%b requires a bytes-like object, or an object that implements __bytes__, not '{}'",
           vm.TypeName(v));
  return false;
}

bool PutByte(Vm& vm, Value v, std::string* text) {
  if (IsBytes(v)) {
    std::string copy;
    std::string_view bytes;
    if (!BytesOf(vm, v, &copy, &bytes)) return false;
    if (bytes.size() == 1) {
      *text = bytes;
      return true;
    }
  } else if (IsInt(v)) {
    int64_t i;
    if (IntToInt64(v, &i) && i >= 0 && i < 256) {
      text->assign(1, static_cast<char>(i));
      return true;
    }
    vm.Raise(Error::kOverflowError, "%c arg not in range(256)");
    return false;
  }
  vm.Raise(Error::kTypeError, "%c requires an integer in range(256) or a single byte");
  return false;
}

struct Spec {
  std::string flags;
  int64_t width = 0, precision = -1;
};

bool Number(Formatter* f, std::string_view s, size_t* i, int64_t* out) {
  if (*i < s.size() && s[*i] == '*') {
    Value v;
    ++*i;
    if (!f->Take(&v)) return false;
    if (!IsInt(v)) {
      f->vm.Raise(Error::kTypeError, "* wants int");
      return false;
    }
    return f->vm.ToIndex(v, out, "width");
  }
  *out = 0;
  for (; *i < s.size() && s[*i] >= '0' && s[*i] <= '9'; ++*i) {
    *out = *out * 10 + (s[*i] - '0');
    if (*out > INT32_MAX) {
      f->vm.Raise(Error::kValueError, "width too big");
      return false;
    }
  }
  return true;
}

bool Put(Formatter* f, char type, const Spec& spec, Value v, size_t at) {
  Vm& vm = f->vm;
  std::string text;
  switch (type) {
    case 'b':
    case 's':
      if (!PutBytes(vm, v, &text)) return false;
      if (spec.precision >= 0 && text.size() > static_cast<size_t>(spec.precision))
        text.resize(static_cast<size_t>(spec.precision));
      break;
    case 'c':
      if (!PutByte(vm, v, &text)) return false;
      break;
    default: {
      if (std::string_view("adiuoxXeEfFgGr").find(type) == std::string_view::npos) {
        vm.Throw(Error::kValueError, "unsupported format character '{}' (0x{:x}) at index {}", type,
                 static_cast<int>(static_cast<unsigned char>(type)), at);
        return false;
      }
      // The rest is ASCII: as str formats it.
      std::string form = "%" + spec.flags;
      if (spec.width > 0) form += std::to_string(spec.width);
      if (spec.precision >= 0) form += "." + std::to_string(spec.precision);
      form += type == 'r' ? 'a' : type;
      Value format = vm.NewString(form);
      Value pair = format.empty() ? format : vm.NewTuple(&v, 1);
      Value shown = pair.empty() ? pair : vm.PercentFormat(As<String>(format), pair);
      if (shown.empty()) return false;
      f->out += Text(shown);
      return true;
    }
  }
  const size_t room = spec.width > static_cast<int64_t>(text.size())
                          ? static_cast<size_t>(spec.width) - text.size()
                          : 0;
  const bool left = spec.flags.find('-') != std::string::npos;
  if (static_cast<int64_t>(room) > LargestBytes(vm)) {
    vm.TooLarge();
    return false;
  }
  if (!left) f->out.append(room, ' ');
  f->out += text;
  if (left) f->out.append(room, ' ');
  return vm.ChargeSteps(static_cast<int64_t>((room + text.size()) / 64));
}

}  // namespace

Value FormatBytes(Vm& vm, Value format, Value args) {
  std::string copy;
  std::string_view view;
  if (!BytesOf(vm, format, &copy, &view)) return Value();
  const std::string s(view);
  const bool keys = GivesKeys(vm, args) && !IsBytes(args);
  Formatter f{vm, args, Is(args, Type::kTuple), 0, {}};
  Roots roots(vm);
  for (size_t i = 0; i < s.size(); ++i) {
    if (s[i] != '%') {
      f.out.push_back(s[i]);
      continue;
    }
    if (++i >= s.size()) return vm.Raise(Error::kValueError, "incomplete format");
    if (s[i] == '%') {
      f.out.push_back('%');
      continue;
    }
    Value v;
    if (s[i] == '(') {
      const size_t end = s.find(')', i);
      if (!keys) return vm.Raise(Error::kTypeError, "format requires a mapping");
      if (end == std::string::npos) return vm.Raise(Error::kValueError, "incomplete format key");
      Value key = vm.NewBytes(std::string_view(s).substr(i + 1, end - i - 1));
      v = key.empty() ? key : roots.Add(vm.Index(args, key));
      if (v.empty()) return v;
      i = end + 1;
    }
    Spec spec;
    while (i < s.size() && std::string_view("-+ #0").find(s[i]) != std::string_view::npos)
      spec.flags.push_back(s[i++]);
    if (!Number(&f, s, &i, &spec.width)) return Value();
    if (spec.width < 0) {
      spec.flags.push_back('-');
      spec.width = -spec.width;
    }
    if (i < s.size() && s[i] == '.') {
      ++i;
      if (!Number(&f, s, &i, &spec.precision)) return Value();
      spec.precision = std::max<int64_t>(spec.precision, 0);
    }
    while (i < s.size() && (s[i] == 'h' || s[i] == 'l' || s[i] == 'L')) ++i;
    if (i >= s.size()) return vm.Raise(Error::kValueError, "incomplete format");
    if (s[i] == '%') {
      f.out.push_back('%');
      continue;
    }
    if (v.empty() && !f.Take(&v)) return Value();
    if (!Put(&f, s[i], spec, v, i)) return Value();
    if (static_cast<int64_t>(f.out.size()) > LargestBytes(vm)) return vm.TooLarge();
  }
  const bool left = f.tuple ? f.next < As<Tuple>(args)->size : f.next == 0 && !keys;
  if (left)
    return vm.Raise(Error::kTypeError, "not all arguments converted during bytes formatting");
  return NewBytesLike(vm, format, f.out);
}

}  // namespace ferry::vm
