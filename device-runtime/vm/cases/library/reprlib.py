#---- reprlib
import reprlib, array, collections
print(reprlib.repr(list(range(100))), reprlib.repr('x' * 100), reprlib.repr({i: i for i in range(10)}), reprlib.repr(10**100), reprlib.repr((1,)), reprlib.repr(()))
print(reprlib.repr(set()), reprlib.repr({3, 1, 2}), reprlib.repr(frozenset(range(9))), reprlib.repr(collections.deque(range(9))), reprlib.repr(array.array('i', range(9))))
print(reprlib.repr([[[[[[[[1]]]]]]]]), reprlib.repr('a\nb' * 20), reprlib.repr(1.5), reprlib.repr({}), reprlib.repr([1] * 6), reprlib.repr({'a': {'b': {'c': {'d': {'e': {'f': {'g': 1}}}}}}}))
class A:
    @reprlib.recursive_repr('<...>')
    def __repr__(self):
        'doc'
        return f'A({self.x!r})'
a = A()
a.x = [a]
print(a, A.__repr__.__name__, A.__repr__.__doc__)
