#---- run and gather
import asyncio
async def work(n, d):
    await asyncio.sleep(d)
    print('done', n)
    return n * 2
async def main():
    r = await asyncio.gather(work(1, 0.03), work(2, 0.01), work(3, 0.02))
    print(r)
    return 'result'
print(asyncio.run(main()))
#---- tasks
import asyncio
async def step(name, n):
    for i in range(n):
        print(name, i)
        await asyncio.sleep(0)
    return name
async def main():
    a = asyncio.create_task(step('a', 3))
    b = asyncio.create_task(step('b', 2), name='bee')
    print(b.get_name(), a.done())
    print(await b, await a, a.done(), a.result())
asyncio.run(main())
#---- errors
import asyncio
async def bad(): raise ValueError('bad')
async def ok():
    await asyncio.sleep(0)
    return 1
async def main():
    try: await asyncio.gather(ok(), bad())
    except ValueError as e: print('caught', e)
    print(await asyncio.gather(ok(), bad(), return_exceptions=True))
    t = asyncio.create_task(bad())
    await asyncio.wait([t])
    print(repr(t.exception()), t.cancelled())
asyncio.run(main())
try: asyncio.run(bad())
except ValueError as e: print(e)
for f in (lambda: asyncio.run(3), lambda: asyncio.get_running_loop()):
    try: f()
    except (ValueError, RuntimeError) as e: print(e)
#---- cancel
import asyncio
async def sleeper():
    try: await asyncio.sleep(100)
    except asyncio.CancelledError as e:
        print('cancelled', e.args)
        raise
    finally: print('cleanup')
async def main():
    t = asyncio.create_task(sleeper())
    await asyncio.sleep(0)
    print(t.cancel('why'))
    try: await t
    except asyncio.CancelledError as e: print('main', t.cancelled(), e.args)
    print(t.cancel())
asyncio.run(main())
#---- wait_for and timeout
import asyncio
async def slow():
    try: await asyncio.sleep(5)
    finally: print('slow ends')
async def quick(): return 'q'
async def main():
    try: await asyncio.wait_for(slow(), 0.01)
    except asyncio.TimeoutError as e: print('timeout', repr(e), asyncio.TimeoutError is TimeoutError)
    print(await asyncio.wait_for(quick(), 1))
    try:
        async with asyncio.timeout(0.01): await slow()
    except TimeoutError: print('timed out')
    async with asyncio.timeout(None) as t: print(t.when(), t.expired())
asyncio.run(main())
#---- event
import asyncio
async def waiter(e, n):
    print('wait', n)
    await e.wait()
    print('go', n)
async def main():
    e = asyncio.Event()
    ts = [asyncio.create_task(waiter(e, i)) for i in range(3)]
    await asyncio.sleep(0)
    print(e.is_set())
    e.set()
    await asyncio.gather(*ts)
    print(e.is_set(), await e.wait())
asyncio.run(main())
#---- queue
import asyncio
async def producer(q):
    for i in range(4):
        await q.put(i)
        print('put', i)
    await q.put(None)
async def consumer(q):
    while (x := await q.get()) is not None:
        print('got', x)
        q.task_done()
    q.task_done()
async def main():
    q = asyncio.Queue(2)
    await asyncio.gather(producer(q), consumer(q))
    await q.join()
    print(q.empty(), q.qsize(), q.maxsize)
    try: q.get_nowait()
    except asyncio.QueueEmpty: print('empty')
    q.put_nowait(1); q.put_nowait(2)
    try: q.put_nowait(3)
    except asyncio.QueueFull: print('full')
    p = asyncio.PriorityQueue()
    for x in (3, 1, 2): p.put_nowait(x)
    print([p.get_nowait() for _ in range(3)])
    l = asyncio.LifoQueue()
    for x in (3, 1, 2): l.put_nowait(x)
    print([l.get_nowait() for _ in range(3)])
asyncio.run(main())
#---- lock and semaphore
import asyncio
async def locked(lock, n):
    async with lock:
        print('in', n, lock.locked())
        await asyncio.sleep(0)
        print('out', n)
