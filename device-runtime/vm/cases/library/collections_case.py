#---- coll_0
import collections, copy
from collections import *
P=namedtuple('P','x y')
Q=namedtuple('Q',['a','b','c'],defaults=[2,3])
class PP(P):
    __slots__=()
    def norm(s): return s.x+s.y
class DD(defaultdict): pass
class C2(Counter): pass
class OD(OrderedDict): pass
class Dq(deque): pass
class UD(UserDict):
    def __missing__(s,k): return 'miss'
class UL(UserList): pass
class US(UserString): pass
class Miss(dict):
    def __missing__(s,k): return k*2
def upd(o,*a,**k):
    o.update(*a,**k); return o
def do(f,o):
    r=f(o); return r,o
def setp():
    P(1,2).x=5
def setp2():
    PP(1,2).z=5
rd=defaultdict(list); rd['self']=rd
def itermod():
    o=OrderedDict.fromkeys('abc')
    for k in o:
        del o[k]
def itermod2():
    o=OrderedDict.fromkeys('abc')
    for k in o:
        o['z'+k]=1
def itermod3():
    o=OrderedDict.fromkeys('abc'); r=[]
    for k in o:
        r.append(k)
        if k=='a' and len(r)<5: o.move_to_end(k)
    return r
def dqmod():
    q=deque('abc')
    for x in q: q.append(1)
def dqmod2():
    q=deque('abc')
    it=iter(q); q.rotate(1); return next(it)
def cmod():
    m=ChainMap({'a':1},{'b':2}); m['b']=5; m['c']=6; del m['a']; return m
ro=OrderedDict(); ro['x']=ro
dr=deque(); dr.append(dr)
def setm():
    deque().maxlen=5
def seti():
    q=deque('abc'); q[1]='x'; del q[0]; return q
def seti2():
    deque('abc')[5]=1
def delb():
    del deque('abc')[5]

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)


