// Every type of document: golden bytes, round trips, and what a reader refuses.
#include <cstdlib>
#include <fstream>
#include <functional>

#include "common/base/json.h"
#include "common/trust/tests/test_fixture.h"

namespace ferry::trust {
namespace {

TargetEntry DeltaEntry() {
  TargetEntry entry = TestEntry("2.0.0", 2, 2);
  entry.kind = ArtefactKind::kDelta;
  entry.base_version = "1.0.0";
  entry.base_sha256 = TestEntry("1.0.0", 1, 1).plain_sha256;
  entry.fallback = Fallback{"1.0.0", *entry.base_sha256};
  return entry;
}

// What released devices hold and released publishers signed must be read for ever: each document
// as cases/<role>.json has it. FERRY_WRITE_GOLDEN=1 writes the files of new documents.
TEST(DocumentsTest, GoldenBytes) {
  TestRepository repo;
  repo.targets.entries[DeltaPath("digits", "2.0.0", "1.0.0")] = DeltaEntry();
  repo.Publish();
  const Bytes assignment = *SignAssignment(
      repo.MakeAssignment(1, Action::kInstall, {FullPath("digits", "1.0.0")}), repo.director_key);
  const std::pair<const char*, const Bytes&> documents[] = {{"root", repo.root_document},
                                                            {"targets", repo.targets_document},
                                                            {"snapshot", repo.snapshot_document},
                                                            {"timestamp", repo.timestamp_document},
                                                            {"assignment", assignment}};
  for (const auto& [role, document] : documents) {
    const std::string path = fmt::format(FERRY_SOURCE_DIR "/common/trust/cases/{}.json", role);
    if (std::getenv("FERRY_WRITE_GOLDEN") != nullptr) {
      std::ofstream(path, std::ios::binary) << AsText(document);
    }
    std::ifstream file(path, std::ios::binary);
    const std::string golden{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(AsText(document), golden) << path;
  }
  EXPECT_EQ(ToHex(EntryHash(DeltaEntry())),
            "74cca063563624bae92545dde5db0d6904ec03d93978bff2a35a6f7695651e7a");
}

TEST(DocumentsTest, RoundTrips) {
  TestRepository repo;
  repo.targets.entries[DeltaPath("digits", "2.0.0", "1.0.0")] = DeltaEntry();
  TargetEntry exclusive = TestEntry("2.0.0", 2, 3);
  exclusive.kind = ArtefactKind::kExclusive;
  repo.targets.entries[ExclusivePath("digits", "2.0.0", "calibration.json")] = exclusive;
  repo.Publish();
  EXPECT_EQ(OpenTargets(repo.root, repo.targets_document)->entries, repo.targets.entries);
  const Root root = *ParseSelfSignedRoot(repo.root_document);
  EXPECT_EQ(RootToJson(root), RootToJson(repo.root));
  const Assignment assignment = repo.MakeAssignment(3, Action::kRollback, {"a/1.0.0/full"});
  EXPECT_EQ(*AssignmentFromJson(AssignmentToJson(assignment)), assignment);
  OnlineKeys keys;
  keys.snapshot.fill(1);
  keys.timestamp.fill(2);
  keys.director.fill(3);
  keys.escrow.fill(4);
  EXPECT_EQ(OnlineKeysFromText(OnlineKeysToText(keys))->escrow, keys.escrow);
  EXPECT_EQ(OnlineKeysToText(*OnlineKeysFromText(OnlineKeysToText(keys))), OnlineKeysToText(keys));
}

TEST(DocumentsTest, RootSaysWhereTheServerIsAndByWhatItIsKnown) {
  TestRepository repo;
  EXPECT_FALSE(RootToJson(repo.root)["ferry"].contains("line"));
  repo.root.line = {{"sha256:" + std::string(64, 'a'), "sha256:" + std::string(64, '0')},
                    {"ferry.example:7800", "[::1]:1"}};
  EXPECT_EQ(RootFromJson(RootToJson(repo.root))->line, repo.root.line);
  OnlineKeys keys;
  keys.line = repo.root.line;
  EXPECT_EQ(OnlineKeysFromText(OnlineKeysToText(keys))->line, repo.root.line);
  keys.line = Line();  // takes the root's away, which is not the same as saying nothing
  EXPECT_EQ(OnlineKeysFromText(OnlineKeysToText(keys))->line, Line());

  for (const char* pin : {"", "sha256:", "sha256:zz", "0011", "sha256:AB"}) {
    repo.root.line = {{pin}, {}};
    EXPECT_EQ(RootFromJson(RootToJson(repo.root)).code(), Code::kMalformed) << pin;
  }
  repo.root.line = {{}, std::vector<std::string>(9, "a:1")};
  EXPECT_EQ(RootFromJson(RootToJson(repo.root)).status().message(), "line: 9 addresses, at most 8");
}

TEST(DocumentsTest, AddressesAreHostAndPort) {
  for (const char* text : {"ferry.example:7800", "10.0.0.1:1", "[fe80::1]:65535"})
    EXPECT_EQ(AddressToText(*AddressFromText(text)), text);
  EXPECT_EQ(AddressFromText("[::1]:8")->host, "::1");
  for (const char* text : {"", "a", "a:", ":1", "a:0", "a:65536", "a:99999999999999999999", "a:1x",
                           "::1:8", "[]:1", "a b:1", "a/b:1", "u@h:1", "[a]b]:1"})
    EXPECT_EQ(AddressFromText(text).code(), Code::kMalformed) << text;
}

// Devices that do not know what a package says of itself unwrap its key with the hash they form.
TEST(DocumentsTest, SayingsAreSignedAndNoPartOfTheHash) {
  const TargetEntry plain = TestEntry("2.0.0", 2, 2);
  EXPECT_FALSE(TargetEntryToJson(plain)["custom"].contains("requires"));
  TargetEntry entry = plain;
  entry.requires_json = R"({"memory":"2 GiB","runtime":">=0.1"})";
  entry.licence = "Apache-2.0";
  entry.description = "Reads handwritten digits";
  entry.git = GitOrigin{"vision", "digits", "digits/2.0.0", std::string(40, 'a')};
  EXPECT_EQ(EntryHash(entry), EntryHash(plain));
  const Json json = TargetEntryToJson(entry);
  EXPECT_EQ(json["custom"]["requires"]["memory"], "2 GiB");
  EXPECT_EQ(*TargetEntryFromJson(json), entry);
  const auto refused = [&](const char* member, const Json& value) {
    Json changed = json;
    changed["custom"][member] = value;
    return TargetEntryFromJson(changed).code() == Code::kMalformed;
  };
  EXPECT_TRUE(refused("requires", "2 GiB"));
  EXPECT_TRUE(refused("requires", {{"os", std::string(kMaxRequiresBytes, 'x')}}));
  EXPECT_TRUE(refused("git", "digits/2.0.0"));
  EXPECT_TRUE(refused("git", Json::object()));
  EXPECT_TRUE(refused("licence", ""));
  EXPECT_TRUE(refused("licence", std::string(kMaxLicenceBytes + 1, 'x')));
  EXPECT_TRUE(refused("description", std::string(kMaxDescriptionBytes + 1, 'x')));
  EXPECT_FALSE(refused("description", std::string(kMaxDescriptionBytes, 'x')));
}

TEST(DocumentsTest, AnOriginNamesScenarioTaskTagAndCommit) {
  const GitOrigin origin{"vision", "digits", "digits/2.0.0", std::string(40, '7')};
  const Json json = GitOriginToJson(origin);
  EXPECT_EQ(*GitOriginFromJson(json), origin);
  const auto refused = [&](const char* member, const Json& value) {
    Json changed = json;
    changed[member] = value;
    const Status status = GitOriginFromJson(changed).status();
    return status.code() == Code::kMalformed && status.message().find(member) != std::string::npos;
  };
  EXPECT_FALSE(refused("commit", std::string(64, 'f')));
  for (const std::string& commit : {std::string(), std::string(39, 'a'), std::string(40, 'A'),
                                    std::string(40, 'g'), std::string(64, ' ')})
    EXPECT_TRUE(refused("commit", commit)) << commit;
  for (const char* tag : {"", "digits", "digits/", "/2.0.0", "digits/2.0.0/x", "../2.0.0"})
    EXPECT_TRUE(refused("tag", tag)) << tag;
  EXPECT_TRUE(refused("scenario", "two words"));
  EXPECT_TRUE(refused("scenario", nullptr));
  EXPECT_TRUE(refused("task", 3));
  EXPECT_TRUE(CheckOrigin(origin, "digits", "2.0.0").ok());
  EXPECT_EQ(CheckOrigin(origin, "digits", "2.0.1").code(), Code::kInvalidArgument);
  EXPECT_EQ(CheckOrigin(origin, "letters", "2.0.0").code(), Code::kInvalidArgument);
}

TEST(DocumentsTest, RootRefusesKeysAndThresholdsThatCannotBe) {
  const Json good = RootToJson(TestRepository().root);
  const auto bad = [&](const std::function<void(Json&)>& change) {
    Json json = good;
    change(json);
    return RootFromJson(json).status();
  };
  EXPECT_TRUE(bad([](Json&) {}).ok());
  const std::string id = KeyIdOf(TestKey(1).public_key());
  EXPECT_EQ(bad([](Json& j) { j["roles"]["root"]["threshold"] = 3; }).message(),
            "role \"root\" has 2 keys and threshold 3");
  EXPECT_EQ(bad([](Json& j) { j["roles"]["root"]["threshold"] = 0; }).code(), Code::kMalformed);
  EXPECT_EQ(bad([&](Json& j) {
              j["roles"]["root"]["keyids"] = {id, id};
            }).message(),
            "role \"root\" names key " + id.substr(0, 12) + " twice");
  EXPECT_EQ(bad([&](Json& j) { j["keys"].erase(id); }).code(), Code::kMalformed);
  EXPECT_EQ(bad([&](Json& j) { j["keys"][id] = KeyToJson(TestKey(9).public_key()); }).code(),
            Code::kMalformed);
  EXPECT_EQ(bad([&](Json& j) { j["keys"][id]["keytype"] = "rsa"; }).code(), Code::kUnsupported);
  EXPECT_EQ(bad([](Json& j) { j["roles"].erase("timestamp"); }).code(), Code::kMalformed);
  EXPECT_EQ(bad([](Json& j) { j.erase("ferry"); }).code(), Code::kMalformed);
  EXPECT_EQ(bad([](Json& j) { j["version"] = 0; }).code(), Code::kMalformed);
  EXPECT_EQ(bad([](Json& j) { j["version"] = uint64_t{1} << 63; }).code(), Code::kMalformed);
  EXPECT_EQ(bad([](Json& j) { j["_type"] = "targets"; }).code(), Code::kMalformed);
  EXPECT_EQ(bad([](Json& j) { j["spec_version"] = "2.0.0"; }).code(), Code::kUnsupported);
  EXPECT_EQ(bad([](Json& j) {
              for (uint8_t i = 20; i < 20 + kMaxRootKeys; ++i) {
                const PublicKey key = TestKey(i).public_key();
                j["keys"][KeyIdOf(key)] = KeyToJson(key);
              }
            }).code(),
            Code::kLimitExceeded);
}

TEST(DocumentsTest, TargetPathsFitTheirEntries) {
  Targets targets;
  const auto status = [&](std::string path, const TargetEntry& entry) {
    targets.entries = {{path, entry}};
    return TargetsFromJson(TargetsToJson(targets)).status();
  };
  EXPECT_TRUE(status("digits/1.0.0/full", TestEntry("1.0.0", 1, 1)).ok());
  EXPECT_EQ(status("digits/2.0.0/full", TestEntry("1.0.0", 1, 1)).code(), Code::kMalformed);
  EXPECT_EQ(status("other/1.0.0/full", TestEntry("1.0.0", 1, 1)).code(), Code::kMalformed);
  EXPECT_EQ(status("digits/1.0.0/delta-from-0.9.0", TestEntry("1.0.0", 1, 1)).code(),
            Code::kMalformed);
  EXPECT_EQ(status("digits/2.0.0/delta-from-0.9.0", DeltaEntry()).code(), Code::kMalformed);
  TargetEntry exclusive = TestEntry("1.0.0", 1, 1);
  exclusive.kind = ArtefactKind::kExclusive;
  EXPECT_TRUE(status("digits/1.0.0/exclusive/a.json", exclusive).ok());
  EXPECT_EQ(status("digits/1.0.0/exclusive/../a", exclusive).code(), Code::kMalformed);
  EXPECT_EQ(status("digits/1.0.0/exclusive/", exclusive).code(), Code::kMalformed);
  TargetEntry named = TestEntry("1.0.0", 1, 1);
  named.package = "../up";
  EXPECT_EQ(status("../up/1.0.0/full", named).code(), Code::kMalformed);
  TargetEntry counter = TestEntry("1.0.0", 0, 1);
  EXPECT_EQ(status("digits/1.0.0/full", counter).code(), Code::kMalformed);
  TargetEntry large = TestEntry("1.0.0", 1, 1);
  large.length = kMaxArtefactBytes;
  EXPECT_TRUE(status("digits/1.0.0/full", large).ok());
  ++large.length;
  EXPECT_EQ(status("digits/1.0.0/full", large).code(), Code::kMalformed);
}

TEST(DocumentsTest, NamesHaveALimit) {
  EXPECT_TRUE(IsName(std::string(kMaxNameBytes, 'a')));
  EXPECT_FALSE(IsName(std::string(kMaxNameBytes + 1, 'a')));
  for (const char* bad : {"", ".", "..", ".x", "a/b", "a b", "ä", "a|b"}) EXPECT_FALSE(IsName(bad));
}

TEST(DocumentsTest, AssignmentsHaveLimits) {
  TestRepository repo;
  Assignment assignment = repo.MakeAssignment(1, Action::kInstall, {});
  assignment.targets.assign(kMaxAssignedPaths, "p");
  EXPECT_TRUE(AssignmentFromJson(AssignmentToJson(assignment)).ok());
  assignment.targets.push_back("p");
  EXPECT_EQ(AssignmentFromJson(AssignmentToJson(assignment)).code(), Code::kLimitExceeded);
  assignment.targets.clear();
  assignment.release.assign(kMaxNameBytes, 'r');
  EXPECT_TRUE(AssignmentFromJson(AssignmentToJson(assignment)).ok());
  assignment.release += 'r';
  EXPECT_EQ(AssignmentFromJson(AssignmentToJson(assignment)).code(), Code::kLimitExceeded);
}

}  // namespace
}  // namespace ferry::trust
