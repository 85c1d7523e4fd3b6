from ferry import engine


def fails(kind, text, call):
    try:
        call()
    except kind as error:
        assert text in str(error), str(error)
        return
    assert False, "no " + text


t = engine.tensor([1, 2, 3, 4, 5, 6], [2, 3])
assert t.shape == (2, 3)
assert t.dtype == "f32"
assert t.size == 6
assert len(t) == 2
assert t.tolist() == [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
assert t[1].tolist() == [4.0, 5.0, 6.0]
assert t[-1][0] == 4.0
assert t.reshape([3, 2]).tolist() == [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
assert t.reshape(6).shape == (6,)
assert t.argmax() == 5
assert repr(t) == "Tensor(f32 [2,3])"

nested = engine.tensor([[1, 2], [3, 4]], dtype="i64")
assert nested.shape == (2, 2)
assert nested.tolist() == [[1, 2], [3, 4]]
assert engine.tensor([300, -5], dtype="u8").tolist() == [255, 0]
assert engine.tensor([0.5, 0], dtype="bool").tolist() == [True, False]
assert engine.tensor(7).shape == ()
assert engine.tensor(7).item() == 7.0
assert engine.tensor((1, 2)).tolist() == [1.0, 2.0]
assert engine.tensor([], [0, 3]).tolist() == []
assert engine.tensor([[0.1]], shape=[1]).shape == (1,)

fails(ValueError, "do not fill the shape", lambda: engine.tensor([1, 2, 3], [2, 2]))
fails(ValueError, "a list of 1 values among lists of 2", lambda: engine.tensor([[1, 2], [3]]))
fails(TypeError, "values", lambda: engine.tensor(["a"]))
fails(TypeError, "values", lambda: engine.tensor([1, None]))
fails(ValueError, "dtype", lambda: engine.tensor([1], dtype="f99"))
fails(ValueError, "", lambda: engine.tensor([1], [-1]))
fails(ValueError, "", lambda: engine.tensor([1], [1, 1, 1, 1, 1, 1, 1, 1, 1]))
fails(IndexError, "out of range", lambda: t[2])
fails(IndexError, "rank 0", lambda: engine.tensor(1)[0])
fails(TypeError, "rank 0", lambda: len(engine.tensor(1)))
fails(ValueError, "item() of 6 elements", lambda: t.item())
fails(ValueError, "", lambda: t.reshape([4]))
fails(ValueError, "no elements", lambda: engine.tensor([]).argmax())
fails(LookupError, "no model", lambda: engine.load("nothing"))
fails(TypeError, "", lambda: engine.load(3))

deep = [1]
for k in range(20):
    deep = [deep]
fails(ValueError, "nested deeper", lambda: engine.tensor(deep))

# A method wants its own kind of self.
fails(TypeError, "Tensor", lambda: type(t).argmax(5))
fails(TypeError, "Tensor", lambda: engine.Tensor.tolist())
