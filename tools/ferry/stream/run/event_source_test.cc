// Where the events of state directories are found: the log of an app, sealed or not, and the file
// that a ferry-device reads.
#include "tools/ferry/stream/run/event_source.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "common/sys/random.h"
#include "pipeline/log/log.h"
#include "pipeline/store/outbox.h"
#include "tools/ferry/stream/run/state_folder.h"

namespace ferry::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class EventSourceTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "ferry_event_source_" + std::to_string(getpid());
    std::filesystem::create_directories(folder_);
    Write("key", std::string(64, 'a') + "\n");
    Write("other-key", std::string(32, 'x'));
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  void Write(const std::string& name, const std::string& text) {
    std::ofstream(Path(name), std::ios::binary) << text;
  }
  std::unique_ptr<store::Outbox> Outbox() {
    return store::OpenOutbox(Path(kOutboxFile), sys::SystemRandom()).value();
  }
  void FillLog(const std::optional<crypto::Secret32>& key) {
    const auto log = log::Log::Open(sys::SystemFileSystem(), sys::SystemClock(),
                                    sys::SystemRandom(), {.directory = Path("events"), .key = key})
                         .value();
    for (const char* id : {"a", "b"}) {
      event::Event event;
      event.id = id;
      event.time_ms = 5;
      ASSERT_TRUE(log->Append(event, 5).ok());
    }
    ASSERT_TRUE(log->WaitDurable(2).ok());
  }
  // "NUMBER ID" of each, or the error.
  std::vector<std::string> Events(const std::string& key_file = "") {
    std::vector<std::string> out;
    const Status read = ForEachEvent({"", folder_, key_file}, [&out](const auto& event) {
      out.push_back(std::to_string(event->number) + " " + event->id);
      return true;
    });
    if (!read.ok()) out.push_back(read.ToString());
    return out;
  }

  std::string folder_;
};

TEST_F(EventSourceTest, OfAFerryDeviceItIsTheFileUpToWhatWasWorkedOff) {
  const std::string two = "{\"id\":\"a\"}\n\n{\"id\":\"b\"}\n";
  Write("lines", two + "{\"id\":\"c\"}\n");
  ASSERT_TRUE(Outbox()->OpenLog(store::kSpoolLog).ok());
  const auto outbox = Outbox();
  ASSERT_TRUE(outbox->OpenLog(Path("lines")).ok());
  EXPECT_THAT(Events(), ElementsAre());
  ASSERT_TRUE(outbox->ResetLog(two.size()).ok());
  EXPECT_THAT(Events(), ElementsAre("0 a", "2 b"));
  Write("lines", "{\"id\":\"a\"}\n");
  EXPECT_THAT(Events(), ElementsAre(HasSubstr("shorter than what the device")));
  std::filesystem::remove(Path("lines"));
  EXPECT_THAT(Events(), ElementsAre(HasSubstr("give it with --events")));
}

TEST_F(EventSourceTest, ASealedLogNeedsItsKey) {
  store::OutboxOptions options;
  options.key = crypto::Secret32::From(Bytes(32, 0xaa), "key").value();
  FillLog(options.key);
  EXPECT_THAT(Events(), ElementsAre(HasSubstr("--key-file")));
  EXPECT_THAT(Events(Path("other-key")), ElementsAre(HasSubstr("wrong_key")));
  EXPECT_THAT(Events(Path("none")), ElementsAre(HasSubstr("the key")));
  EXPECT_THAT(Events(Path("key")), ElementsAre("1 a", "2 b"));
  ASSERT_TRUE(store::OpenOutbox(Path(kOutboxFile), sys::SystemRandom(), options).ok());
  EXPECT_THAT(Events(), ElementsAre(HasSubstr("the outbox: give its key with --key-file")));
  EXPECT_THAT(Events(Path("key")), ElementsAre("1 a", "2 b"));
}

TEST_F(EventSourceTest, WhatIsPlainStaysPlain) {
  FillLog(std::nullopt);
  (void)Outbox();
  EXPECT_THAT(Events(Path("key")), ElementsAre("1 a", "2 b"));
  EXPECT_THAT(Events(), ElementsAre("1 a", "2 b"));
}

}  // namespace
}  // namespace ferry::cli
