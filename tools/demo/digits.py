"""The digits task's data: 450 real test images as events, and their labels, which stay with the server."""
import json
import pathlib
import struct

SIDE = 8
INK = 16
COUNT = 450


class Digits:
    def __init__(self, folder):
        folder = pathlib.Path(folder)
        raw = (folder / "images.f32").read_bytes()
        values = struct.unpack(f"<{COUNT * SIDE * SIDE}f", raw)
        self.images = [[round(v * INK) for v in values[i * 64:(i + 1) * 64]] for i in range(COUNT)]
        self.labels = list((folder / "labels.u8").read_bytes())

    def events(self, indexes, start_ms, rows=False, step_ms=1000):
        """Two events an image, as the app sends them: the page is entered, the image is taken."""
        lines = []
        for number, index in enumerate(indexes):
            time_ms = start_ms + number * step_ms
            image = self.images[index]
            data = {"image": index}
            if rows:
                data["rows"] = [image[k * SIDE:(k + 1) * SIDE] for k in range(SIDE)]
            else:
                data["pixels"] = image
            lines.append({"id": "page_enter", "page": "scan", "time_ms": time_ms - step_ms // 2, "data": {}})
            lines.append({"id": "image", "page": "scan", "time_ms": time_ms, "data": data})
        return [json.dumps(line) for line in lines]