t(lambda: P(1,2))
t(lambda: P(x=1,y=2))
t(lambda: P._fields)
t(lambda: P._field_defaults)
t(lambda: Q._field_defaults)
t(lambda: P(1,2)._asdict())
t(lambda: P(1,2)._replace(x=5))
t(lambda: P._make([3,4]))
t(lambda: P(1,2).x)
t(lambda: P(1,2)[1])
t(lambda: tuple(P(1,2)))
t(lambda: P(1,2)==(1,2))
t(lambda: repr(P))
t(lambda: str(P(1,'a')))
t(lambda: P.__doc__)
t(lambda: P.x.__doc__)
t(lambda: Q(1))
t(lambda: P.__name__)
t(lambda: P.__module__)
t(lambda: P.__slots__)
t(lambda: P.__match_args__)
t(lambda: len(P(1,2)))
t(lambda: hash(P(1,2))==hash((1,2)))
t(lambda: P(1))
t(lambda: P())
t(lambda: P(1,2,3))
t(lambda: P(1,z=2))
t(lambda: P(1,x=2))
t(lambda: P(1,2)._replace(z=1))
t(lambda: P(1,2)._replace(z=1,w=2))
t(lambda: P._make([1]))
t(lambda: P._make(1))
t(lambda: P(1,2).z)
t(lambda: namedtuple('A','a a'))
t(lambda: namedtuple('A','_a'))
t(lambda: namedtuple('A','1a'))
t(lambda: namedtuple('A','class'))
t(lambda: namedtuple('1','a'))
t(lambda: namedtuple('class','a'))
t(lambda: namedtuple('A','a b',defaults=[1,2,3]))
t(lambda: namedtuple('A','a a _b class 1',rename=True)._fields)
t(lambda: namedtuple('A','a,b, c')._fields)
t(lambda: namedtuple('A',())())
t(lambda: namedtuple('A','')._fields)
t(lambda: namedtuple('A',{'x':1})._fields)
t(lambda: namedtuple('A',iter('ab'))._fields)
t(lambda: namedtuple('A','a',module='mm').__module__)
t(lambda: namedtuple('A',[1]))
t(lambda: namedtuple('A',5))
t(lambda: namedtuple('A','a',True))
t(lambda: namedtuple('A','a',defaults=5))
t(lambda: PP(1,2))
t(lambda: PP(1,2).norm())
t(lambda: PP(1,2)._replace(x=3))
t(lambda: type(PP(1,2)._replace(x=3)).__name__)
t(lambda: copy.copy(PP(1,2)))
t(lambda: copy.deepcopy(P([1],2)))
t(lambda: P(1,2).__getnewargs__())
t(lambda: setp())
t(lambda: setp2())
t(lambda: P(1,2)<P(1,3))
t(lambda: P(1,2)+P(3,4))
t(lambda: P(1,2)*2)
t(lambda: P(1,2).count(1))
t(lambda: P(1,2).index(2))
t(lambda: 1 in P(1,2))
t(lambda: sorted([P(2,1),P(1,2)]))
t(lambda: P.__new__.__defaults__)
t(lambda: Q.__new__.__defaults__)
t(lambda: P.__new__.__doc__)
t(lambda: P.__annotations__ if hasattr(P,'__annotations__') else 'none')
t(lambda: P.__orig_bases__ if hasattr(P,'__orig_bases__') else 'none')
t(lambda: Counter('abca'))
t(lambda: Counter({'a':1}))
t(lambda: Counter(a=1,b=2))
t(lambda: Counter(['a'],b=2))
t(lambda: Counter())
t(lambda: Counter(None))
t(lambda: repr(Counter('abbccc')))
t(lambda: str(Counter(a=-1,b=0)))
t(lambda: Counter([('a',1)]))
t(lambda: Counter('abca')['z'])
t(lambda: Counter('abca').most_common())
t(lambda: Counter('abca').most_common(1))
t(lambda: Counter('abca').most_common(0))
t(lambda: Counter('abca').most_common(-1))
t(lambda: Counter('aabbc').most_common(2))
t(lambda: Counter('abc').most_common(None))
t(lambda: sorted(Counter('abca').elements()))
t(lambda: Counter(a=-1,b=2).elements().__class__)
t(lambda: list(Counter(a=2,b=-1,c=0).elements()))
t(lambda: Counter('abca').total())
t(lambda: Counter().total())
t(lambda: Counter(1))
t(lambda: Counter(1,2))
t(lambda: Counter(self=1))
t(lambda: Counter(iterable=1))
t(lambda: Counter('ab').update('bc'))
t(lambda: upd(Counter('ab'),'bc'))
t(lambda: upd(Counter('ab'),{'a':5}))
t(lambda: upd(Counter('ab'),a=3))
t(lambda: upd(Counter(),None))
t(lambda: upd(Counter('a'),[1,1],b=2))
t(lambda: do(lambda c:c.subtract('bc'),Counter('ab')))
t(lambda: do(lambda c:c.subtract({'a':5}),Counter('ab')))
t(lambda: do(lambda c:c.subtract(a=2),Counter('ab')))
t(lambda: do(lambda c:c.subtract(),Counter('ab')))
t(lambda: Counter('aab')+Counter('abc'))
t(lambda: Counter('aab')-Counter('abc'))
t(lambda: Counter('aab')&Counter('abc'))
t(lambda: Counter('aab')|Counter('abc'))
t(lambda: +Counter(a=-1,b=2))
t(lambda: -Counter(a=-1,b=2))
t(lambda: Counter(a=1)==Counter(a=1,b=0))
t(lambda: Counter(a=1)!=Counter(a=2))
t(lambda: Counter('a')<=Counter('ab'))
t(lambda: Counter('ab')<Counter('ab'))
t(lambda: Counter('ab')>Counter('a'))
t(lambda: Counter('ab')>=Counter('b'))
t(lambda: Counter(a=1)=={'a':1})
t(lambda: Counter(a=1)==5)
t(lambda: Counter('a')+{'a':1})
t(lambda: Counter('a')<{'a':1})
t(lambda: Counter('a')|5)
t(lambda: Counter('a')+5)
t(lambda: do(lambda c:c.__iadd__(Counter('ab')),Counter('a')))
t(lambda: do(lambda c:c.__isub__(Counter('ab')),Counter('aa')))
t(lambda: do(lambda c:c.__iand__(Counter('ab')),Counter('aac')))
t(lambda: do(lambda c:c.__ior__(Counter('ab')),Counter('aac')))
t(lambda: Counter.fromkeys('a'))
t(lambda: Counter('a').copy())
t(lambda: type(C2('a').copy()).__name__)
t(lambda: C2('aab'))
t(lambda: C2('a')+C2('b'))
t(lambda: type(C2('a')+C2('b')).__name__)
t(lambda: copy.copy(Counter('ab')))
t(lambda: copy.deepcopy(Counter('ab')))
t(lambda: do(lambda c:c.__delitem__('z'),Counter('a')))
t(lambda: do(lambda c:c.pop('a'),Counter('a')))
t(lambda: do(lambda c:c.popitem(),Counter('ab')))
t(lambda: do(lambda c:c.setdefault('q',5),Counter('a')))
t(lambda: do(lambda c:c.clear(),Counter('a')))
t(lambda: Counter('a').pop('z'))
t(lambda: Counter({'a':'x','b':1}).most_common())
#---- coll_1
import collections, copy
from collections import *
P=namedtuple('P','x y')
Q=namedtuple('Q',['a','b','c'],defaults=[2,3])
class PP(P):
    __slots__=()
    def norm(s): return s.x+s.y
