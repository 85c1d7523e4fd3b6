"""Events to JSON text."""
import json

events = [{"id": i, "name": f"event {i}", "tags": ["a", "b\n", "ü"], "at": i * 1.5, "ok": i % 3 == 0, "none": None,
           "inner": {"x": [i, i + 1, i + 2], "text": "quite \"quoted\" text"}} for i in range(400)]
size = 0
for _ in range(200):
    size += len(json.dumps(events))
for _ in range(50):
    size += len(json.dumps(events, sort_keys=True, ensure_ascii=False))
print(size)
