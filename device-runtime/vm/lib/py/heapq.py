from _heapq import (heapify, heappop, heappush, heappushpop, heapreplace, _heapify_max,
                    _heappop_max, _heapreplace_max)

__all__ = ['heappush', 'heappop', 'heapify', 'heapreplace', 'merge', 'nlargest', 'nsmallest',
           'heappushpop']


def merge(*iterables, key=None, reverse=False):
    if reverse:
        order, pop, replace, step = _heapify_max, _heappop_max, _heapreplace_max, -1
    else:
        order, pop, replace, step = heapify, heappop, heapreplace, 1
    # Entries are [key, place among the iterables, value, __next__].
    heap = []
    for place, iterable in enumerate(map(iter, iterables)):
        try:
            value = iterable.__next__()
            heap.append([value if key is None else key(value), place * step, value,
                         iterable.__next__])
        except StopIteration:
            pass
    order(heap)
    while len(heap) > 1:
        try:
            while True:
                entry = heap[0]
                yield entry[2]
                value = entry[2] = entry[3]()
                entry[0] = value if key is None else key(value)
                replace(heap, entry)
        except StopIteration:
            pop(heap)
    if heap:
        _, _, value, following = heap[0]
        yield value
        yield from following.__self__


def nsmallest(n, iterable, key=None):
    if n == 1:
        mark = object()
        found = min(iterable, default=mark, key=key)
        return [] if found is mark else [found]
    return _best(n, iterable, key, _heapify_max, _heapreplace_max, 1)


def nlargest(n, iterable, key=None):
    if n == 1:
        mark = object()
        found = max(iterable, default=mark, key=key)
        return [] if found is mark else [found]
    return _best(n, iterable, key, heapify, heapreplace, -1)


def _best(n, iterable, key, order, replace, step):
    try:
        size = len(iterable)
    except (TypeError, AttributeError):
        pass
    else:
        if n >= size:
            return sorted(iterable, key=key, reverse=step < 0)[:n]
    if n <= 0:
        return []
    it = iter(iterable)
    best = []
    place = 0
    for value in it:
        best.append((value if key is None else key(value), place, value))
        place += step
        if len(best) == n:
            break
    order(best)
    if len(best) == n:
        for value in it:
            k = value if key is None else key(value)
            worst = best[0][0]
            if k < worst if step > 0 else worst < k:
                replace(best, (k, place, value))
                place += step
    best.sort(reverse=step < 0)
    return [entry[2] for entry in best]