class DD(defaultdict): pass
class C2(Counter): pass
class OD(OrderedDict): pass
class Dq(deque): pass
class UD(UserDict):
    def __missing__(s,k): return 'miss'
class UL(UserList): pass
class US(UserString): pass
class Miss(dict):
    def __missing__(s,k): return k*2
def upd(o,*a,**k):
    o.update(*a,**k); return o
def do(f,o):
    r=f(o); return r,o
def setp():
    P(1,2).x=5
def setp2():
    PP(1,2).z=5
rd=defaultdict(list); rd['self']=rd
def itermod():
    o=OrderedDict.fromkeys('abc')
    for k in o:
        del o[k]
def itermod2():
    o=OrderedDict.fromkeys('abc')
    for k in o:
        o['z'+k]=1
def itermod3():
    o=OrderedDict.fromkeys('abc'); r=[]
    for k in o:
        r.append(k)
        if k=='a' and len(r)<5: o.move_to_end(k)
    return r
def dqmod():
    q=deque('abc')
    for x in q: q.append(1)
def dqmod2():
    q=deque('abc')
    it=iter(q); q.rotate(1); return next(it)
def cmod():
    m=ChainMap({'a':1},{'b':2}); m['b']=5; m['c']=6; del m['a']; return m
ro=OrderedDict(); ro['x']=ro
dr=deque(); dr.append(dr)
def setm():
    deque().maxlen=5
def seti():
    q=deque('abc'); q[1]='x'; del q[0]; return q
def seti2():
    deque('abc')[5]=1
def delb():
    del deque('abc')[5]

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)


