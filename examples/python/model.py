"""Reads handwritten digits: model.py digits.onnx images.f32 (images of 8 x 8 numbers of 4 bytes)."""
import sys

import ferry

model = ferry.Model(sys.argv[1], threads=1)
for io in model.inputs + model.outputs:
    print(io.name, io.type, io.shape)

with open(sys.argv[2], "rb") as file:
    for number in range(5):
        # Anything with the buffer protocol or DLPack is an input: arrays of NumPy, tensors of PyTorch, a memoryview.
        image = memoryview(file.read(64 * 4)).cast("f", (1, 1, 8, 8))
        prob = model(image)  # an array of NumPy, or a ferry.Tensor where NumPy is not installed
        print(f"image {number} shows {prob.argmax()}: {prob.reshape((10,))[prob.argmax()]:.3f}")

try:
    model([[1, 2, 3]])
except ferry.Error as error:
    print(f"{error.name}: {error}")
