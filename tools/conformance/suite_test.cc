#include "tools/conformance/suite.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include "common/sys/filesystem.h"
#include "device-runtime/formats/onnx_value.h"
#include "tools/conformance/compare.h"
#include "tools/conformance/list.h"
#include "tools/conformance/own_cases.h"

namespace ferry::conformance {
namespace {

using tensor::DType;
using tensor::Sequence;
using tensor::Tensor;
using tensor::Value;
using ::testing::HasSubstr;

class OwnCasesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/ferry-cases-XXXXXX";
    folder_ = mkdtemp(name);
    auto cases = WriteOwnCases(folder_);
    ASSERT_TRUE(cases.ok()) << cases.status().ToString();
    own_ = *cases;
  }
  void TearDown() override { (void)sys::SystemFileSystem().RemoveTree(folder_); }

  std::vector<CaseResult> Run(const SuiteOptions& options) {
    std::vector<CaseResult> results;
    const auto cases = FindCases(folder_);
    EXPECT_TRUE(cases.ok()) << cases.status().ToString();
    const Status status =
        RunSuite(*cases, options, [&](const CaseResult& result) { results.push_back(result); });
    EXPECT_TRUE(status.ok()) << status.ToString();
    return results;
  }

  std::string folder_;
  std::vector<OwnCase> own_;
};

TEST_F(OwnCasesTest, PassAndFailAsTheyShouldOnEveryPath) {
  for (const std::string& path : Paths()) {
    SCOPED_TRACE(path);
    SuiteOptions options;
    options.run = OptionsOf(path);
    const std::vector<CaseResult> results = Run(options);
    ASSERT_EQ(results.size(), own_.size());
    for (size_t i = 0; i < results.size(); ++i) {
      EXPECT_EQ(results[i].name, own_[i].name);
      EXPECT_EQ(results[i].passed, own_[i].reason.empty()) << ResultLine(results[i]);
      EXPECT_THAT(results[i].reason, HasSubstr(std::string(own_[i].reason)));
    }
  }
}

TEST_F(OwnCasesTest, ACrashOrAHangLosesNoOtherCase) {
  SuiteOptions options;
  options.limit_seconds = 1;
  options.jobs = 3;
  options.run_case = [](const Case& c, const RunOptions&) {
    if (c.name == "add") {
      std::fprintf(stderr, "a last\nword");
      std::abort();
    }
    if (c.name == "add_close") std::this_thread::sleep_for(std::chrono::hours(1));
    if (c.name == "add_empty") _exit(3);
    if (c.name == "matmul") {
      for (int i = 0; i < 100'000; ++i) std::fprintf(stderr, "noise\n");
    }
    if (c.name == "relu") return Status(Code::kInternal, "one\ntwo");
    return OkStatus();
  };
  std::map<std::string, std::string> failed;
  for (const CaseResult& result : Run(options)) {
    if (!result.passed) failed[result.name] = result.reason;
  }
  EXPECT_EQ(failed.size(), 4u);
  EXPECT_EQ(failed["add"], "crashed (signal Aborted): a last word");
  EXPECT_EQ(failed["add_close"], "took more than 1 s");
  EXPECT_EQ(failed["add_empty"], "crashed (exit status 3)");
  EXPECT_EQ(failed["relu"], "internal: one two");
}

TEST_F(OwnCasesTest, AreFoundByPattern) {
  const auto names = [&](const std::string& directory, std::vector<std::string> patterns) {
    std::vector<std::string> out;
    const auto cases = FindCases(directory, patterns);
    if (!cases.ok()) return std::vector<std::string>{cases.status().ToString()};
    for (const Case& c : *cases) out.push_back(c.name);
    return out;
  };
  EXPECT_EQ(names(folder_, {"add_t*", "wrong/i*"}),
            (std::vector<std::string>{"add_twice", "wrong/integer"}));
  EXPECT_EQ(names(folder_ + "/add/", {}), std::vector<std::string>{"add"});
  EXPECT_EQ(names(folder_, {"none"}), std::vector<std::string>{});
  EXPECT_EQ(FindCases(folder_ + "/none").status().code(), Code::kNotFound);
}

TEST(CheckIsaTest, SaysWhatRuns) {
  EXPECT_TRUE(CheckIsa("").ok());
  EXPECT_TRUE(CheckIsa("reference").ok());
  EXPECT_EQ(CheckIsa("sse9").code(), Code::kInvalidArgument);
  EXPECT_THAT(CheckIsa("sse9").message(), HasSubstr("reference"));
  EXPECT_FALSE(CheckIsa("avx2").ok() && CheckIsa("neon").ok());
}

Value Float(double value, DType dtype = DType::kF32) {
  Tensor tensor = *Tensor::Zeros(dtype, {1});
  tensor.SetNumber(0, value);
  return Value(tensor);
}

TEST(CompareTest, Floats) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInf = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(CheckValue(Float(1.0009), Float(1)).ok());
  EXPECT_FALSE(CheckValue(Float(1.0011), Float(1)).ok());
  EXPECT_TRUE(CheckValue(Float(0.9e-7), Float(0)).ok());
  EXPECT_FALSE(CheckValue(Float(1.1e-7), Float(0)).ok());
  EXPECT_TRUE(CheckValue(Float(kNan), Float(kNan)).ok());
  EXPECT_FALSE(CheckValue(Float(kNan), Float(1)).ok());
  EXPECT_FALSE(CheckValue(Float(1), Float(kNan)).ok());
  EXPECT_TRUE(CheckValue(Float(kInf), Float(kInf)).ok());
  EXPECT_FALSE(CheckValue(Float(-kInf), Float(kInf)).ok());
  EXPECT_FALSE(CheckValue(Float(3e38), Float(kInf)).ok());
  EXPECT_FALSE(CheckValue(Float(1), Float(1, DType::kF16)).ok());
}

