#---- graphlib
import graphlib
t = graphlib.TopologicalSorter({'d': ['b', 'c'], 'b': ['a'], 'c': ['a']})
print(list(t.static_order()), list(graphlib.TopologicalSorter({}).static_order()))
try:
    list(graphlib.TopologicalSorter({1: [2], 2: [3], 3: [1], 4: [1]}).static_order())
except graphlib.CycleError as e:
    print(e, e.args[1])
t = graphlib.TopologicalSorter()
t.add(1, 2, 3)
t.add(3, 4)
def tried(do, *args):
    try:
        return do(*args)
    except ValueError as e:
        return str(e)
print(tried(t.get_ready), t.prepare(), t.get_ready(), t.is_active(), t.done(4), t.get_ready(), t.done(2, 3), t.get_ready(), bool(t), t.done(1), t.is_active())
print(tried(t.done, 9), tried(t.done, 1), tried(t.prepare), tried(t.add, 5))
