def f(kind):
    try:
        if kind == 0:
            return 1 / 0
        if kind == 1:
            return {}["k"]
        if kind == 2:
            raise ValueError("bad", 2)
        return "ok"
    except ZeroDivisionError as e:
        return f"zero: {e}"
    except (KeyError, IndexError) as e:
        return f"key: {e} {e!r}"
    else:
        return "never"
    finally:
        print("finally", kind)

for k in (0, 1, 3):
    print(f(k))
try:
    f(2)
except ValueError as e:
    print(e, e.args)
class MyError(Exception):
    def __init__(self, code):
        super().__init__(f"code {code}")
        self.code = code
try:
    try:
        raise MyError(7)
    except MyError as e:
        raise RuntimeError("outer") from e
except RuntimeError as e:
    print(e, repr(e.__cause__), e.__cause__.code, e.__context__ is e.__cause__)
def loop():
    for i in range(5):
        try:
            if i == 1:
                continue
            if i == 3:
                break
            print("body", i)
        finally:
            print("fin", i)
    return "end"
print(loop())
for bad in ("'a' + 1", "x"):
    pass
def attempt(fn):
    try:
        fn()
    except Exception as e:
        print(type(e).__name__, e)
attempt(lambda: "a" + 1)
attempt(lambda: 1 + "a")
attempt(lambda: [1][5])
attempt(lambda: None.x)
attempt(lambda: len(5))
attempt(lambda: int("x"))
attempt(lambda: undefined_name)
attempt(lambda: (lambda a: a)())
attempt(lambda: (lambda a: a)(1, 2))
attempt(lambda: (lambda a: a)(b=1))
attempt(lambda: [] < 3)
attempt(lambda: {}[[]])
attempt(lambda: 5())
attempt(lambda: next(iter([])))
def unbound():
    if False:
        v = 1
    return v
attempt(unbound)
def unpack():
    a, b = [1, 2, 3]
attempt(unpack)
try:
    assert 1 == 2, "math"
except AssertionError as e:
    print("assert", e)
class Manager:
    def __enter__(self):
        print("enter")
        return self
    def __exit__(self, kind, value, trace):
        print("exit", kind and kind.__name__, value)
        return kind is ValueError
with Manager() as m, Manager():
    raise ValueError("inside")
def early():
    with Manager():
        return "returned"
print(early())
def reraise():
    try:
        try:
            raise KeyError("k")
        except KeyError:
            raise
    except KeyError as e:
        return repr(e)
print(reraise())
raise MyError(3)
