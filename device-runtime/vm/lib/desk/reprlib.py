"""repr() that stops before it is long, and repr() of what contains itself."""
__all__ = ['Repr', 'repr', 'recursive_repr']
import builtins
from itertools import islice


def recursive_repr(fillvalue='...'):
    def decorate(user_function):
        inside = set()

        def wrapper(self):
            key = id(self)
            if key in inside:
                return fillvalue
            inside.add(key)
            try:
                return user_function(self)
            finally:
                inside.discard(key)
        for name in ('__module__', '__doc__', '__name__', '__qualname__'):
            setattr(wrapper, name, getattr(user_function, name))
        wrapper.__annotations__ = getattr(user_function, '__annotations__', {})
        return wrapper
    return decorate


def _sorted(values):
    try:
        return sorted(values)
    except Exception:
        return list(values)


class Repr:
    def __init__(self):
        self.maxlevel = self.maxarray = 6
        self.maxarray, self.maxdict, self.maxstring, self.maxlong = 5, 4, 30, 40
        self.maxtuple = self.maxlist = self.maxset = self.maxfrozenset = self.maxdeque = 6
        self.maxother, self.fillvalue = 30, '...'

    def repr(self, x):
        return self.repr1(x, self.maxlevel)

    def repr1(self, x, level):
        method = getattr(self, 'repr_' + type(x).__name__.replace(' ', '_'), None)
        return self.repr_instance(x, level) if method is None else method(x, level)

    def _items(self, x, level, left, right, most, trail=''):
        if level <= 0 and x:
            inner = self.fillvalue
        else:
            parts = [self.repr1(item, level - 1) for item in islice(x, most)]
            if len(x) > most:
                parts.append(self.fillvalue)
            inner = ', '.join(parts)
            if len(x) == 1 and trail:
                right = trail + right
        return left + inner + right

    def _ends(self, text, most):
        """What stays of both ends when the whole may be no longer than `most`."""
        left = max(0, (most - 3) // 2)
        return text[:left], text[len(text) - max(0, most - 3 - left):]

    def _short(self, text, most):
        return text if len(text) <= most else self.fillvalue.join(self._ends(text, most))

    def repr_tuple(self, x, level):
        return self._items(x, level, '(', ')', self.maxtuple, ',')

    def repr_list(self, x, level):
        return self._items(x, level, '[', ']', self.maxlist)

    def repr_array(self, x, level):
        if not x:
            return f"array('{x.typecode}')"
        return self._items(x, level, f"array('{x.typecode}', [", '])', self.maxarray)

    def repr_set(self, x, level):
        return self._items(_sorted(x), level, '{', '}', self.maxset) if x else 'set()'

    def repr_frozenset(self, x, level):
        if not x:
            return 'frozenset()'
        return self._items(_sorted(x), level, 'frozenset({', '})', self.maxfrozenset)

    def repr_deque(self, x, level):
        return self._items(x, level, 'deque([', '])', self.maxdeque)

    def repr_dict(self, x, level):
        if not x:
            return '{}'
        if level <= 0:
            return '{' + self.fillvalue + '}'
        parts = [f'{self.repr1(key, level - 1)}: {self.repr1(x[key], level - 1)}'
                 for key in islice(_sorted(x), self.maxdict)]
        if len(x) > self.maxdict:
            parts.append(self.fillvalue)
        return '{' + ', '.join(parts) + '}'

    def repr_str(self, x, level):
        begin = builtins.repr(x[:self.maxstring])
        if len(begin) <= self.maxstring:
            return begin
        both = builtins.repr(''.join(self._ends(x, self.maxstring)))
        return self.fillvalue.join(self._ends(both, self.maxstring))

    def repr_int(self, x, level):
        return self._short(builtins.repr(x), self.maxlong)

    def repr_instance(self, x, level):
        try:
            text = builtins.repr(x)
        except Exception:
            return f'<{type(x).__name__} instance at {id(x):#x}>'
        return self._short(text, self.maxother)


aRepr = Repr()
repr = aRepr.repr
