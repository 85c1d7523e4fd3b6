#include "app.h"

using namespace ferry::api;

namespace {

// A graph as "streams" of task.json has it: the mean of each three readings.
constexpr char kStreams[] = R"([{"name": "means", "source": "reading", "app": true, "operators": [
  {"op": "window", "kind": "count", "size": 3,
   "aggregates": [{"op": "mean", "field": "value", "as": "mean"}]}]}])";

}  // namespace

Expected<App> App::Open(const std::string& model_path) {
  auto engine = Engine::Open(model_path);
  if (!engine) return engine.error();
  auto session = engine->NewSession();
  if (!session) return session.error();
  auto stream = Stream::Open(kStreams);
  if (!stream) return stream.error();
  return App(*std::move(session), *std::move(stream));
}

Expected<Probabilities> App::Classify(const Features& features) {
  Probabilities prob;  // which the model writes where it is, as it reads the features
  const Done ran = session_.Run({In("features", features, {1, 4})}, {Out("prob", prob)});
  if (!ran) return ran.error();
  return prob;
}

Done App::Send(double reading) {
  return stream_.SendEvent(R"({"id": "reading", "data": {"value": )" + std::to_string(reading) +
                           "}}");
}