async def limited(s, n, log):
    async with s:
        log.append(n)
        await asyncio.sleep(0.001)
        log.append(-n)
async def main():
    lock = asyncio.Lock()
    await asyncio.gather(*(locked(lock, i) for i in range(3)))
    try: lock.release()
    except RuntimeError as e: print(e)
    s, log = asyncio.Semaphore(2), []
    await asyncio.gather(*(limited(s, i, log) for i in (1, 2, 3)))
    print(log[:2], sorted(log))
    b = asyncio.BoundedSemaphore(1)
    try: b.release()
    except ValueError as e: print(e)
    c = asyncio.Condition()
    async def waits(n):
        async with c:
            await c.wait()
            print('notified', n)
    ts = [asyncio.create_task(waits(i)) for i in range(2)]
    await asyncio.sleep(0)
    async with c: c.notify_all()
    await asyncio.gather(*ts)
asyncio.run(main())
#---- futures
import asyncio
async def main():
    loop = asyncio.get_running_loop()
    f = loop.create_future()
    loop.call_soon(f.set_result, 5)
    print(await f, f.done(), f.result())
    try: f.set_result(6)
    except asyncio.InvalidStateError as e: print(e)
    g = loop.create_future()
    try: g.result()
    except asyncio.InvalidStateError as e: print(e)
    g.add_done_callback(lambda x: print('callback', x.result()))
    loop.call_later(0.001, g.set_result, 'later')
    print(await g)
    h = loop.create_future()
    h.set_exception(KeyError('k'))
    try: await h
    except KeyError as e: print(repr(e))
    await asyncio.sleep(0)
asyncio.run(main())
#---- wait
import asyncio
async def w(n, d):
    await asyncio.sleep(d)
    return n
async def main():
    ts = [asyncio.create_task(w(i, d)) for i, d in ((1, 0), (2, 0.3), (3, 0.31))]
    done, pending = await asyncio.wait(ts, return_when=asyncio.FIRST_COMPLETED)
    print([t.result() for t in done], len(pending))
    done, pending = await asyncio.wait(pending)
    print(sorted(t.result() for t in done), len(pending))
    for f in asyncio.as_completed([w(2, 0.02), w(1, 0.01)]): print(await f)
    t = asyncio.create_task(w(7, 0.01))
    print(await asyncio.shield(t))
asyncio.run(main())
#---- task group
import asyncio
async def ok(n):
    await asyncio.sleep(0)
    return n
async def bad(n): raise ValueError(n)
async def forever():
    try: await asyncio.sleep(100)
    except asyncio.CancelledError:
        print('cancelled')
        raise
async def main():
    async with asyncio.TaskGroup() as g:
        a, b = g.create_task(ok(1)), g.create_task(ok(2))
    print(a.result(), b.result())
    try:
        async with asyncio.TaskGroup() as g:
            g.create_task(forever())
            g.create_task(bad(1))
    except* ValueError as e: print(repr(e))
asyncio.run(main())
#---- order
import asyncio
log = []
async def child(n):
    log.append(f'{n} start')
    await asyncio.sleep(0)
    log.append(f'{n} end')
async def main():
    loop = asyncio.get_running_loop()
    loop.call_soon(log.append, 'soon')
    t = asyncio.create_task(child(1))
    log.append('created')
    await child(2)
    await t
    loop.call_soon(log.append, 'last')
    await asyncio.sleep(0)
asyncio.run(main())
print(log)
#---- loop by hand
import asyncio
async def f():
    await asyncio.sleep(0.001)
    return 'v'
loop = asyncio.new_event_loop()
print(loop.run_until_complete(f()), loop.is_running(), loop.is_closed())
loop.close()
print(loop.is_closed(), asyncio.iscoroutinefunction(f), asyncio.iscoroutine(3))
c = f()
print(asyncio.iscoroutine(c))
c.close()
#---- everything of the loop
import asyncio
async def co(n):
    await asyncio.sleep(0)
    return n
class AI:

    def __init__(s, n):
        s.n = n

    def __aiter__(s):
        return s

    async def __anext__(s):
        if s.n == 0:
            raise StopAsyncIteration
        s.n -= 1
        return s.n
