"""Orders in which what others need comes first."""
__all__ = ['TopologicalSorter', 'CycleError']


class CycleError(ValueError):
    pass


class TopologicalSorter:
    def __init__(self, graph=None):
        self._before, self._after = {}, {}  # node: how many it waits for; who waits for it
        self._ready, self._out, self._passed = None, 0, 0
        self._state = {}
        for node, predecessors in (graph or {}).items():
            self.add(node, *predecessors)

    def _known(self, node):
        if node not in self._before:
            self._before[node], self._after[node] = 0, []

    def add(self, node, *predecessors):
        if self._ready is not None:
            raise ValueError('Nodes cannot be added after a call to prepare()')
        self._known(node)
        self._before[node] += len(predecessors)
        for other in predecessors:
            self._known(other)
            self._after[other].append(node)

    def prepare(self):
        if self._ready is not None:
            raise ValueError('cannot prepare() more than once')
        self._ready = [node for node, count in self._before.items() if not count]
        cycle = self._cycle()
        if cycle:
            raise CycleError('nodes are in a cycle', cycle)

    def get_ready(self):
        if self._ready is None:
            raise ValueError('prepare() must be called first')
        made, self._ready = tuple(self._ready), []
        for node in made:
            self._state[node] = 'out'
        self._out += len(made)
        return made

    def is_active(self):
        if self._ready is None:
            raise ValueError('prepare() must be called first')
        return self._passed < self._out or bool(self._ready)

    def __bool__(self):
        return self.is_active()

    def done(self, *nodes):
        if self._ready is None:
            raise ValueError('prepare() must be called first')
        for node in nodes:
            if node not in self._before:
                raise ValueError(f'node {node!r} was not added using add()')
            state = self._state.get(node)
            if state is None:
                raise ValueError(f'node {node!r} was not passed out (still not ready)')
            if state == 'done':
                raise ValueError(f'node {node!r} was already marked done')
            self._state[node] = 'done'
            self._passed += 1
            for other in self._after[node]:
                self._before[other] -= 1
                if not self._before[other]:
                    self._ready.append(other)

    def _cycle(self):
        done, path = set(), {}  # of each node on the way: who is left of those that wait for it
        for start in self._before:
            if start not in done:
                path[start] = iter(self._after[start])
            while path:
                node = next(reversed(path))
                for other in path[node]:
                    if other in path:
                        way = list(path)
                        return way[way.index(other):] + [other]
                    if other not in done:
                        path[other] = iter(self._after[other])
                        break
                else:
                    done.add(node)
                    path.popitem()
        return None

    def static_order(self):
        self.prepare()
        while self.is_active():
            nodes = self.get_ready()
            yield from nodes
            self.done(*nodes)
