#include "cloud-server/main/line/authorities.h"

#include <gtest/gtest.h>

#include <functional>

#include "cloud-server/main/home.h"
#include "common/net/door_tls.h"
#include "common/sys/sim/filesystem.h"
#include "common/sys/sim/world.h"

namespace ferry::server {
namespace {

const std::vector<std::string> kOneName = {"127.0.0.1"};

struct AuthoritiesTest : testing::Test {
  AuthoritiesTest() { EXPECT_TRUE(MakeHome(fs, "/srv", {}, random).ok()); }

  sys::SimFileSystem fs;
  sys::SeededRandom random{3};
  Authorities authorities{fs, "/srv"};
};

TEST_F(AuthoritiesTest, OneFollowsAnother) {
  const std::string first = authorities.Chains()->front().pin;
  EXPECT_FALSE(*authorities.Wanted());
  EXPECT_EQ(authorities.Retire().code(), Code::kFailedPrecondition);
  EXPECT_EQ(authorities.Drop().code(), Code::kFailedPrecondition);

  const std::string second = *authorities.Add("Ferry", kOneName);
  EXPECT_NE(second, first);
  EXPECT_EQ((*authorities.Wanted())->authorities, (std::vector<std::string>{second, first}));
  EXPECT_EQ(authorities.Chains()->size(), 2u);
  EXPECT_EQ(OpenHome(fs, "/srv")->authority_pin, first);
  EXPECT_EQ(OpenHome(fs, "/srv")->further.size(), 1u);

  ASSERT_TRUE(authorities.Retire().ok());
  EXPECT_EQ((*authorities.Wanted())->authorities, std::vector<std::string>{second});
  EXPECT_EQ(authorities.Chains()->size(), 2u) << "it serves on";
  ASSERT_TRUE(authorities.Drop().ok());
  EXPECT_EQ(OpenHome(fs, "/srv")->authority_pin, second);
  EXPECT_TRUE(OpenHome(fs, "/srv")->further.empty());
  EXPECT_FALSE(sys::Exists(fs, "/srv/ca.key"));
  EXPECT_EQ(fs.Stat("/srv/authorities/2/ca.key")->permissions, 0600);
}

TEST_F(AuthoritiesTest, AddressesAndNames) {
  const std::string first = authorities.Chains()->front().pin;
  ASSERT_TRUE(authorities.SetAddresses({"ferry.example:7443"}).ok());
  EXPECT_EQ(authorities.SetAddresses({"ferry.example"}).code(), Code::kMalformed);
  EXPECT_EQ((*authorities.Wanted())->addresses, std::vector<std::string>{"ferry.example:7443"});
  EXPECT_TRUE((*authorities.Wanted())->authorities.empty()) << "devices know it as before";
  ASSERT_TRUE(authorities.Rename({"ferry.example", "127.0.0.1"}).ok());
  const auto chains = authorities.Chains();
  EXPECT_EQ(chains->front().pin, first);
  EXPECT_EQ(*net::CertificateNames(chains->front().server.certificate_pem),
            std::vector<std::string>{"ferry.example"});
  // A further authority keeps the addresses.
  ASSERT_TRUE(authorities.Add("Ferry", kOneName).ok());
  EXPECT_EQ((*authorities.Wanted())->addresses.size(), 1u);
  // Whose key is kept elsewhere cannot make certificates.
  ASSERT_TRUE(fs.Remove("/srv/authorities/3/ca.key").ok());
  EXPECT_EQ(authorities.Rename(kOneName).code(), Code::kNotFound);
}

TEST_F(AuthoritiesTest, AnIndexThatNamesOtherFoldersIsRefused) {
  for (const char* chains : {R"([])", R"(["/etc"])", R"(["authorities/../../x"])", R"(["keys"])"}) {
    const std::string text = std::string(R"({"chains":)") + chains + R"(,"line":{}})";
    ASSERT_TRUE(sys::WriteFileAtomically(fs, "/srv/line.json", AsBytes(text)).ok());
    EXPECT_EQ(authorities.Chains().code(), Code::kMalformed) << chains;
  }
}

// Whichever change of the disk is the last: certificates stand beside their keys, and no authority
// that devices may know is gone.
TEST(AuthoritiesCrash, LosesNone) {
  const std::function<Status(Authorities&)> steps[] = {
      [](Authorities& authorities) { return authorities.Add("Ferry", kOneName).status(); },
      [](Authorities& authorities) { return authorities.Rename({"a.example"}); },
  };
  for (const auto& step : steps) {
    uint64_t nth = 1;
    for (bool cut = true; cut; ++nth) {
      sys::SimFileSystem fs;
      sys::SeededRandom random(5);
      ASSERT_TRUE(MakeHome(fs, "/srv", {}, random).ok());
      Authorities authorities(fs, "/srv");
      const std::string first = authorities.Chains()->front().pin;
      cut = false;
      uint64_t left = nth;
      fs.SetFault([&](const char*, const std::string& path) {
        cut = cut || --left == 0;
        return cut ? Status::Of(Code::kIo, "{}: the power is gone", path) : OkStatus();
      });
      const Status done = step(authorities);
      EXPECT_EQ(done.ok(), !cut) << done.ToString();
      fs.SetFault(nullptr);
      fs.CutPower();
      const auto chains = authorities.Chains();
      ASSERT_TRUE(chains.ok()) << "cut at " << nth << ": " << chains.status().ToString();
      EXPECT_EQ(chains->front().pin, first);
      for (const AuthorityChain& chain : *chains) {
        EXPECT_TRUE(net::MakeDoorTls(chain.server).ok()) << "cut at " << nth;
      }
      ASSERT_TRUE(step(authorities).ok()) << "cut at " << nth;
    }
    EXPECT_GT(nth, 5u);
  }
}

}  // namespace
}  // namespace ferry::server
