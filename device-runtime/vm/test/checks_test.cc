// What the VM checks of itself ends the program. What asks is compiled in every build; that casts,
// the heap and the loop ask it is so in checked builds alone, and there these tests see to it.
#include <gtest/gtest.h>

#include "device-runtime/vm/exec/call/check.h"
#include "device-runtime/vm/exec/heap/check_object.h"

namespace ferry::vm {
namespace {

#define SKIP_UNCHECKED()                                                        \
  if (!kVmChecks)                                                               \
  GTEST_SKIP() << "SKIPPED: a build without checks; debug and sanitizers have " \
                  "them"

class Checks : public testing::Test {
 protected:
  void SetUp() override { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
  template <typename T>
  T* New(Type type, size_t more = 0) {
    return static_cast<T*>(heap_.NewObject(type, sizeof(T) + more));
  }
  Heap heap_{1 << 20, false};
};

TEST_F(Checks, CastsToTheLayoutOfAnObject) {
  EXPECT_NE(CheckedAs<List>(Value::Of(New<List>(Type::kList))), nullptr);
  for (const Type type : {Type::kDict, Type::kSet, Type::kFrozenSet})
    EXPECT_NE(CheckedAs<Dict>(Value::Of(New<Dict>(type))), nullptr);
  for (const Type type : {Type::kByteArray, Type::kArray})
    EXPECT_NE(CheckedAs<ByteArray>(Value::Of(New<ByteArray>(type))), nullptr);
  EXPECT_EQ(CheckedCast<List>(static_cast<Object*>(nullptr)), nullptr);
  auto* wide = New<WideRange>(Type::kRange);
  EXPECT_NE(CheckedAs<Range>(Value::Of(wide)), nullptr);
  EXPECT_DEATH(CheckedAs<WideRange>(Value::Of(wide)), "As<WideRange>.* failed: Range");
  wide->aux = static_cast<uint32_t>(RangeKind::kWide);
  EXPECT_EQ(CheckedAs<WideRange>(Value::Of(wide)), wide);
}

TEST_F(Checks, AWrongCastEndsTheProgram) {
  const Value tuple = Value::Of(New<Tuple>(Type::kTuple));
  EXPECT_DEATH(CheckedAs<List>(tuple), "checks_test.cc:[0-9]+: CHECK.As<List>. failed: Tuple");
  EXPECT_DEATH(CheckedAs<List>(Value()), "As<List>. failed: no object");
  EXPECT_DEATH(CheckedAs<List>(Value::SmallInt(1)), "As<List>. failed: no object");
  EXPECT_DEATH(CheckedAs<List>(Value::Of(nullptr)), "As<List>. failed: no object");
  Object* const other = tuple.object();
  EXPECT_DEATH(CheckedCast<String>(other), "As<String>. failed: Tuple");
}

TEST_F(Checks, AWrongCastEndsADebugBuild) {
  SKIP_UNCHECKED();
  const Value tuple = Value::Of(New<Tuple>(Type::kTuple));
  EXPECT_EQ(As<Tuple>(tuple), tuple.object());
  EXPECT_DEATH(As<List>(tuple), "checks_test.cc:[0-9]+: CHECK.As<List>. failed: Tuple");
  EXPECT_DEATH(Cast<List>(tuple.object()), "checks_test.cc:[0-9]+: CHECK.As<List>. failed: Tuple");
}

TEST_F(Checks, ObjectsThatCannotBe) {
  auto* list = New<List>(Type::kList);
  EXPECT_EQ(WrongObject(*list, sizeof(List)), nullptr);
  EXPECT_STREQ(WrongObject(*list, sizeof(List) - 1), "larger than its block");
  list->size = 1;
  EXPECT_STREQ(WrongObject(*list, sizeof(List)), "not as large as it counts");
  list->size = 0;
  auto* record = New<Record>(Type::kRecord, 2 * sizeof(Value));
  record->aux = 3;
  EXPECT_EQ(WrongObject(*record, sizeof(Record) + 2 * sizeof(Value)), nullptr);
  record->aux = 4;
  EXPECT_STREQ(WrongObject(*record, sizeof(Record) + 2 * sizeof(Value)), "larger than its block");
  record->aux = 0;
  auto* view = New<View>(Type::kView);
  view->aux = static_cast<uint32_t>(ViewKind::kProxy) + 1;
  EXPECT_STREQ(WrongObject(*view, sizeof(View)), "not as large as it counts");
  Object free = {};
  EXPECT_STREQ(WrongObject(free, sizeof free), "freed");
  free.type = Type::kCount;
  EXPECT_STREQ(WrongObject(free, sizeof free), "of no type");
}

TEST_F(Checks, FreedMemoryKnowsThatItIs) {
  uint64_t block[8];
  FillWords(block, sizeof block, kFreedWord);
  EXPECT_TRUE(IsFreed(block, 0, sizeof block));
  block[1] = 1;
  EXPECT_TRUE(IsFreed(block, 2 * sizeof block[0], sizeof block));
  EXPECT_FALSE(IsFreed(block, 0, sizeof block));
}

TEST_F(Checks, ABadMarkEndsADebugBuild) {
  SKIP_UNCHECKED();
  List outside = {};
  outside.type = Type::kList;
  EXPECT_DEATH(heap_.Mark(&outside), "what is marked is an object of this heap");
  void* const buffer = heap_.NewBuffer(64);
  EXPECT_DEATH(heap_.Mark(static_cast<Object*>(buffer)), "what is marked is no buffer");
  auto* list = New<List>(Type::kList);
  EXPECT_DEATH(heap_.Mark(reinterpret_cast<Object*>(&list->items)), "an object of this heap");
  list->size = 7;
  EXPECT_DEATH(heap_.Mark(list), "a live object. failed: not as large as it counts");
  list->size = 0;
  heap_.Sweep();  // nothing was marked
  EXPECT_DEATH(heap_.Mark(list), "CHECK");
  heap_.FreeBuffer(buffer, 64);
}

TEST_F(Checks, ABufferFreedTwiceEndsADebugBuild) {
  SKIP_UNCHECKED();
  auto* const buffer = static_cast<char*>(heap_.NewBuffer(64));
  EXPECT_DEATH(heap_.FreeBuffer(buffer, 256), "with the size it was made with");
  EXPECT_DEATH(heap_.FreeBuffer(buffer + 16, 64), "a buffer of this heap");
  heap_.FreeBuffer(buffer, 64);
  EXPECT_DEATH(heap_.FreeBuffer(buffer, 64), "a buffer is freed once");
  buffer[40] = 1;
  EXPECT_DEATH(heap_.NewBuffer(64), "nobody writes into freed memory");
}

class Frames : public Checks {
 protected:
  Frames() {
    code_.registers = 3;
    code_.instructions.resize(2);
    code_.constants.resize(1);
    frame_.code = &code_;
    frame_.pc = code_.instructions.data();
    frame_.base = stack_;
    frame_.top = stack_ + 3;
    frame_.kind = FrameKind::kPlain;
  }
  const char* Wrong() const { return WrongFrame(frame_, stack_, stack_ + 8); }

