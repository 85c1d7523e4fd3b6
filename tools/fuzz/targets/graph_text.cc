#include "common/base/check.h"
#include "device-runtime/ir/text.h"
#include "tools/fuzz/target.h"
#include "tools/fuzz/use_graph.h"

namespace ferry::fuzz {
namespace {

void RunGraphText(ByteView bytes) {
  auto graph = ir::Parse(AsText(bytes));
  if (!graph.ok() || !ir::Verify(*graph).ok()) return;
  const std::string text = ir::Print(*graph);
  auto again = ir::Parse(text);
  CHECK(again.ok()) << again.status().ToString();
  CHECK(ir::Print(*again) == text);
  UseGraph(*std::move(graph));
}

std::vector<Bytes> GraphTextSeeds() {
  return {
      ToBytes(std::string_view("graph g\ninput x f32 [n,1,2,2]\nconst w f32 [2,1,2,2] = 1 2 3 4 5 "
                               "6 7 8\nnode Conv a (x, w) -> (h)\nnode Relu b (h) -> (y)\n"
                               "output y\n")),
      ToBytes(
          std::string_view("graph g\ninput c bool []\ninput x f32 [2]\nnode If i (c, x) -> (y) "
                           "captured 1 else_branch=g then_branch=g\n{\ngraph e captured 1\n"
                           "input x f32 [2]\nnode Neg n (x) -> (a)\noutput a\ngraph t captured "
                           "1\ninput x f32 [2]\nnode Exp p (x) -> (b)\noutput b\n}\noutput y\n")),
      ToBytes(std::string_view("graph g\ninput x i64 [3]\nconst s i64 [1] = 2\nnode Slice@1 a (x) "
                               "-> (y) starts=I[0] ends=I[2]\nnode TopK b (y, s) -> (v, i)\n"
                               "output v\noutput i\n")),
  };
}

}  // namespace

const Target kGraphTextTarget = {"graph_text", RunGraphText, GraphTextSeeds};

}  // namespace ferry::fuzz