class AC:

    async def __aenter__(s):
        print('aenter')
        return 'ac'

    async def __aexit__(s, *a):
        print('aexit', a[0])
        return True
async def agen():
    try:
        for i in range(3):
            x = (yield i)
            if x:
                print('sent', x)
    finally:
        print('agen fin')
class Aw:

    def __await__(s):
        yield from asyncio.sleep(0).__await__()
        return 'awaited'
async def main():
    print(await co(5), [await co(i) for i in range(2)], [x async for x in AI(3)], {x: 1 async for x in AI(2) if x}, await Aw())
    async with AC() as a, AC():
        print(a)
        raise ValueError
    g = agen()
    print(await g.__anext__(), await g.asend('S'), await anext(g), await anext(g, 'dflt'))
    await g.aclose()
    g2 = agen()
    await anext(g2)
    try:
        await g2.athrow(KeyError('q'))
    except KeyError as e:
        print(repr(e))
    r = await asyncio.gather(co(1), co(2), return_exceptions=True)
    print(r)

    async def bad():
        raise ValueError('bad')
    print(await asyncio.gather(bad(), co(3), return_exceptions=True))
    try:
        await asyncio.gather(bad(), co(3))
    except ValueError as e:
        print(e)
    t = asyncio.create_task(co(9), name='T')
    print(t.get_name(), t.done())
    print(await t, t.done(), t.result())
    try:
        await asyncio.wait_for(asyncio.sleep(10), 0.01)
    except asyncio.TimeoutError as e:
        print(type(e), repr(e))
    try:
        async with asyncio.timeout(0.01):
            await asyncio.sleep(5)
    except TimeoutError as e:
        print('timeout', repr(e))
    t = asyncio.create_task(asyncio.sleep(5))
    await asyncio.sleep(0)
    t.cancel('why')
    try:
        await t
    except asyncio.CancelledError as e:
        print('cancelled', e.args, t.cancelled())
    q = asyncio.Queue(2)
    await q.put(1)
    q.put_nowait(2)
    try:
        q.put_nowait(3)
    except asyncio.QueueFull as e:
        print(repr(e))
    print(q.full(), q.qsize(), await q.get(), q.get_nowait(), q.empty(), q)
    try:
        q.get_nowait()
    except asyncio.QueueEmpty as e:
        print(repr(e))
    lock = asyncio.Lock()

    async def w(n):
        async with lock:
            print('in', n)
            await asyncio.sleep(0)
            print('out', n)
    await asyncio.gather(w(1), w(2), w(3))
    print(lock.locked())
    ev = asyncio.Event()

    async def waiter(n):
        await ev.wait()
        print('ev', n)
    ts = [asyncio.create_task(waiter(i)) for i in range(3)]
    await asyncio.sleep(0)
    ev.set()
    await asyncio.gather(*ts)
    print(ev.is_set())
    try:
        async with asyncio.TaskGroup() as tg:
            a = tg.create_task(co(1))
            b = tg.create_task(bad())
            c = tg.create_task(asyncio.sleep(5))
    except* ValueError as e:
        print(repr(e), c.cancelled())
    for f in asyncio.as_completed([asyncio.sleep(0.03, 'c'), asyncio.sleep(0.01, 'a'), asyncio.sleep(0.02, 'b')]):
        print(await f)
    done, pend = await asyncio.wait([asyncio.create_task(asyncio.sleep(0.01, 'x')), asyncio.create_task(asyncio.sleep(5))], return_when=asyncio.FIRST_COMPLETED)
    print(len(done), len(pend), [d.result() for d in done])
    [p.cancel() for p in pend]
    s = asyncio.Semaphore(2)
    print(s.locked())
    await s.acquire()
    await s.acquire()
    print(s.locked())
    s.release()
    fut = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_later(0.01, fut.set_result, 'F')
    print(await fut, fut.done())
    asyncio.get_running_loop().call_soon(print, 'soon')
    await asyncio.sleep(0)
    cond = asyncio.Condition()

    async def cw():
        async with cond:
            await cond.wait()
            print('cond')
    ct = asyncio.create_task(cw())
    await asyncio.sleep(0)
    async with cond:
        cond.notify_all()
    await ct
    print(await asyncio.shield(co(4)), asyncio.iscoroutinefunction(co), asyncio.iscoroutine((c2 := co(1))))
    c2.close()
    print(await asyncio.to_thread(len, 'abc') if 0 else 'nothread', asyncio.current_task().get_name(), len(asyncio.all_tasks()))
    pq = asyncio.PriorityQueue()
    await pq.put(3)
    await pq.put(1)
    print(await pq.get())
    lq = asyncio.LifoQueue()
    await lq.put(3)
    await lq.put(1)
    print(await lq.get())
    lq.task_done()
    lq.task_done()
    await lq.join()
    async with asyncio.timeout(None) as cm:
        pass
    print(cm.expired())
    return 'main'