  Value stack_[8];
  CodeObject code_;
  Frame frame_{};
};

TEST_F(Frames, OperandsLieInTheRunningCode) {
  EXPECT_EQ(CheckedRegisters(frame_, stack_, 2, 1), stack_ + 2);
  EXPECT_EQ(CheckedRegisters(frame_, stack_, 3, 0), stack_ + 3);
  EXPECT_DEATH(CheckedRegisters(frame_, stack_, 3, 1), "a register of the running code");
  EXPECT_DEATH(CheckedRegisters(frame_, stack_, 1, 3), "a register of the running code");
  EXPECT_DEATH(CheckedRegisters(frame_, stack_ + 1, 0, 1), "a register of the running code");
  const Value* const constants = code_.constants.data();
  EXPECT_EQ(CheckedConstant(frame_, constants, 0), constants);
  EXPECT_DEATH(CheckedConstant(frame_, constants, 1), "a constant of the running code");
  EXPECT_DEATH(CheckedCell(frame_, 0), "a cell of the running function");
  EXPECT_EQ(CheckedInstruction(frame_, frame_.pc + 1), frame_.pc + 1);
  EXPECT_DEATH(CheckedInstruction(frame_, frame_.pc + 2), "one of the running code");
}

TEST_F(Frames, FramesLieOnTheStack) {
  EXPECT_EQ(Wrong(), nullptr);
  frame_.top = stack_ + 2;
  EXPECT_STREQ(Wrong(), "a frame whose registers are not below its top");
  frame_.top = stack_ + 9;
  EXPECT_STREQ(Wrong(), "a frame whose top is not on the stack");
  frame_.top = stack_ + 3;
  frame_.pc += 3;
  EXPECT_STREQ(Wrong(), "a frame whose instruction is none of its code");
  frame_.pc -= 3;
  frame_.kind = FrameKind::kGenerator;
  EXPECT_STREQ(Wrong(), "a generator's frame without its generator");
  auto* generator = New<Generator>(Type::kGenerator);
  frame_.held = Value::Of(generator);
  EXPECT_STREQ(Wrong(), "a generator's frame whose registers are not the generator's");
  frame_.base = generator->registers = stack_;
  generator->register_count = 3;
  EXPECT_EQ(Wrong(), nullptr);
  generator->registers = generator->inline_registers;
  generator->register_count = 0;
}

}  // namespace
}  // namespace ferry::vm
