#include "device-runtime/vm/exec/classes/bases.h"

#include <algorithm>

#include "device-runtime/vm/exec/call/native_level.h"
#include "device-runtime/vm/exec/classes/make_class.h"
#include "device-runtime/vm/exec/classes/special.h"

namespace ferry::vm {
namespace {

constexpr size_t kMaxBases = 100;
constexpr int64_t kReorderSteps = 64;

// C3 linearization; empty when the bases contradict each other, which then are those left.
std::vector<Class*> Linearize(std::vector<Class*>* bases) {
  std::vector<std::vector<Class*>> lists;
  for (Class* base : *bases) lists.emplace_back(base->mro, base->mro + base->mro_count);
  lists.push_back(*bases);
  std::vector<Class*> out;
  for (;;) {
    std::erase_if(lists, [](const auto& list) { return list.empty(); });
    if (lists.empty()) return out;
    Class* next = nullptr;
    for (const auto& list : lists) {
      const bool in_tail = std::any_of(lists.begin(), lists.end(), [&](const auto& other) {
        return std::find(other.begin() + 1, other.end(), list[0]) != other.end();
      });
      if (!in_tail) {
        next = list[0];
        break;
      }
    }
    if (next == nullptr) {
      bases->clear();
      for (const auto& list : lists)
        if (std::find(bases->begin(), bases->end(), list[0]) == bases->end())
          bases->push_back(list[0]);
      return {};
    }
    out.push_back(next);
    for (auto& list : lists)
      if (list[0] == next) list.erase(list.begin());
  }
}

// The names of the classes at the heads of what could not be merged.
Value NoOrder(Vm& vm, const std::vector<Class*>& bases) {
  std::string names;
  for (Class* base : bases) names += (names.empty() ? "" : ", ") + std::string(base->name->view());
  return vm.Throw(Error::kTypeError,
                  "Cannot create a consistent method resolution\norder (MRO) for bases {}", names);
}

// The class of the order that gave instances their layout: a built-in one or one with __slots__.
Class* Solid(Vm& vm, Class* cls) {
  for (uint32_t i = 0; i < cls->mro_count; ++i) {
    Class* one = cls->mro[i];
    if (one->builtin && one->layout == Type::kException)
      return vm.errors[static_cast<int>(Error::kBaseException)];
    if (one->builtin && one->layout != Type::kInstance) return one;
    uint32_t inherited = 0;
    if (!one->bases.empty())
      for (uint32_t k = 0; k < As<Tuple>(one->bases)->size; ++k)
        inherited =
            std::max<uint32_t>(inherited, As<Class>(As<Tuple>(one->bases)->items[k])->members);
    if (one->members > inherited) return one;
  }
  return vm.classes[kObjectClass];
}

// Writes the order down: `order` begins with the class itself unless its metaclass says otherwise.
bool SetOrder(Vm& vm, Class* cls, const std::vector<Class*>& order) {
  auto** mro = static_cast<Class**>(vm.heap.NewBuffer(order.size() * sizeof(Class*)));
  if (mro == nullptr) return !vm.OutOfMemory().empty();
  std::copy(order.begin(), order.end(), mro);
  vm.heap.FreeBuffer(cls->mro, cls->mro_count * sizeof(Class*));
  cls->mro = mro;
  cls->mro_count = static_cast<uint32_t>(order.size());
  return true;
}

// The order that a metaclass gave.
bool TakeOrder(Vm& vm, Class* cls, Value given) {
  Roots roots(vm);
  const Value list = roots.Add(given.empty() ? given : vm.ToList(given));
  if (list.empty()) return false;
  if (As<List>(list)->size == 0 || As<List>(list)->size > kMaxBases)
    return !vm.Raise(Error::kTypeError, "mro() gave too few or too many classes").empty();
  Class* const solid = Solid(vm, cls);
  std::vector<Class*> order;
  for (uint32_t i = 0; i < As<List>(list)->size; ++i) {
    const Value one = As<List>(list)->items[i];
    if (!Is(one, Type::kClass)) {
      vm.Throw(Error::kTypeError, "mro() returned a non-class ('{}')", vm.TypeName(one));
      return false;
    }
    if (!vm.IsSubclass(solid, Solid(vm, As<Class>(one)))) {
      vm.Throw(Error::kTypeError, "mro() returned base with unsuitable layout ('{}')",
               As<Class>(one)->name->view());
      return false;
    }
    order.push_back(As<Class>(one));
  }
  if (std::find(order.begin(), order.end(), vm.classes[kObjectClass]) == order.end())
    return !vm.Raise(Error::kTypeError, "mro() returned an order without 'object'").empty();
  return SetOrder(vm, cls, order);
}

// Of instances as memory: whether they have room for the collector's links. Only for texts.
bool Collected(const Class* cls) {
  if (!cls->builtin) return cls->takes_dict || cls->takes_weak || cls->members > 0;
  switch (cls->layout) {
    case Type::kInstance:
    case Type::kString:
    case Type::kBytes:
    case Type::kByteArray:
    case Type::kBigInt:
    case Type::kFloat:
    case Type::kComplex:
      return false;
    default:
      return true;
  }
}

using Orders = std::vector<std::pair<Class*, std::vector<Class*>>>;

// New orders for the class and, in turn, for what derives from it; `old` remembers the former ones.
bool Reorder(Vm& vm, Class* cls, Orders* old) {
  NativeLevel level(vm);
  if (!level.ok() || !vm.ChargeSteps(kReorderSteps)) return false;
  Plan plan;
  if (!PlanBases(vm, As<Tuple>(cls->bases), &plan)) return false;
  old->emplace_back(cls, std::vector<Class*>(cls->mro, cls->mro + cls->mro_count));
  plan.mro.insert(plan.mro.begin(), cls);
  if (!SetOrder(vm, cls, plan.mro) || !AskOrder(vm, cls)) return false;
  const std::vector<Class*> all = vm.script_classes;
  for (Class* one : all)
    if (IsDirectBase(one, cls) && !Reorder(vm, one, old)) return false;
  return true;
}

// Whether instances of a class that has these bases lie in memory as those that exist.
bool FitsLayout(Vm& vm, Class* cls, const Plan& plan) {
  Class* const now = plan.solid;
  Class* const before = As<Class>(As<Tuple>(BasesOf(vm, cls))->items[0]);
  if (Collected(now) != Collected(before)) {
    vm.Throw(Error::kTypeError, "__bases__ assignment: '{}' deallocator differs from '{}'",
             now->name->view(), before->name->view());
    return false;
  }
  if (Solid(vm, now) == Solid(vm, before) && now->members == before->members &&
      now->takes_dict == before->takes_dict && now->native_type == before->native_type)
    return true;
  vm.Throw(Error::kTypeError, "__bases__ assignment: '{}' object layout differs from '{}'",
           now->name->view(), before->name->view());
  return false;
}

}  // namespace

bool PlanBases(Vm& vm, Tuple* tuple, Plan* plan) {
  const auto fail = [&](std::string_view text) {
    vm.Raise(Error::kTypeError, text);
    return false;
  };
  if (tuple->size > kMaxBases) return fail("too many base classes");
  for (uint32_t i = 0; i < tuple->size; ++i) {
    if (!Is(tuple->items[i], Type::kClass))
      return fail(
          "metaclass conflict: the metaclass of a derived class must be a (non-strict) subclass of "
          "the metaclasses of all its bases");
    auto* cls = As<Class>(tuple->items[i]);
    if (!cls->acceptable_base)
      return fail(fmt::format("type '{}' is not an acceptable base type", cls->name->view()));
    if (std::find(plan->bases.begin(), plan->bases.end(), cls) != plan->bases.end())
      return fail(fmt::format("duplicate base class {}", cls->name->view()));
    plan->bases.push_back(cls);
  }
  if (plan->bases.empty()) plan->bases.push_back(vm.classes[kObjectClass]);
  plan->solid = plan->bases[0];
  for (Class* base : plan->bases) {
    if (vm.IsSubclass(Solid(vm, plan->solid), Solid(vm, base))) continue;
    if (!vm.IsSubclass(Solid(vm, base), Solid(vm, plan->solid)))
      return fail("multiple bases have instance lay-out conflict");
    plan->solid = base;
  }
  if (!vm.ChargeSteps(static_cast<int64_t>(plan->bases.size() * plan->bases.size()))) return false;
  plan->mro = Linearize(&plan->bases);
  if (plan->mro.empty()) return !NoOrder(vm, plan->bases).empty();
  if (plan->mro.size() > kMaxBases) return fail("too many base classes");
  return true;
}

bool AskOrder(Vm& vm, Class* cls) {
  Class* const meta = vm.ClassOf(Value::Of(cls));
  if (meta == vm.classes[kTypeClass]) return true;
  String* const name = vm.Intern("mro");
  if (name == nullptr) return false;
  const Value method = vm.FindInClass(meta, name);
  if (method.empty() || Is(method, Type::kNative)) return true;
  Roots roots(vm);
  roots.Add(Value::Of(cls));
  const Value bound = roots.Add(vm.Bind(method, Value::Of(cls), meta));
  return !bound.empty() && TakeOrder(vm, cls, vm.Call(bound, nullptr, 0));
}

Value DefaultOrder(Vm& vm, Class* cls) {
  std::vector<Class*> order(cls->mro, cls->mro + cls->mro_count);
  if (!cls->builtin) {
    Plan plan;
    const Value bases = BasesOf(vm, cls);
    if (bases.empty() || !PlanBases(vm, As<Tuple>(bases), &plan)) return Value();
    order = std::move(plan.mro);
    order.insert(order.begin(), cls);
  }
  const Value list = vm.NewList(nullptr, 0);
  for (size_t i = 0; !list.empty() && i < order.size(); ++i)
    if (!vm.Append(As<List>(list), Value::Of(order[i]))) return Value();
  return list;
}

Value BestBase(Vm& vm, Class* cls) {
  if (cls->mro_count < 2 && cls->builtin) return Value::None();
  if (cls->bases.empty()) return Value::Of(cls->builtin ? cls->mro[1] : vm.classes[kObjectClass]);
  const auto* bases = As<Tuple>(cls->bases);
  auto* best = As<Class>(bases->items[0]);
  for (uint32_t i = 1; i < bases->size; ++i) {
    auto* const one = As<Class>(bases->items[i]);
    if (!vm.IsSubclass(Solid(vm, best), Solid(vm, one))) best = one;
  }
  return Value::Of(best);
}

bool IsDirectBase(const Class* cls, const Class* base) {
  if (cls->bases.empty())
    return cls->builtin ? cls->mro_count > 1 && cls->mro[1] == base
                        : base->builtin && base->mro_count == 1;
  const auto* bases = As<Tuple>(cls->bases);
  return std::any_of(bases->items, bases->items + bases->size,
                     [base](Value v) { return As<Class>(v) == base; });
}

bool AssignBases(Vm& vm, Class* cls, Value bases) {
  const auto name = cls->name->view();
  const auto fail = [&](const std::string& text) {
    vm.Raise(Error::kTypeError, text);
    return false;
  };
  if (bases.empty())
    return fail(fmt::format("cannot delete '__bases__' attribute of type '{}'", name));
  if (!Is(bases, Type::kTuple))
    return fail(
        fmt::format("can only assign tuple to {}.__bases__, not {}", name, vm.TypeName(bases)));
  if (As<Tuple>(bases)->size == 0)
    return fail(fmt::format("can only assign non-empty tuple to {}.__bases__, not ()", name));
  for (uint32_t i = 0; i < As<Tuple>(bases)->size; ++i) {
    const Value one = As<Tuple>(bases)->items[i];
    if (!Is(one, Type::kClass))
      return fail(
          fmt::format("{}.__bases__ must be tuple of classes, not '{}'", name, vm.TypeName(one)));
    if (vm.IsSubclass(As<Class>(one), cls))
      return fail("a __bases__ item causes an inheritance cycle");
  }
  Plan plan;
  if (!PlanBases(vm, As<Tuple>(bases), &plan) || !FitsLayout(vm, cls, plan)) return false;
  Roots roots(vm);
  roots.Add(Value::Of(cls));
  roots.Add(bases);
  const Value before = roots.Add(cls->bases);
  Orders old;
  cls->bases = bases;
  const bool ok = Reorder(vm, cls, &old);
  if (!ok) {
    cls->bases = before;
    for (auto one = old.rbegin(); one != old.rend(); ++one)
      if (!SetOrder(vm, one->first, one->second)) return false;
  }
  ClassChanged(vm, cls);
  return ok;
}

}  // namespace ferry::vm
