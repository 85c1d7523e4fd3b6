#include "device-runtime/vm/exec/loop/intrinsic.h"

namespace ferry::vm {
namespace {

struct Row {
  Type type;  // of the class it is a method of; kFree: a built-in function
  const char* name;
  Intrinsic intrinsic;
};
constexpr Row kRows[] = {
    {Type::kFree, "abs", Intrinsic::kAbs},
    {Type::kFree, "chr", Intrinsic::kChr},
    {Type::kFree, "getattr", Intrinsic::kGetAttr},
    {Type::kFree, "isinstance", Intrinsic::kIsInstance},
    {Type::kFree, "len", Intrinsic::kLen},
    {Type::kFree, "all", Intrinsic::kAll},
    {Type::kFree, "any", Intrinsic::kAny},
    {Type::kFree, "next", Intrinsic::kNext},
    {Type::kFree, "sorted", Intrinsic::kSorted},
    {Type::kFree, "sum", Intrinsic::kSum},
    {Type::kString, "join", Intrinsic::kJoin},
    {Type::kGenerator, "__next__", Intrinsic::kNext},
    {Type::kGenerator, "send", Intrinsic::kSend},
    {Type::kFree, "max", Intrinsic::kMax},
    {Type::kFree, "min", Intrinsic::kMin},
    {Type::kFree, "ord", Intrinsic::kOrd},
    {Type::kDict, "get", Intrinsic::kDictGet},
    {Type::kList, "append", Intrinsic::kListAppend},
    {Type::kList, "pop", Intrinsic::kListPop},
    {Type::kSet, "add", Intrinsic::kSetAdd},
    {Type::kSet, "discard", Intrinsic::kSetDiscard},
    {Type::kSet, "remove", Intrinsic::kSetRemove},
    {Type::kFree, "setattr", Intrinsic::kSetAttr},
};

}  // namespace

void MarkIntrinsics(Vm& vm) {
  for (const Row& row : kRows) {
    Dict* table =
        row.type == Type::kFree ? vm.builtins : vm.classes[static_cast<int>(row.type)]->attributes;
    String* name = vm.Intern(row.name);
    const Value* found = name == nullptr ? nullptr : vm.DictFindString(table, name);
    if (found != nullptr && Is(*found, Type::kNative))
      As<Native>(*found)->intrinsic = row.intrinsic;
  }
}

}  // namespace ferry::vm
