"""Digits: an image event in, the digit and how sure the model is out."""

from ferry import engine, events

import preprocess

model = engine.load("digits")


def on_trigger(matched):
    image = matched[-1]["data"]
    tensor = engine.tensor(preprocess.pixels(image), [1, 1, preprocess.SIDE, preprocess.SIDE])
    prob = model.run({"image": tensor})["prob"].tolist()[0]
    digit = max(range(len(prob)), key=lambda k: prob[k])
    result = {"image": image["image"], "digit": digit, "confidence": prob[digit]}
    events.emit("digits.result", result)
    return result
