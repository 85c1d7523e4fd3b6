#include "device-runtime/vm/lib/types/str_arguments.h"

namespace ferry::vm {
namespace {

bool NoKeywords(Vm& vm, const Args& args, const char* name) {
  if (args.keywords() == 0) return true;
  vm.Throw(Error::kTypeError, "{}() takes no keyword arguments", name);
  return false;
}

const char* Plural(uint32_t count) {
  return count == 1 ? "" : "s";
}

}  // namespace

bool NoArgumentsSlow(Vm& vm, const Args& args, const char* name) {
  if (!NoKeywords(vm, args, name)) return false;
  if (args.count == 1) return true;
  vm.Throw(Error::kTypeError, "{}() takes no arguments ({} given)", name, args.count - 1);
  return false;
}

bool OneArgumentSlow(Vm& vm, const Args& args, const char* name) {
  if (!NoKeywords(vm, args, name)) return false;
  if (args.count == 2) return true;
  vm.Throw(Error::kTypeError, "{}() takes exactly one argument ({} given)", name, args.count - 1);
  return false;
}

bool PositionalSlow(Vm& vm, const Args& args, const char* name, uint32_t min, uint32_t max) {
  if (!NoKeywords(vm, args, name)) return false;
  const uint32_t given = args.count - 1;
  if (given >= min && given <= max) return true;
  const uint32_t bound = given < min ? min : max;
  vm.Throw(Error::kTypeError, "{} expected {}{} argument{}, got {}", name,
           min == max    ? ""
           : given < min ? "at least "
                         : "at most ",
           bound, Plural(bound), given);
  return false;
}

bool CountedSlow(Vm& vm, const Args& args, const char* name, uint32_t min, uint32_t max) {
  if (!NoKeywords(vm, args, name)) return false;
  const uint32_t given = args.count - 1;
  if (given >= min && given <= max) return true;
  const uint32_t bound = given < min ? min : max;
  vm.Throw(Error::kTypeError, "{}() takes {} {} argument{} ({} given)", name,
           min == max    ? "exactly"
           : given < min ? "at least"
                         : "at most",
           bound, Plural(bound), given);
  return false;
}

bool Named(Vm& vm, const Args& args, const char* name, std::span<const char* const> names,
           uint32_t required, Value* out) {
  const uint32_t given = args.count - 1;
  const auto most = static_cast<uint32_t>(names.size());
  if (given + args.keywords() > most) {
    vm.Throw(Error::kTypeError, "{}() takes at most {} argument{} ({} given)", name, most,
             Plural(most), given + args.keywords());
    return false;
  }
  for (uint32_t i = 0; i < most; ++i) out[i] = i < given ? args[i + 1] : Value();
  for (uint32_t k = 0; k < args.keywords(); ++k) {
    const std::string_view key = Text(args.names->items[k]);
    uint32_t at = 0;
    while (at < most && key != names[at]) ++at;
    if (at == most) {
      vm.Throw(Error::kTypeError, "'{}' is an invalid keyword argument for {}()", key, name);
      return false;
    }
    if (!out[at].empty()) {
      vm.Throw(Error::kTypeError, "argument for {}() given by name ('{}') and position ({})", name,
               key, at + 1);
      return false;
    }
    out[at] = args.args[args.count + k];
  }
  for (uint32_t i = 0; i < required; ++i) {
    if (!out[i].empty()) continue;
    vm.Throw(Error::kTypeError, "{}() missing required argument '{}' (pos {})", name, names[i],
             i + 1);
    return false;
  }
  return true;
}

bool TextAt(Vm& vm, const Args& args, const char* name, uint32_t i, std::string_view* out) {
  if (IsStr(args[i])) {
    *out = Text(args[i]);
    return true;
  }
  if (args.count == 2) {
    vm.Throw(Error::kTypeError, "{}() argument must be str, not {}", name,
             args[i].IsNone() ? "None" : vm.TypeName(args[i]));
  } else {
    vm.Throw(Error::kTypeError, "{}() argument {} must be str, not {}", name, i,
             args[i].IsNone() ? "None" : vm.TypeName(args[i]));
  }
  return false;
}

}  // namespace ferry::vm
