// @NAME@: what the app asks of Ferry.
#pragma once

#include <array>
#include <ferry.hpp>
#include <string>

using Features = std::array<float, 4>;
using Probabilities = std::array<float, 3>;

class App {
 public:
  static ferry::api::Expected<App> Open(const std::string& model_path);

  // The probabilities of the classes.
  ferry::api::Expected<Probabilities> Classify(const Features& features);
  // A reading of the sensor, as an event.
  ferry::api::Done Send(double reading);
  // The means since the last call, as a JSON list of rows.
  ferry::api::Expected<std::string> Rows() { return stream_.Read(); }

 private:
  App(ferry::api::EngineSession session, ferry::api::Stream stream)
      : session_(std::move(session)), stream_(std::move(stream)) {}

  ferry::api::EngineSession session_;  // runs the model: one a thread
  ferry::api::Stream stream_;          // makes the means of readings
};
