#include <iostream>

#include "app.h"

namespace {

int Failed(const ferry::api::Error& error) {
  std::cerr << error.name() << ": " << error.text << '\n';
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  auto app = App::Open(argc > 1 ? argv[1] : "classifier.onnx");
  if (!app) return Failed(app.error());
  const auto prob = app->Classify({1, 0, 0, 0});
  if (!prob) return Failed(prob.error());
  for (size_t i = 0; i < prob->size(); ++i)
    std::cout << "class " << i << ": " << (*prob)[i] << '\n';
  for (int reading = 0; reading < 6; ++reading)
    if (const auto sent = app->Send(reading); !sent) return Failed(sent.error());
  const auto rows = app->Rows();
  if (!rows) return Failed(rows.error());
  std::cout << *rows << '\n';
}
