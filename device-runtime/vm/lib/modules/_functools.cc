// The parts of functools that are called often: partial, reduce, cmp_to_key, the table of
// lru_cache.
#include "device-runtime/vm/lib/method.h"
#include "device-runtime/vm/lib/modules/lru.h"
#include "device-runtime/vm/syntax/ast.h"

namespace ferry::vm {
namespace {

extern const RecordType kPartial, kCompareKey, kCompareKeyMaker, kLruTable;

// ---- partial: function, tuple of arguments, dict of keywords ----

Value NewPartial(Vm& vm, Args& args) {
  if (args.count == 0)
    return vm.Raise(Error::kTypeError, "type 'partial' takes at least one argument");
  Value function = args[0];
  if (!IsCallable(vm, function))
    return vm.Raise(Error::kTypeError, "the first argument must be callable");
  Class* cls = ClassOfRecord(vm, kPartial);
  const Value record = cls == nullptr ? Value() : vm.NewRecord(cls, 3);
  const Value keywords = record.empty() ? record : vm.NewDict();
  if (keywords.empty()) return keywords;
  std::vector<Value> all;
  Record* inner = AsRecord(vm, function, kPartial);
  if (inner != nullptr) {
    auto* before = As<Tuple>(inner->values[1]);
    all.assign(before->items, before->items + before->size);
    if (!vm.DictMerge(As<Dict>(keywords), inner->values[2], false)) return Value();
    function = inner->values[0];
  }
  all.insert(all.end(), args.args + 1, args.args + args.count);
  for (uint32_t k = 0; k < args.keywords(); ++k)
    if (!vm.DictSet(As<Dict>(keywords), args.names->items[k], args.args[args.count + k]))
      return Value();
  const Value tuple = vm.NewTuple(all.data(), all.size());
  if (tuple.empty()) return tuple;
  As<Record>(record)->values[0] = function;
  As<Record>(record)->values[1] = tuple;
  As<Record>(record)->values[2] = keywords;
  return record;
}

Value CallPartial(Vm& vm, Args& args) {
  auto* record = As<Record>(args[0]);
  auto* before = As<Tuple>(record->values[1]);
  auto* keywords = As<Dict>(record->values[2]);
  std::vector<Value> all(before->items, before->items + before->size);
  all.insert(all.end(), args.args + 1, args.args + args.count);
  const size_t positional = all.size();
  if (keywords->count == 0) {
    all.insert(all.end(), args.args + args.count, args.args + args.count + args.keywords());
    return vm.Call(record->values[0], all.data(), positional, args.names);
  }
  Roots roots(vm);
  std::vector<Value> names;
  for (uint32_t i = 0; i < keywords->used; ++i) {
    if (keywords->entries[i].key.empty()) continue;
    names.push_back(keywords->entries[i].key);
    all.push_back(keywords->entries[i].value);
  }
  for (uint32_t k = 0; k < args.keywords(); ++k) {
    size_t at = 0;
    while (at < names.size() && Text(names[at]) != Text(args.names->items[k])) ++at;
    const Value v = args.args[args.count + k];
    if (at < names.size()) {
      all[positional + at] = v;
    } else {
      names.push_back(args.names->items[k]);
      all.push_back(v);
    }
  }
  const Value tuple = vm.NewTuple(names.data(), names.size());
  if (tuple.empty()) return tuple;
  roots.Add(tuple);
  return vm.Call(record->values[0], all.data(), positional, As<Tuple>(tuple));
}

Value ReprPartial(Vm& vm, Args& args) {
  auto* record = As<Record>(args[0]);
  const std::string_view name = vm.ClassOf(args[0])->qualified_name->view();
  std::string out = name == "partial" ? "functools.partial(" : fmt::format("{}(", name);
  if (!vm.Repr(record->values[0], &out)) return Value();
  auto* before = As<Tuple>(record->values[1]);
  for (uint32_t i = 0; i < before->size; ++i) {
    out += ", ";
    if (!vm.Repr(before->items[i], &out)) return Value();
  }
  auto* keywords = As<Dict>(record->values[2]);
  for (uint32_t i = 0; i < keywords->used; ++i) {
    const Entry entry = keywords->entries[i];
    if (entry.key.empty()) continue;
    out += fmt::format(", {}=", Text(entry.key));
    if (!vm.Repr(entry.value, &out)) return Value();
  }
  return vm.NewString(out + ")");
}

template <uint32_t kField>
Value Field(Vm&, Args& args) {
  return As<Record>(args[0])->values[kField];
}

// ---- cmp_to_key: a maker of keys that holds the function; keys are function, object ----

Value CmpToKey(Vm& vm, Args& args) {
  Value bound[1];
  static constexpr const char* kNames[] = {"mycmp"};
  if (!BindBuiltin(vm, args, "cmp_to_key", kNames, 1, 1, bound)) return Value();
  Class* cls = ClassOfRecord(vm, kCompareKeyMaker);
  const Value record = cls == nullptr ? Value() : vm.NewRecord(cls, 1);
  if (!record.empty()) As<Record>(record)->values[0] = bound[0];
  return record;
}
Value CallKeyMaker(Vm& vm, Args& args) {
  Value bound[2];
  static constexpr const char* kNames[] = {"self", "obj"};
  if (!BindBuiltin(vm, args, "K", kNames, 2, 2, bound)) return Value();
  Class* cls = ClassOfRecord(vm, kCompareKey);
  const Value record = cls == nullptr ? Value() : vm.NewRecord(cls, 2);
  if (record.empty()) return record;
  As<Record>(record)->values[0] = As<Record>(args[0])->values[0];
  As<Record>(record)->values[1] = bound[1];
  return record;
}
Value HashKey(Vm& vm, Args&) {
  return vm.Raise(Error::kTypeError, "unhashable type: 'functools.KeyWrapper'");
}
template <Operator kOp>
Value CompareKeys(Vm& vm, Args& args) {
  Record *a = As<Record>(args[0]), *b = AsRecord(vm, args[1], kCompareKey);
  if (b == nullptr) return vm.Raise(Error::kTypeError, "other argument must be K instance");
  const Value pair[] = {a->values[1], b->values[1]};
  const Value order = vm.Call(a->values[0], pair, 2);
  return order.empty() ? order : vm.Compare(static_cast<int>(kOp), order, Value::SmallInt(0));
}

// ---- reduce ----

Value Reduce(Vm& vm, Args& args) {
  if (!Expect(vm, args, "reduce", 2, 3)) return Value();
  Roots roots(vm);
  Value it = vm.Iterate(args[1]);
  if (it.empty()) {
    if (vm.TakePending(Error::kTypeError))
      vm.Raise(Error::kTypeError, "reduce() arg 2 must support iteration");
    return Value();
  }
  roots.Add(it);
  Value total = args.count == 3 ? args[2] : vm.Next(it);
  if (total.empty())
    return vm.failed()
               ? Value()
               : vm.Raise(Error::kTypeError, "reduce() of empty iterable with no initial value");
  const size_t at = vm.kept.size();
  roots.Add(total);
  for (Value item; !(item = vm.Next(it)).empty();) {
    const Value pair[] = {vm.kept[at], item};
    total = vm.Call(args[0], pair, 2);
    if (total.empty()) return total;
    vm.kept[at] = total;
  }
  return vm.failed() ? Value() : vm.kept[at];
}

// ---- lru_cache: dict of results, maxsize or None, typed, hits, misses, the function, and the
// Python functions that call it where no result is known: one looks first, the other does not ----

constexpr uint32_t kResults = 0, kMaxSize = 1, kTyped = 2, kHits = 3, kMisses = 4, kFunction = 5,
                   kMiss = 6, kMissed = 7, kLruFields = 8;

// The key of a call: the arguments in a tuple, one int or str alone by itself.
Value KeyOf(Vm& vm, Record* table, Tuple* args, Dict* keywords) {
  const bool typed = table->values[kTyped].IsTrue();
  const bool named = keywords != nullptr && keywords->count > 0;
  if (!named && !typed) {
    if (args->size == 1 && (args->items[0].IsSmallInt() || IsStr(args->items[0])))
      return args->items[0];
    return Value::Of(args);
  }
  std::vector<Value> parts(args->items, args->items + args->size);
  const auto add = [&](auto&& each) {
    for (uint32_t i = 0; named && i < keywords->used; ++i)
      if (!keywords->entries[i].key.empty()) each(keywords->entries[i]);
  };
  if (named) parts.push_back(Value::Of(table));  // what no argument equals
  add([&](const Entry& e) { parts.insert(parts.end(), {e.key, e.value}); });
  if (typed) {
    for (uint32_t i = 0; i < args->size; ++i)
      parts.push_back(Value::Of(vm.ClassOf(args->items[i])));
    add([&](const Entry& e) { parts.push_back(Value::Of(vm.ClassOf(e.value))); });
  }
  return vm.NewTuple(parts.data(), parts.size());
}

Value NewLru(Vm& vm, Args& args) {
  if (!Expect(vm, args, "_lru_cache_wrapper", 5, 5)) return Value();
  if (!IsCallable(vm, args[2]))
    return vm.Raise(Error::kTypeError, "the first argument must be callable");
  Class* cls = ClassOfRecord(vm, kLruTable);
  const Value record = cls == nullptr ? Value() : vm.NewRecord(cls, kLruFields);
  const Value results = record.empty() ? record : vm.NewDict();
  if (results.empty()) return results;
  Value* values = As<Record>(record)->values;
  values[kResults] = results;
  values[kMaxSize] = args[0];
  values[kTyped] = args[1];
  values[kHits] = values[kMisses] = Value::SmallInt(0);
  values[kFunction] = args[2];
  values[kMiss] = args[3];
  values[kMissed] = args[4];
  return record;
}

void Count(Record* table, uint32_t field) {
  table->values[field] = Value::SmallInt(table->values[field].AsSmallInt() + 1);
}

// What was found becomes the last that would go.
bool Touch(Vm& vm, Record* table, Value key, Value value) {
  if (!table->values[kMaxSize].IsSmallInt()) return true;
  auto* results = As<Dict>(table->values[kResults]);
  if (results->used > 0 && results->entries[results->used - 1].key == key) return true;
  if (vm.DictRemove(results, key).empty() && vm.failed()) return false;
  return vm.DictSet(results, key, value);
}

// get(args, kwargs, missing)
Value LruGet(Vm& vm, Args& args) {
  if (!Expect(vm, args, "get", 4, 4) || !Is(args[1], Type::kTuple) || !Is(args[2], Type::kDict))
    return Value();
  auto* table = As<Record>(args[0]);
  Roots roots(vm);
  const Value key = KeyOf(vm, table, As<Tuple>(args[1]), As<Dict>(args[2]));
  if (key.empty()) return key;
  roots.Add(key);
  auto* results = As<Dict>(table->values[kResults]);
  bool failed = false;
  Value* found = vm.DictFind(results, key, &failed);
  if (failed) return Value();
  Count(table, found == nullptr ? kMisses : kHits);
  if (found == nullptr) return args[3];
  const Value value = *found;
  roots.Add(value);
  return Touch(vm, table, key, value) ? value : Value();
}

// put(args, value), put(args, value, kwargs)
Value LruPut(Vm& vm, Args& args) {
  if (!Expect(vm, args, "put", 3, 4) || !Is(args[1], Type::kTuple) ||
      (args.count == 4 && !Is(args[3], Type::kDict)))
    return Value();
  auto* table = As<Record>(args[0]);
  const Value most = table->values[kMaxSize];
  if (most == Value::SmallInt(0)) return args[2];
  Roots roots(vm);
  const Value key =
      KeyOf(vm, table, As<Tuple>(args[1]), args.count == 4 ? As<Dict>(args[3]) : nullptr);
  if (key.empty()) return key;
  roots.Add(key);
  auto* results = As<Dict>(table->values[kResults]);
  if (most.IsSmallInt() && results->count >= most.AsSmallInt()) {
    bool failed = false;
    if (vm.DictFind(results, key, &failed) == nullptr && !failed) {
      Value first, value;
      if (!PopFirst(vm, results, &first, &value)) return Value();
    }
    if (failed) return Value();
  }
  return vm.DictSet(results, key, args[2]) ? args[2] : Value();
}
Value LruFunction(Vm&, Args& args) {
  return As<Record>(args[0])->values[kFunction];
}
// In a class a cached function is a method.
Value LruBind(Vm& vm, Args& args) {
  if (!ExpectMethod(vm, args, "__get__", 1, 2)) return Value();
  return args[1].IsNone() ? args[0] : vm.NewBound(args[1], args[0]);
}
Value LruInfo(Vm& vm, Args& args) {
  auto* table = As<Record>(args[0]);
  const Value parts[] = {table->values[kHits], table->values[kMisses], table->values[kMaxSize],
                         Value::SmallInt(As<Dict>(table->values[kResults])->count)};
  return vm.NewTuple(parts, 4);
}
Value LruClear(Vm& vm, Args& args) {
  auto* table = As<Record>(args[0]);
  vm.DictClear(As<Dict>(table->values[kResults]));
  table->values[kHits] = table->values[kMisses] = Value::SmallInt(0);
  return Value::None();
}

constexpr BuiltinRow kPartialRows[] = {
    {"__call__", CallPartial, true}, {"__new__", NewPartial}, {"__repr__", ReprPartial, true}};
constexpr BuiltinRow kKeyMakerRows[] = {{"__call__", CallKeyMaker}};
constexpr BuiltinRow kKeyRows[] = {{"__eq__", CompareKeys<Operator::kEqual>, true},
                                   {"__ge__", CompareKeys<Operator::kGreaterEqual>, true},
                                   {"__gt__", CompareKeys<Operator::kGreater>, true},
                                   {"__hash__", HashKey},
                                   {"__le__", CompareKeys<Operator::kLessEqual>, true},
                                   {"__lt__", CompareKeys<Operator::kLess>, true}};
constexpr BuiltinRow kLruRows[] = {{"__call__", CallLru, true}, {"__get__", LruBind},
                                   {"__new__", NewLru},         {"_function", LruFunction},
                                   {"_get", LruGet, true},      {"_info", LruInfo},
                                   {"_put", LruPut, true},      {"cache_clear", LruClear}};
constexpr BuiltinRow kFunctions[] = {{"cmp_to_key", CmpToKey}, {"reduce", Reduce, true}};
const RecordType kPartial = {"functools", "partial", kPartialRows};
const RecordType kCompareKey = {"functools", "KeyWrapper", kKeyRows};
const RecordType kCompareKeyMaker = {"functools", "KeyWrapper", kKeyMakerRows};
const RecordType kLruTable = {"functools", "_lru_cache_wrapper", kLruRows};

bool AddField(Vm& vm, Class* cls, const char* name, Builtin getter) {
  const Value native = vm.NewNative(name, getter, nullptr, false);
  const Value property =
      native.empty() ? native : vm.NewDescriptor(DescriptorKind::kProperty, native);
  return !property.empty() && vm.DictSetText(cls->attributes, name, property);
}

}  // namespace

Value CallLru(Vm& vm, Args& args) {
  return vm.Call(args[0], args.args + 1, args.count - 1, args.names);
}

bool LruLookup(Vm& vm, Value cached, const Value* args, uint32_t count, const Tuple* names,
               Value* known, Value* miss) {
  auto* table = As<Record>(cached);
  *miss = table->values[kMiss];
  if (names != nullptr || table->values[kTyped].IsTrue() ||
      !Is(table->values[kResults], Type::kDict))
    return true;
  for (uint32_t i = 0; i < count; ++i)
    if (!args[i].IsSmallInt() && !args[i].IsFloat() && !args[i].IsBool() && !args[i].IsNone() &&
        !IsExact(args[i], Type::kString))
      return true;
  const bool alone = count == 1 && (args[0].IsSmallInt() || IsStr(args[0]));
  const Value key = alone ? args[0] : vm.NewTuple(args, count);
  if (key.empty() || !vm.ChargeSteps(2)) return false;
  ++vm.collection_blocked;  // a comparison may run scripts
  bool failed = false;
  Value* found = vm.DictFind(As<Dict>(table->values[kResults]), key, &failed);
  if (found != nullptr) {
    *known = *found;
    Count(table, kHits);
    failed = !Touch(vm, table, key, *known);
  } else {
    Count(table, kMisses);
    *miss = table->values[kMissed];
  }
  --vm.collection_blocked;
  return !failed;
}

Value MakeFunctools(Vm& vm) {
  const Value module = MakeModule(vm, "_functools", kFunctions);
  Class* partial = module.empty() ? nullptr : ClassOfRecord(vm, kPartial);
  Class* table = partial == nullptr ? nullptr : ClassOfRecord(vm, kLruTable);
  Class* key = table == nullptr ? nullptr : ClassOfRecord(vm, kCompareKey);
  return key != nullptr && AddField(vm, partial, "func", Field<0>) &&
                 AddField(vm, partial, "args", Field<1>) &&
                 AddField(vm, partial, "keywords", Field<2>) &&
                 AddField(vm, key, "obj", Field<1>) &&
                 vm.SetVariable(As<Module>(module), "partial", Value::Of(partial)) &&
                 vm.SetVariable(As<Module>(module), "_lru_cache_wrapper", Value::Of(table))
             ? module
             : Value();
}

}  // namespace ferry::vm
