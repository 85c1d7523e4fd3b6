from ferry import files


def raises(kind, f, *args):
    try:
        f(*args)
    except kind as error:
        return str(error)
    raise AssertionError((kind, args))


assert files.names() == ["gain.json", "labels.txt"], files.names()
data = files.read("labels.txt")
assert isinstance(data, bytes), type(data)
assert data == b"zero\none\n\xff\x00", data
assert files.read("gain.json") == b""
assert files.exists("labels.txt") and files.exists("gain.json")
assert not files.exists("other") and not files.exists("")
assert "other" in raises(LookupError, files.read, "other")
raises(LookupError, files.read, "../labels.txt")
raises(TypeError, files.read)
raises(TypeError, files.read, 3)
raises(TypeError, files.exists, "a", "b")
raises(TypeError, files.names, "a")
