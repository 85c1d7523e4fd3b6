// tasks/digits as devices run it: packed by `ferry pack`'s code, opened by the task host and by the
// SDK, on all of its test images.
#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "common/sys/random.h"
#include "device-runtime/api/ferry.hpp"
#include "device-runtime/task/host.h"
#include "device-runtime/task/outcome.h"
#include "tools/ferry/local/pack.h"

namespace ferry {
namespace {

using testing::HasSubstr;

constexpr int kImages = 450, kPixels = 64;
constexpr int kRightOfReference = 448;  // what the float reference of the model reaches

template <typename T>
std::vector<T> ReadAll(const std::string& name) {
  std::ifstream in(std::string(FERRY_SOURCE_DIR "/tasks/digits/") + name, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  std::vector<T> out(bytes.size() / sizeof(T));
  std::memcpy(out.data(), bytes.data(), out.size() * sizeof(T));
  return out;
}

Json ImageEvent(int image, const std::vector<float>& pixels) {
  constexpr float kInk = 16;  // images.f32 holds 0..1; apps send grey levels
  Json levels = Json::array();
  for (int k = 0; k < kPixels; ++k)
    levels.push_back(std::lround(pixels[static_cast<size_t>(image * kPixels + k)] * kInk));
  return {{"id", "image"},
          {"page", "scan"},
          {"time_ms", 1000 + image},
          {"data", {{"image", image}, {"pixels", levels}}}};
}

class DigitsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = testing::TempDir() + "ferry_digits_" + std::to_string(getpid());
    std::filesystem::create_directories(folder_);
    package_ = folder_ + "/digits.fpk";
    cli::PackRequest request;
    request.source = FERRY_SOURCE_DIR "/tasks/digits";
    request.out = package_;
    auto packed = cli::Pack(request);
    ASSERT_TRUE(packed.ok()) << packed.status().ToString();
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(folder_); }

  static inline std::string folder_, package_;
};

TEST_F(DigitsTest, AllImagesThroughTheTask) {
  auto outbox = store::OpenOutbox(":memory:", sys::SystemRandom());
  ASSERT_TRUE(outbox.ok());
  task::HostOptions options;
  options.outbox = outbox->get();
  auto host = task::TaskHost::LoadFile(sys::SystemFileSystem(), package_, options);
  ASSERT_TRUE(host.ok()) << host.status().ToString();
  EXPECT_TRUE((*host)->Probe().ok()) << (*host)->Probe().ToString();
  const auto pixels = ReadAll<float>("images.f32");
  const auto labels = ReadAll<uint8_t>("labels.u8");
  const auto prob = ReadAll<float>("prob.f32");
  ASSERT_EQ(labels.size(), static_cast<size_t>(kImages));
  int right = 0;
  for (int k = 0; k < kImages; ++k) {
    auto enter = event::ParseEvent(R"({"id":"page_enter","page":"scan","time_ms":1})");
    auto image = event::EventFromJson(ImageEvent(k, pixels));
    ASSERT_TRUE(enter.ok() && image.ok());
    (*host)->OnEvent(*enter);
    const task::EventOutcome outcome = (*host)->OnEvent(*image);
    ASSERT_TRUE(outcome.fired);
    ASSERT_TRUE(outcome.error.ok()) << outcome.error.ToString();
    ASSERT_TRUE(outcome.stream_error.ok()) << outcome.stream_error.ToString();
    const int digit = outcome.result["digit"].get<int>();
    right += digit == labels[static_cast<size_t>(k)];
    const float expected = prob[static_cast<size_t>(k * 10 + digit)];
    EXPECT_NEAR(outcome.result["confidence"].get<double>(), expected, 1e-4) << k;
  }
  EXPECT_GE(right, kRightOfReference);
  (*host)->Close();
  const task::HostStats stats = (*host)->stats();
  EXPECT_EQ(stats.inferences, kImages);
  EXPECT_EQ(stats.errors, 0);
  EXPECT_GE((*outbox)->stats().waiting, kImages);  // every result, and the windows
}

TEST_F(DigitsTest, SimulationPasses) {
  auto host = task::TaskHost::LoadFile(sys::SystemFileSystem(), package_, {});
  ASSERT_TRUE(host.ok());
  const Json report = (*host)->Simulate();
  EXPECT_EQ(report["passed"], true) << WriteJson(report);
  EXPECT_GT(report["cases"].get<int>(), 5);
}

TEST_F(DigitsTest, LocalOnlyThroughTheSdk) {
  std::vector<std::string> results;
  api::Runtime runtime([&](std::string_view json) { results.emplace_back(json); });
  ASSERT_TRUE(runtime.ok()) << api::Runtime::error();
  ASSERT_TRUE(runtime.OpenTask(package_)) << api::Runtime::error();
  EXPECT_FALSE(runtime.OpenTask(package_));
  EXPECT_EQ(api::Runtime::code(), FERRY_kAlreadyExists);
  const auto pixels = ReadAll<float>("images.f32");
  const auto labels = ReadAll<uint8_t>("labels.u8");
  for (int k = 0; k < 20; ++k) {
    ASSERT_TRUE(runtime.Send(R"({"id":"page_enter","page":"scan"})")) << api::Runtime::error();
    ASSERT_TRUE(runtime.Send(WriteJson(ImageEvent(k, pixels)))) << api::Runtime::error();
  }
  ASSERT_TRUE(runtime.Flush()) << api::Runtime::error();
  ASSERT_EQ(results.size(), 20u);
  for (size_t k = 0; k < results.size(); ++k) {
    auto json = ParseJson(results[k]);
    ASSERT_TRUE(json.ok());
    EXPECT_EQ((*json)["result"]["digit"], labels[k]);
    EXPECT_EQ((*json)["package"], "digits");
  }
  EXPECT_THAT(runtime.StatusJson(), HasSubstr("\"inferences\":20"));
}

}  // namespace
}  // namespace ferry