TEST(CompareTest, TextsAndSequences) {
  const std::string a[] = {"a"}, b[] = {"b"};
  const Value text_a(*Tensor::Strings({1}, a)), text_b(*Tensor::Strings({1}, b));
  EXPECT_TRUE(CheckValue(text_a, text_a).ok());
  EXPECT_THAT(CheckValue(text_a, text_b).message(), HasSubstr("'a' instead of 'b'"));
  const auto sequence = [](std::vector<Value> items) {
    return Value(Sequence{DType::kF32, std::move(items)});
  };
  EXPECT_TRUE(CheckValue(sequence({Float(1)}), sequence({Float(1)})).ok());
  EXPECT_THAT(CheckValue(sequence({Float(1), Float(3)}), sequence({Float(1), Float(2)})).message(),
              HasSubstr("element 1: "));
  EXPECT_FALSE(CheckValue(sequence({}), sequence({Float(1)})).ok());
  EXPECT_FALSE(CheckValue(sequence({}), Value()).ok());
  EXPECT_TRUE(CheckValue(Value(), Value()).ok());
  EXPECT_FALSE(CheckValue(Float(1), Value()).ok());
}

// Fields by hand: a tensor f32 [1] = 1, then a sequence of two and optionals.
TEST(OnnxValueTest, SequencesAndOptionals) {
  const std::string tensor("\x08\x01\x10\x01\x4a\x04\x00\x00\x80\x3f", 10);
  const std::string item = std::string("\x1a\x0a", 2) + tensor;
  const auto read = [](const std::string& bytes, ir::ValueKind kind) {
    return formats::ReadOnnxValue(AsBytes(bytes), {"x", kind, DType::kF32});
  };
  EXPECT_TRUE(CheckValue(*read(tensor, ir::ValueKind::kTensor), Float(1)).ok());
  const auto two = read("\x10\x01" + item + item, ir::ValueKind::kSequence);
  ASSERT_TRUE(two.ok()) << two.status().ToString();
  ASSERT_TRUE(two->IsSequence());
  EXPECT_EQ(two->sequence().items.size(), 2u);
  EXPECT_TRUE(read("", ir::ValueKind::kSequence)->IsSequence());
  EXPECT_TRUE(read("", ir::ValueKind::kOptional)->IsNothing());
  EXPECT_TRUE(CheckValue(*read(item, ir::ValueKind::kOptional), Float(1)).ok());
  EXPECT_TRUE(
      read(std::string("\x2a\x0c", 2) + item, ir::ValueKind::kOptionalSequence)->IsSequence());
  EXPECT_EQ(read(item.substr(0, 8), ir::ValueKind::kSequence).code(), Code::kBadModel);
  EXPECT_EQ(read(std::string("\x32\x00", 2), ir::ValueKind::kSequence).code(), Code::kUnsupported);
  // Sequences inside sequences, deeper than any real one.
  std::string deep;
  for (int i = 0; i < 20; ++i)
    deep = std::string("\x2a", 1) + static_cast<char>(deep.size()) + deep;
  EXPECT_EQ(read(deep, ir::ValueKind::kSequence).code(), Code::kUnsupported);
}

TEST(ListTest, RoundTripAndComparison) {
  const auto results = [](bool a, bool b) {
    return std::vector<CaseResult>{{"x/a", a, a ? "" : "why a"}, {"x/b", b, b ? "" : "why b"}};
  };
  const FailingList list =
      MakeList({{"naive", results(false, true)}, {"avx2", results(false, false)}}, {});
  const std::string text = ListText(list);
  EXPECT_THAT(text, HasSubstr("x/a\twhy a\nx/b\twhy b\tavx2\n"));
  const auto parsed = ParseList(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status().ToString();
  EXPECT_EQ(ListText(*parsed), text);
  EXPECT_EQ(CompareWithList(list, "avx2", results(false, false), "x/"), "");
  EXPECT_EQ(CompareWithList(list, "naive", results(false, true), "x/"), "");
  EXPECT_THAT(CompareWithList(list, "naive", results(true, false), "x/"),
              HasSubstr("x/a passes now on naive"));
  EXPECT_THAT(CompareWithList(list, "naive", results(true, false), "x/"),
              HasSubstr("x/b fails now on naive: repair it, or add the row \"x/b\\twhy b\""));
  EXPECT_THAT(CompareWithList(list, "avx2", {}, "x/"), HasSubstr("x/b is no case any more"));
  EXPECT_EQ(CompareWithList(list, "avx2", {}, "y/"), "");
  // Reasons that a person wrote stay.
  FailingList edited = list;
  edited["x/a"].reason = "because";
  EXPECT_EQ(MakeList({{"naive", results(false, true)}}, edited)["x/a"].reason, "because");
  for (const char* bad : {"x", "\ty", "x\t", "x\ty\nx\tz", "x\ty\tz\tw"}) {
    EXPECT_EQ(ParseList(bad).code(), Code::kMalformed) << bad;
  }
}

}  // namespace
}  // namespace ferry::conformance
