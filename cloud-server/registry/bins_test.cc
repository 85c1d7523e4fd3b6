// Targets that a publisher spreads over hash bins: taken in, named by the snapshot, checked whole.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cloud-server/registry/check.h"
#include "cloud-server/registry/test_publisher.h"
#include "common/trust/envelope.h"
#include "common/trust/trusted_set.h"
#include "common/trust/withdrawn.h"

namespace ferry::server {
namespace {

using testing::HasSubstr;

class PublishedBins : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(server_.registry->PutRoot(publisher_.RootDocument()).ok());
    Spread(4);
    for (int64_t i = 1; i <= 20; ++i) Add(i);
    ASSERT_EQ(Publish().ToString(), "ok");
    const Bytes root = Document("root");
    set_.emplace(*trust::TrustedSet::FromPinnedRoot(root, crypto::Sha256(root)));
  }
  void Spread(int bits) {
    publisher_.targets.bins.reset();
    if (bits > 0) publisher_.targets.bins.emplace().bit_length = bits;
  }
  std::string Add(int64_t counter) {
    return publisher_.Add(fmt::format("{}.0.0", counter), counter, fmt::format("plain {}", counter),
                          counter == 1 ? "" : fmt::format("{}.0.0", counter - 1));
  }
  Status Publish(bool force = false) {
    Publication publication = publisher_.Make();
    publication.force = force;
    publication.bins = publisher_.documents.bins;  // one before may have been refused
    return server_.registry->Publish(publication).status();
  }
  Bytes Document(const std::string& role, int64_t version = 0) {
    return server_.registry->Metadata(role, version)->document;
  }
  // As a device with all of it does.
  Status Walk(trust::TrustedSet& set) {
    const int64_t now_ms = server_.clock.now_ms;
    FERRY_TRY(set.UpdateTimestamp(Document("timestamp"), now_ms));
    if (set.NeedsSnapshot()) FERRY_TRY(set.UpdateSnapshot(Document("snapshot"), now_ms));
    if (set.NeedsTargets()) FERRY_TRY(set.UpdateTargets(Document("targets"), now_ms));
    std::vector<std::string> paths;
    for (const auto& [path, entry] : publisher_.targets.entries) paths.push_back(path);
    for (const std::string& name : set.BinsNeeded(paths)) {
      FERRY_ASSIGN_OR_RETURN(const int64_t version, set.BinVersion(name));
      FERRY_TRY(set.UpdateBin(name, Document(name, version), now_ms));
    }
    return OkStatus();
  }

  TestServer server_;
  TestPublisher publisher_{server_};
  std::optional<trust::TrustedSet> set_;
};

TEST_F(PublishedBins, DevicesFindInThemWhatOneDocumentWouldSay) {
  ASSERT_EQ(Walk(*set_).ToString(), "ok");
  EXPECT_EQ(set_->targets()->entries, publisher_.targets.entries);
  EXPECT_EQ(server_.registry->Signed()->entries, publisher_.targets.entries);
  EXPECT_EQ(set_->snapshot()->files.size(), 17u);
  // The next publication sends the bin alone that it changed.
  const std::string path = Add(21);
  const Publication next = publisher_.Make();
  ASSERT_EQ(next.bins.size(), 1u);
  EXPECT_EQ(next.bins.begin()->first, trust::BinName(4, trust::BinNumberOf(4, path)));
  ASSERT_TRUE(server_.registry->Publish(next).ok());
  EXPECT_TRUE(server_.registry->Publish(next).ok());  // its answer was lost
  ASSERT_EQ(Walk(*set_).ToString(), "ok");
  EXPECT_EQ(set_->targets()->entries, publisher_.targets.entries);
  // Snapshots that are signed anew without a publication go on naming all.
  server_.clock.now_ms += 5 * trust::kDayMs;
  ASSERT_TRUE(server_.registry->Refresh().ok());
  EXPECT_EQ(Walk(*set_).ToString(), "ok");
  EXPECT_EQ(set_->snapshot()->files.size(), 17u);
}

TEST_F(PublishedBins, AnotherSpreadIsNoRollbackToADevice) {
  ASSERT_EQ(Walk(*set_).ToString(), "ok");
  for (const int bits : {6, 0, 4}) {
    Spread(bits);
    ASSERT_EQ(Publish().ToString(), "ok") << bits;
    ASSERT_EQ(Walk(*set_).ToString(), "ok") << bits;
    EXPECT_EQ(set_->targets()->entries, publisher_.targets.entries) << bits;
    EXPECT_EQ(server_.registry->Signed()->entries, publisher_.targets.entries) << bits;
  }
  EXPECT_EQ(set_->snapshot()->files.size(), 1u + 16 + 64);
}