print(asyncio.run(main()))
try:
    asyncio.run(5)
except ValueError as e:
    print(e)
c = co(1)
try:
    c.send(None)
    c.send(None)
except StopIteration as e:
    print(e.value)
try:
    c.send(None)
except RuntimeError as e:
    print(e)
async def f():
    return 1
try:
    await_ = next(f())
except TypeError as e:
    print(e)
try:
    for i in agen():
        pass
except TypeError as e:
    print(e)
with asyncio.Runner() as rn:
    print(rn.run(co(3)))
#---- barriers
import asyncio
async def member(bar, name, log):
    at = await bar.wait()
    log.append((name, at))
async def main():
    bar, log = asyncio.Barrier(2), []
    print(bar.parties, bar.n_waiting, bar.broken, str(bar).split(' at ')[0], str(bar).split('[')[1])
    await asyncio.gather(*[member(bar, n, log) for n in 'abcd'])
    print(sorted(log), bar.n_waiting)
    task = asyncio.create_task(member(bar, 'e', log))
    await asyncio.sleep(0)
    print(bar.n_waiting)
    await bar.abort()
    try:
        await task
    except asyncio.BrokenBarrierError as e:
        print(type(e).__module__, bar.broken)
    try:
        asyncio.Barrier(0)
    except ValueError as e:
        print(e)
    print(asyncio.Lock.__module__, asyncio.Queue.__module__, asyncio.TaskGroup.__module__)
asyncio.run(main())
#---- context variables
import contextvars, asyncio
v = contextvars.ContextVar('v', default=5)
w = contextvars.ContextVar('w')
def tried(do, *args):
    try:
        return do(*args)
    except Exception as e:
        return type(e).__name__, str(e).split(' at 0x')[0]
print(v.get(), v.name, v.get(7), tried(w.get)[0], w.get(8), str(v).split(' at ')[0])
t = v.set(6)
print(v.get(), t.var is v, t.old_value is contextvars.Token.MISSING, str(t).split(' at ')[0], str(t.old_value))
ctx = contextvars.copy_context()
v.set(9)
print(ctx[v], v in ctx, w in ctx, len(ctx), list(ctx) == [v], ctx.get(w), ctx.run(v.get), v.get(), list(ctx.items()) == [(v, 6)])
def change():
    v.set(10)
    return tried(ctx.run, print)[0], v.get()
print(ctx.run(change), v.get(), ctx[v], tried(ctx.__getitem__, 5))
v.reset(t)
print(v.get(), tried(v.reset, t)[0], tried(v.reset, 5)[0], tried(w.reset, v.set(1)), tried(contextvars.ContextVar, 5))
async def child(n):
    before = v.get()
    v.set(n)
    await asyncio.sleep(0)
    return before, v.get()
async def main():
    v.set('main')
    print(await asyncio.gather(*[child(i) for i in range(3)]), v.get())
    await child('own')
    print(v.get())
    c = contextvars.copy_context()
    await asyncio.create_task(child('shared'), context=c)
    print(v.get(), c[v])
    seen = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_soon(lambda: seen.set_result(v.get()), context=c)
    print(await seen)
asyncio.run(main())
print(v.get())
