"""@NAME@: what the app asks of Ferry."""
import pathlib

import ferry

MODEL = pathlib.Path(__file__).with_name("classifier.onnx")
# A graph as "streams" of task.json has it: the mean of each three readings.
STREAMS = [{"name": "means", "source": "reading", "app": True, "operators": [
    {"op": "window", "kind": "count", "size": 3, "aggregates": [{"op": "mean", "field": "value", "as": "mean"}]}]}]


class App:
    def __init__(self, model=MODEL):
        self.model = ferry.Model(model)
        self.stream = ferry.Stream(STREAMS)

    def classify(self, features):
        """The probabilities of the classes; features: four numbers, a list, an array of NumPy, any buffer."""
        return self.model.run({"features": [features]})["prob"].tolist()[0]

    def send(self, reading):
        """A reading of the sensor, as an event."""
        self.stream.send_event({"id": "reading", "data": {"value": reading}})

    def means(self):
        """The means since the last call."""
        return [row["mean"] for _, row in self.stream.read()]
