#---- queue
import queue
q = queue.Queue(2)
q.put(1)
q.put_nowait(2)
print(q.full(), q.qsize(), q.get(), q.get_nowait(), q.empty(), queue.Empty)
for call in (q.get_nowait, lambda: q.get(timeout=-1), lambda: [q.put_nowait(i) for i in range(3)], lambda: [q.task_done() for i in range(9)], queue.SimpleQueue().get_nowait):
    try:
        call()
    except Exception as e:
        print(type(e).__name__, e)
p, l = queue.PriorityQueue(), queue.LifoQueue()
for x in (3, 1, 2):
    p.put(x)
    l.put(x)
print([p.get() for i in range(3)], [l.get() for i in range(3)])