t(lambda: repr(Counter({1:'x',2:'y'})))
t(lambda: repr(Counter({1:'x',2:5})))
t(lambda: Counter(a=1.5))
t(lambda: Counter(a=None))
t(lambda: isinstance(Counter(),dict))
t(lambda: Counter.__mro__)
t(lambda: len(Counter('aab')))
t(lambda: 'z' in Counter())
t(lambda: Counter('ab').items())
t(lambda: Counter('ab').keys())
t(lambda: list(Counter('ab')))
t(lambda: {1}|Counter('a').keys() if 0 else 0)
t(lambda: defaultdict(list))
t(lambda: defaultdict(int,{'a':1}))
t(lambda: defaultdict(None,a=1))
t(lambda: defaultdict())
t(lambda: defaultdict(lambda:5)['x'])
t(lambda: defaultdict(int,[('a',1)],b=2))
t(lambda: repr(defaultdict(None)))
t(lambda: defaultdict(int).default_factory)
t(lambda: defaultdict(5))
t(lambda: defaultdict()['a'])
t(lambda: defaultdict(int).get('a'))
t(lambda: do(lambda d:d['a'],defaultdict(list)))
t(lambda: do(lambda d:d.__missing__('q'),defaultdict(list)))
t(lambda: do(lambda d:d.setdefault('q'),defaultdict(list)))
t(lambda: 'a' in defaultdict(int))
t(lambda: defaultdict().__missing__('a'))
t(lambda: defaultdict(int,a=1).copy())
t(lambda: type(DD(int).copy()).__name__)
t(lambda: copy.copy(defaultdict(list,a=[1])))
t(lambda: copy.deepcopy(defaultdict(list,a=[1])))
t(lambda: DD(int,x=1))
t(lambda: repr(DD(int)))
t(lambda: defaultdict(int,a=1)|{'b':2})
t(lambda: {'b':2}|defaultdict(int,a=1))
t(lambda: do(lambda d:d.__ior__({'z':1}),defaultdict(int)))
t(lambda: defaultdict(int)=={})
t(lambda: defaultdict.fromkeys('ab',1))
t(lambda: defaultdict(int)|5)
t(lambda: defaultdict(lambda:1/0)['a'])
t(lambda: repr(rd))
t(lambda: defaultdict(list,1))
t(lambda: defaultdict(default_factory=int))
t(lambda: OrderedDict([('a',1),('b',2)]))
t(lambda: OrderedDict(a=1))
t(lambda: OrderedDict({'a':1},b=2))
t(lambda: OrderedDict())
t(lambda: repr(OrderedDict([(1,OrderedDict())])))
t(lambda: OrderedDict.fromkeys('ab'))
t(lambda: OrderedDict.fromkeys('ab',5))
t(lambda: OrderedDict(1))
t(lambda: OrderedDict({},{}))
t(lambda: do(lambda o:o.move_to_end('a'),OrderedDict.fromkeys('abc')))
t(lambda: do(lambda o:o.move_to_end('c',last=False),OrderedDict.fromkeys('abc')))
t(lambda: do(lambda o:o.popitem(),OrderedDict.fromkeys('abc')))
t(lambda: do(lambda o:o.popitem(last=False),OrderedDict.fromkeys('abc')))
t(lambda: do(lambda o:o.popitem(False),OrderedDict.fromkeys('abc')))
t(lambda: do(lambda o:o.pop('b'),OrderedDict.fromkeys('abc')))
t(lambda: do(lambda o:o.pop('z',9),OrderedDict.fromkeys('abc')))
t(lambda: list(reversed(OrderedDict.fromkeys('abc'))))
t(lambda: list(reversed(OrderedDict.fromkeys('abc').items())))
t(lambda: list(reversed(OrderedDict.fromkeys('abc',1).values())))
t(lambda: do(lambda o:o.setdefault('z',1),OrderedDict(a=1)))
t(lambda: do(lambda o:o.update(b=2),OrderedDict(a=1)))
t(lambda: OrderedDict(a=1).move_to_end('z'))
t(lambda: OrderedDict().popitem())
t(lambda: OrderedDict(a=1).pop('z'))
t(lambda: OrderedDict(a=1,b=2)==OrderedDict(b=2,a=1))
t(lambda: OrderedDict(a=1,b=2)=={'b':2,'a':1})
t(lambda: OrderedDict(a=1)!=OrderedDict(a=1))
t(lambda: OrderedDict(a=1)|{'b':2})
t(lambda: {'b':2}|OrderedDict(a=1))
t(lambda: type({'b':2}|OrderedDict(a=1)).__name__)
t(lambda: OrderedDict(a=1).copy())
t(lambda: type(OD(a=1).copy()).__name__)
t(lambda: OD(a=1))
t(lambda: copy.copy(OrderedDict(a=1)))
t(lambda: copy.deepcopy(OrderedDict(a=[1])))
t(lambda: OrderedDict(a=1).keys())
t(lambda: OrderedDict(a=1).values())
t(lambda: OrderedDict(a=1).items())
t(lambda: dqmod())
t(lambda: dqmod2())
t(lambda: cmod())
t(lambda: repr(ro))
t(lambda: deque())
t(lambda: deque('abc'))
t(lambda: deque([1,2,3],2))
t(lambda: deque(maxlen=3))
t(lambda: deque([1],maxlen=None))
t(lambda: repr(deque([1],5)))
t(lambda: deque('abc').maxlen)
t(lambda: deque([],0))
t(lambda: deque(range(5),3))
t(lambda: deque(iterable=[1],maxlen=1))
t(lambda: deque(1))
t(lambda: deque([],-1))
t(lambda: deque([],'a'))
t(lambda: deque([],1.0))
t(lambda: deque([],1,2))
t(lambda: deque(foo=1))
t(lambda: do(lambda q:q.append(9),deque([1,2],2)))
t(lambda: do(lambda q:q.appendleft(9),deque([1,2],2)))
t(lambda: do(lambda q:q.extend([7,8,9]),deque([1,2],2)))
t(lambda: do(lambda q:q.extendleft([7,8]),deque([1])))
t(lambda: do(lambda q:q.pop(),deque([1,2])))
t(lambda: do(lambda q:q.popleft(),deque([1,2])))
t(lambda: do(lambda q:q.rotate(1),deque([1,2,3])))
t(lambda: do(lambda q:q.rotate(-4),deque([1,2,3])))
t(lambda: do(lambda q:q.rotate(),deque([1,2,3])))
t(lambda: do(lambda q:q.rotate(10**6),deque([1,2,3])))
t(lambda: do(lambda q:q.reverse(),deque([1,2,3])))
t(lambda: do(lambda q:q.remove(2),deque([1,2,3])))
t(lambda: do(lambda q:q.insert(1,9),deque([1,2,3])))
t(lambda: do(lambda q:q.insert(-1,9),deque([1,2,3])))
t(lambda: do(lambda q:q.insert(99,9),deque([1,2,3])))
t(lambda: do(lambda q:q.insert(-99,9),deque([1,2,3])))
t(lambda: do(lambda q:q.clear(),deque([1])))
t(lambda: do(lambda q:q.extend(q),deque([1,2])))
t(lambda: do(lambda q:q.extendleft(q),deque([1,2])))
t(lambda: deque().pop())
t(lambda: deque().popleft())
t(lambda: deque([1]).remove(5))
t(lambda: deque([1]).index(5))
t(lambda: deque([1,2],2).insert(0,1))
t(lambda: deque().rotate('a'))
t(lambda: deque().rotate(1.5))
t(lambda: deque([1]).append())
t(lambda: deque('abcabc').index('c'))
t(lambda: deque('abcabc').index('c',3))
t(lambda: deque('abc').index('c',-1))
t(lambda: deque('abcabc').count('a'))
t(lambda: deque('abc')[0])
t(lambda: deque('abc')[-1])
t(lambda: 'a' in deque('abc'))
t(lambda: len(deque('abc')))
t(lambda: list(reversed(deque('abc'))))
t(lambda: deque('abc').copy())
t(lambda: deque([1,2],2).copy())
t(lambda: copy.copy(deque([1,2],2)))
t(lambda: copy.deepcopy(deque([[1]],3)))
#---- coll_2
import collections, copy
from collections import *
P=namedtuple('P','x y')
Q=namedtuple('Q',['a','b','c'],defaults=[2,3])
class PP(P):
    __slots__=()
    def norm(s): return s.x+s.y
