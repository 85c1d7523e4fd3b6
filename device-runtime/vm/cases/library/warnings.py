#---- one call after another
import warnings
def wn(f,cat='always'):
    with warnings.catch_warnings(record=True) as w:
        warnings.simplefilter(cat); f()
    return [(x.category.__name__,str(x.message)) for x in w]
def werr():
    with warnings.catch_warnings():
        warnings.simplefilter('error'); warnings.warn('bad')

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)


def each(f, *calls):
    for args in calls:
        t(lambda: f(*args))
each(wn, [lambda: warnings.warn('a')], [lambda: warnings.warn('a',DeprecationWarning)],
     [lambda: warnings.warn(UserWarning('b'))],
     [lambda: [warnings.warn('a') for _ in range(3)], 'once'],
     [lambda: warnings.warn('a'), 'ignore'])
t(lambda: werr())
t(lambda: warnings.warn('a',5))
t(lambda: warnings.simplefilter('foo'))
t(lambda: warnings.filterwarnings('foo'))
#---- warnings
import warnings
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter('always')
    warnings.warn('one'); warnings.warn(DeprecationWarning('two')); warnings.warn('three', RuntimeWarning)
    print([(str(x.message), x.category.__name__) for x in w])
with warnings.catch_warnings():
    warnings.simplefilter('error')
    try: warnings.warn('four')
    except UserWarning as e: print('raised', e)
with warnings.catch_warnings(record=True) as w:
    warnings.filterwarnings('ignore', 'skip')
    for t in ('skip me', 'keep me', 'keep me'): warnings.warn(t)
    print(len(w))
try: warnings.warn('x', int)
except TypeError as e: print(e)