TEST_F(PublishedBins, AMissingBinIsNamed) {
  Add(21);
  Publication next = publisher_.Make();
  const std::string name = next.bins.begin()->first;
  next.bins.clear();
  const Status status = server_.registry->Publish(next).status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr(name + " version 2 is not here"));
  next.bins = publisher_.documents.bins;
  next.bins["bin-00"] = next.bins.begin()->second;
  EXPECT_EQ(server_.registry->Publish(next).code(), Code::kInvalidArgument);
}

TEST_F(PublishedBins, AStrangersBinIsRefused) {
  Add(21);
  Publication next = publisher_.Make();
  const auto& [name, document] = *publisher_.documents.bins.begin();
  const crypto::SigningKey stranger = crypto::SigningKey::Generate(sys::SystemRandom());
  trust::TargetsBin bin;
  bin.version = 1;
  bin.expires_ms = publisher_.targets.expires_ms;
  next.bins[name] = *trust::SignDocument(trust::BinToJson(bin, name), {&stranger, 1});
  EXPECT_EQ(server_.registry->Publish(next).code(), Code::kBadSignature);
  EXPECT_EQ(server_.registry->Signed()->version, 1);
}

// What was published stays, whatever bin it is in.
TEST_F(PublishedBins, AnEntryThatIsGoneFromItsBinIsRefused) {
  const trust::Targets all = publisher_.targets;
  publisher_.targets.entries.erase("digits/7.0.0/full");
  EXPECT_THAT(Publish().message(),
              HasSubstr("digits/7.0.0/full: was published before and is gone"));
  publisher_.targets.entries = all.entries;
  ASSERT_TRUE(trust::Withdraw(publisher_.targets, "digits", "20.0.0", "broken", false).ok());
  ASSERT_EQ(Publish().ToString(), "ok");
  EXPECT_EQ(server_.registry->Withdrawn()->size(), 1u);
  EXPECT_EQ(server_.registry->Signed()->entries.size(), 19u);
}

TEST_F(PublishedBins, PersonalFilesAreDelegatedAboveThem) {
  publisher_.Delegate("personal/digits/*");
  ASSERT_EQ(Publish().ToString(), "ok");
  EXPECT_TRUE(server_.registry->PersonalDelegation().ok());
}

TEST_F(PublishedBins, DevicesThatFetchNoneAreCountedBeforeTheyAreCutOff) {
  Spread(0);
  ASSERT_EQ(Publish().ToString(), "ok");
  const auto put = [&](bool reads, int64_t row_version) {
    return server_.store->Write([&](Transaction& tx) -> Status {
      DeviceRow row;
      row.id = "d1";
      row.identity_public = Bytes(32, 1);
      row.seal_public = Bytes(32, 2);
      row.reads_bins = reads;
      row.row_version = row_version;
      return tx.devices().Put(row);
    });
  };
  ASSERT_EQ(put(false, 0).ToString(), "ok");
  Spread(4);
  const Status status = Publish();
  EXPECT_EQ(status.code(), Code::kFailedPrecondition);
  EXPECT_THAT(status.message(), HasSubstr("1 devices do not fetch targets in bins"));
  EXPECT_EQ(Publish(/*force=*/true).ToString(), "ok");
  // Nothing begins any more.
  Add(21);
  EXPECT_EQ(Publish().ToString(), "ok");
  Spread(0);
  ASSERT_EQ(Publish().ToString(), "ok");
  ASSERT_EQ(put(true, 1).ToString(), "ok");
  Spread(4);
  EXPECT_EQ(Publish().ToString(), "ok");
}

TEST_F(PublishedBins, TheCheckWalksThem) {
  std::vector<MetadataRow> rows;
  for (const char* role : {"root", "targets", "snapshot", "timestamp"})
    rows.push_back(*server_.registry->Metadata(role, 0));
  for (const auto& [name, document] : publisher_.documents.bins)
    rows.push_back(*server_.registry->Metadata(name, 0));
  std::vector<ArtefactRow> artefacts;
  ASSERT_TRUE(server_.store
                  ->Read([&](Transaction& tx) -> Status {
                    for (const auto& [path, entry] : publisher_.targets.entries) {
                      FERRY_ASSIGN_OR_RETURN(ArtefactRow row, tx.packages().Artefact(path));
                      artefacts.push_back(std::move(row));
                    }
                    return OkStatus();
                  })
                  .ok());
  const auto check = [&] {
    return CheckPublished(rows, artefacts, server_.secrets, server_.clock.now_ms);
  };
  EXPECT_THAT(check(), testing::IsEmpty());
  const MetadataRow last = rows.back();
  rows.pop_back();
  EXPECT_THAT(check(), testing::Contains(HasSubstr(last.role + " version 1")));
  rows.push_back(last);
  rows.back().document.push_back(' ');
  EXPECT_THAT(check(), testing::Contains(HasSubstr(last.role)));
}

}  // namespace
}  // namespace ferry::server