class DD(defaultdict): pass
class C2(Counter): pass
class OD(OrderedDict): pass
class Dq(deque): pass
class UD(UserDict):
    def __missing__(s,k): return 'miss'
class UL(UserList): pass
class US(UserString): pass
class Miss(dict):
    def __missing__(s,k): return k*2
def upd(o,*a,**k):
    o.update(*a,**k); return o
def do(f,o):
    r=f(o); return r,o
def setp():
    P(1,2).x=5
def setp2():
    PP(1,2).z=5
rd=defaultdict(list); rd['self']=rd
def itermod():
    o=OrderedDict.fromkeys('abc')
    for k in o:
        del o[k]
def itermod2():
    o=OrderedDict.fromkeys('abc')
    for k in o:
        o['z'+k]=1
def itermod3():
    o=OrderedDict.fromkeys('abc'); r=[]
    for k in o:
        r.append(k)
        if k=='a' and len(r)<5: o.move_to_end(k)
    return r
def dqmod():
    q=deque('abc')
    for x in q: q.append(1)
def dqmod2():
    q=deque('abc')
    it=iter(q); q.rotate(1); return next(it)
def cmod():
    m=ChainMap({'a':1},{'b':2}); m['b']=5; m['c']=6; del m['a']; return m
ro=OrderedDict(); ro['x']=ro
dr=deque(); dr.append(dr)
def setm():
    deque().maxlen=5
