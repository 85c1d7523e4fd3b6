// As engine.c, in C++20 and without exceptions.
#include <cstdio>
#include <ferry.hpp>
#include <numeric>
#include <vector>

int main(int argc, char** argv) {
  using namespace ferry::api;
  if (argc != 2) return 2;
  auto engine = Engine::Open(argv[1]);
  if (!engine) return std::fprintf(stderr, "%s\n", engine.error().text.c_str()), 1;
  auto session = engine->NewSession({.threads = 1});
  if (!session) return std::fprintf(stderr, "%s\n", session.error().text.c_str()), 1;
  std::vector<float> image(64, 0.5F), prob(10);
  const Done ran = session->Run({In("image", image, {1, 1, 8, 8})}, {Out("prob", prob)});
  if (!ran) return std::fprintf(stderr, "%s\n", ran.error().text.c_str()), 1;
  std::printf("%s %zu %.3f\n", ferry_version(), prob.size(),
              std::accumulate(prob.begin(), prob.end(), 0.0F));
}
