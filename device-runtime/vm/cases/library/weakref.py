#---- one call after another
import weakref, gc
class O: pass
def wr1():
    o=O(); r=weakref.ref(o); a=r() is o; del o; gc.collect(); return a, r()
def wr2():
    l=[]; o=O(); r=weakref.ref(o,lambda x:l.append('dead')); del o; gc.collect(); return l, r() 
def wr3():
    d=weakref.WeakValueDictionary(); o=O(); d['a']=o; n=len(d); del o; gc.collect(); return n, len(d)
def wr4():
    s=weakref.WeakSet(); o=O(); s.add(o); n=len(s); del o; gc.collect(); return n,len(s)
def wr5():
    o=O(); o.x=5; p=weakref.proxy(o); return p.x, type(p).__name__
def wr6():
    o=O(); f=weakref.finalize(o,print,'fin'); return f.alive, f.peek()[1] is print, f.detach() is not None, f.alive
def wr7():
    p=weakref.proxy(O()); gc.collect(); return p.x

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)
t(lambda: wr1())
t(lambda: wr2())
t(lambda: wr3())
t(lambda: wr4())
t(lambda: wr5())
t(lambda: wr6())
t(lambda: wr7())
t(lambda: weakref.ref(5))
t(lambda: weakref.ref([]))
t(lambda: gc.isenabled())
t(lambda: gc.collect().__class__)
t(lambda: gc.get_threshold())
t(lambda: gc.get_count().__class__)
t(lambda: gc.disable())
t(lambda: gc.isenabled())
t(lambda: gc.enable())
