#include <cmath>
#include <cstdlib>
#include <iostream>

#include "app.h"

namespace {

void Check(bool holds, const char* what) {
  if (holds) return;
  std::cerr << what << "; Ferry says: " << ferry_error_text() << '\n';
  std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  Check(argc == 2, "usage: app_test MODEL");
  auto app = App::Open(argv[1]);
  Check(app.ok(), "the model opens");

  const auto prob = app->Classify({1, 0, 0, 0});
  Check(prob.ok(), "the model runs");
  const Probabilities expected = {0.651564F, 0.216887F, 0.131549F};
  for (size_t i = 0; i < expected.size(); ++i)
    Check(std::abs((*prob)[i] - expected[i]) < 1e-4F, "the probabilities");

  Check(app->Send(1).ok() && app->Send(2).ok(), "events are taken");
  Check(*app->Rows() == "[]", "there is no mean of two readings");
  Check(app->Send(4.5).ok(), "events are taken");
  Check(app->Rows()->find("\"mean\":2.5") != std::string::npos, "the mean of three readings");

  const auto missing = App::Open("no such file");
  Check(!missing && missing.error().code == FERRY_kNotFound, "a model that is not there");
  std::cout << "passed\n";
}