def seti():
    q=deque('abc'); q[1]='x'; del q[0]; return q
def seti2():
    deque('abc')[5]=1
def delb():
    del deque('abc')[5]

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)


t(lambda: type(Dq('ab').copy()).__name__)
t(lambda: Dq('ab'))
t(lambda: Dq([1],3))
t(lambda: deque('abc').index('a',1,2))
t(lambda: deque('abc')[3])
t(lambda: deque('abc')[-4])
t(lambda: deque('abc')['a'])
t(lambda: deque('abc')[0:1])
t(lambda: deque([1])+deque([2]))
t(lambda: deque([1])*3)
t(lambda: 2*deque([1]))
t(lambda: deque([1,2],2)*2)
t(lambda: deque([1,2,3],2)+deque([4]))
t(lambda: do(lambda q:q.__iadd__('xy'),deque('a')))
t(lambda: do(lambda q:q.__imul__(3),deque('ab',3)))
t(lambda: deque([1])==deque([1]))
t(lambda: deque([1])==[1])
t(lambda: deque([1],5)==deque([1]))
t(lambda: deque([1])<deque([2]))
t(lambda: deque([1,2])>=deque([1]))
t(lambda: bool(deque()))
t(lambda: deque([1])+[2])
t(lambda: deque([1])*1.5)
t(lambda: deque([1])<[2])
t(lambda: hash(deque()))
t(lambda: deque()*-1)
t(lambda: deque([1])*0)
t(lambda: repr(dr))
t(lambda: setm())
t(lambda: seti())
t(lambda: seti2())
t(lambda: delb())
t(lambda: deque[int])
t(lambda: defaultdict[str,int])
t(lambda: OrderedDict[int,str])
t(lambda: Counter[str])
t(lambda: ChainMap[int,int])
t(lambda: UserDict[int,int])
t(lambda: type(deque[int]))
t(lambda: ChainMap())
t(lambda: ChainMap({'a':1},{'b':2}))
t(lambda: ChainMap({'a':1},{'a':2})['a'])
t(lambda: list(ChainMap({'a':1},{'b':2})))
t(lambda: len(ChainMap({'a':1},{'a':2})))
t(lambda: ChainMap({'a':1}).new_child())
t(lambda: ChainMap({'a':1}).new_child({'b':2}))
t(lambda: ChainMap({'a':1}).new_child(x=1))
t(lambda: ChainMap({'a':1},{'b':2}).parents)
t(lambda: ChainMap({'a':1}).maps)
t(lambda: dict(ChainMap({'a':1},{'b':2})))
t(lambda: ChainMap({'a':1})|{'c':3})
t(lambda: {'c':3}|ChainMap({'a':1}))
t(lambda: ChainMap({'a':1})=={'a':1})
t(lambda: bool(ChainMap({})))
t(lambda: ChainMap({'a':1}).get('z',5))
t(lambda: 'a' in ChainMap({'a':1}))
t(lambda: ChainMap.fromkeys('ab',1))
t(lambda: ChainMap({'a':1}).copy())
t(lambda: ChainMap({'a':1},{'b':1}).items())
t(lambda: copy.copy(ChainMap({'a':1})))
t(lambda: ChainMap({'a':1})['z'])
t(lambda: ChainMap({},{'b':1}).pop('b'))
t(lambda: ChainMap({},{'b':1}).__delitem__('b'))
t(lambda: ChainMap().popitem())
t(lambda: do(lambda m:m.popitem(),ChainMap({'a':1})))
t(lambda: do(lambda m:m.pop('a'),ChainMap({'a':1})))
t(lambda: do(lambda m:m.clear(),ChainMap({'a':1},{'b':1})))
t(lambda: do(lambda m:m.__ior__({'q':1}),ChainMap({'a':1})))
t(lambda: UserDict(a=1))
t(lambda: UserDict({'a':1}))
t(lambda: UserDict([('a',1)],b=2))
t(lambda: UD()['x'])
t(lambda: UD(a=1)['a'])
t(lambda: UD().get('x'))
t(lambda: 'x' in UD())
t(lambda: UserDict(a=1)|{'b':2})
t(lambda: {'b':2}|UserDict(a=1))
t(lambda: UserDict(a=1).data)
t(lambda: UserDict(a=1).copy())
t(lambda: type(UD().copy()).__name__)
t(lambda: UserDict.fromkeys('ab'))
t(lambda: UserDict(a=1)=={'a':1})
t(lambda: len(UserDict()))
t(lambda: list(UserDict(a=1)))
t(lambda: UserDict(a=1).items())
t(lambda: UserDict(dict=5))
t(lambda: copy.copy(UserDict(a=[1])))
t(lambda: repr(UD(a=1)))
t(lambda: UserDict()['a'])
t(lambda: UserDict(1))
t(lambda: UserDict().pop('a'))
t(lambda: UserList([1,2]))
t(lambda: UserList('ab'))
t(lambda: UserList(UserList([1])))
t(lambda: UserList([1])+[2])
t(lambda: [2]+UserList([1]))
t(lambda: UserList([1])*2)
t(lambda: 2*UserList([1]))
t(lambda: UserList([1,2])[0])
t(lambda: UserList([1,2])[0:1])
t(lambda: type(UL([1,2])[0:1]).__name__)
t(lambda: UserList([1])==[1])
t(lambda: UserList([1])<[2])
t(lambda: do(lambda u:u.append(1),UserList()))
t(lambda: do(lambda u:u.sort(reverse=True),UserList([1,2])))
t(lambda: do(lambda u:u.extend('ab'),UserList()))
t(lambda: do(lambda u:u.insert(0,1),UserList([2])))
t(lambda: do(lambda u:u.pop(),UserList([2])))
t(lambda: UserList([1]).index(1))
t(lambda: UserList([1]).count(1))
t(lambda: UserList([1]).copy())
t(lambda: type(UL([1]).copy()).__name__)
t(lambda: copy.copy(UserList([1])))
t(lambda: 1 in UserList([1]))
t(lambda: UserList([3]).data)
t(lambda: do(lambda u:u.__iadd__([5]),UserList([1])))
t(lambda: UserList((1,2)))
t(lambda: UserString('ab'))
t(lambda: str(UserString('ab')))
t(lambda: repr(UserString('ab')))
t(lambda: UserString(5))
t(lambda: UserString('ab')+'c')
t(lambda: 'c'+UserString('ab'))
t(lambda: UserString('ab')*2)
t(lambda: UserString('ab')[0])
t(lambda: type(UserString('ab')[0]).__name__)
t(lambda: UserString('ab').upper())
t(lambda: UserString('a%s')%'b')
t(lambda: '%s'%UserString('x'))
t(lambda: UserString('ab')=='ab')
t(lambda: UserString('ab')<'b')
t(lambda: hash(UserString('a'))==hash('a'))
t(lambda: int(UserString('5')))
t(lambda: float(UserString('1.5')))
t(lambda: UserString('a b').split())
t(lambda: UserString('ab').find('b'))
t(lambda: 'a' in UserString('ab'))
t(lambda: UserString('ab') in UserString('abc'))
t(lambda: UserString('a').join(['x','y']))
t(lambda: UserString('{}').format(1))
t(lambda: UserString('ab').replace('a','b'))
t(lambda: UserString('a').encode())
t(lambda: UserString('ab').startswith('a'))
t(lambda: UserString('x').center(5,'*'))
t(lambda: len(UserString('ab')))
t(lambda: UserString('a').isalpha())
t(lambda: UserString('ab').data)
t(lambda: UserString('a,b').partition(','))
t(lambda: UserString('aXb').swapcase())
t(lambda: complex(UserString('1j')))
#---- coll_3
import collections, copy
from collections import *
P=namedtuple('P','x y')
Q=namedtuple('Q',['a','b','c'],defaults=[2,3])
class PP(P):
    __slots__=()
    def norm(s): return s.x+s.y
