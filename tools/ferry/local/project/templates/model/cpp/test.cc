// Runs @NAME@.onnx and compares with what it must give.
#include <array>
#include <cmath>
#include <ferry_engine.hpp>
#include <iostream>

namespace {

using namespace ferry::api;

struct Case {
  std::array<float, 4> features;
  std::array<float, 3> prob;
};
constexpr Case kCases[] = {{{1, 0, 0, 0}, {0.651564F, 0.216887F, 0.131549F}},
                           {{0, 2, 0, 1}, {0.038405F, 0.771376F, 0.190219F}}};

int Failed(const Error& error) {
  std::cerr << error.name() << ": " << error.text << '\n';
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::cerr << "usage: model_test MODEL\n", 2;
  auto engine = Engine::Open(argv[1]);
  if (!engine) return Failed(engine.error());
  auto session = engine->NewSession();
  if (!session) return Failed(session.error());
  for (const Case& one : kCases) {
    std::array<float, 3> prob;
    const Done ran = session->Run({In("features", one.features, {1, 4})}, {Out("prob", prob)});
    if (!ran) return Failed(ran.error());
    for (size_t i = 0; i < prob.size(); ++i) {
      if (std::abs(prob[i] - one.prob[i]) < 1e-3F) continue;
      std::cerr << "prob[" << i << "] is " << prob[i] << ", expected " << one.prob[i] << '\n';
      return 1;
    }
  }
  std::cout << std::size(kCases) << " passed\n";
}
