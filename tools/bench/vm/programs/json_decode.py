"""JSON text to events."""
import json

text = json.dumps([{"id": i, "name": f"event {i}", "tags": ["a", "b\n", "ü"], "at": i * 1.5, "ok": i % 3 == 0,
                    "none": None, "inner": {"x": [i, i + 1, i + 2], "text": "quite \"quoted\" text"}}
                   for i in range(400)])
total = 0
for _ in range(300):
    for event in json.loads(text):
        total += event["id"] + len(event["tags"]) + event["inner"]["x"][2]
print(len(text), total)