class DD(defaultdict): pass
class C2(Counter): pass
class OD(OrderedDict): pass
class Dq(deque): pass
class UD(UserDict):
    def __missing__(s,k): return 'miss'
class UL(UserList): pass
class US(UserString): pass
class Miss(dict):
    def __missing__(s,k): return k*2
def upd(o,*a,**k):
    o.update(*a,**k); return o
def do(f,o):
    r=f(o); return r,o
def setp():
    P(1,2).x=5
def setp2():
    PP(1,2).z=5
rd=defaultdict(list); rd['self']=rd
def itermod():
    o=OrderedDict.fromkeys('abc')
    for k in o:
        del o[k]
def itermod2():
    o=OrderedDict.fromkeys('abc')
    for k in o:
        o['z'+k]=1
def itermod3():
    o=OrderedDict.fromkeys('abc'); r=[]
    for k in o:
        r.append(k)
        if k=='a' and len(r)<5: o.move_to_end(k)
    return r
def dqmod():
    q=deque('abc')
    for x in q: q.append(1)
def dqmod2():
    q=deque('abc')
    it=iter(q); q.rotate(1); return next(it)
def cmod():
    m=ChainMap({'a':1},{'b':2}); m['b']=5; m['c']=6; del m['a']; return m
ro=OrderedDict(); ro['x']=ro
dr=deque(); dr.append(dr)
def setm():
    deque().maxlen=5
def seti():
    q=deque('abc'); q[1]='x'; del q[0]; return q
def seti2():
    deque('abc')[5]=1
def delb():
    del deque('abc')[5]

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)


t(lambda: UserString('ab').removeprefix('a'))
t(lambda: UserString('5').zfill(3))
t(lambda: UserString('ab').translate({97:'x'}))
t(lambda: UserString('ab').maketrans('a','b'))
t(lambda: collections.__all__)
t(lambda: collections.Mapping)
t(lambda: collections.Foo)
