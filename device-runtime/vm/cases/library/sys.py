#---- one call after another
import sys

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)
t(lambda: sys.version_info[:2])
t(lambda: sys.version_info.major)
t(lambda: sys.version_info.releaselevel)
t(lambda: sys.implementation.name.__class__)
t(lambda: sys.maxsize)
t(lambda: sys.byteorder)
t(lambda: sys.maxunicode)
t(lambda: sys.float_info.max)
t(lambda: sys.float_info.epsilon)
t(lambda: sys.int_info)
t(lambda: sys.hash_info.width)
t(lambda: sys.getrecursionlimit().__class__)
t(lambda: sys.intern('a'))
t(lambda: sys.getdefaultencoding())
t(lambda: sys.exc_info())
t(lambda: sys.float_repr_style)
t(lambda: sys.version_info>=(3,8))
t(lambda: sys.hexversion>>16)
t(lambda: sys.copyright.__class__)
t(lambda: sys.getsizeof(1).__class__)
t(lambda: sys.thread_info.name if 0 else 0)
t(lambda: sys.api_version if 0 else 0)
t(lambda: sys.get_int_max_str_digits())
t(lambda: sys.is_finalizing())
t(lambda: sys.float_info)
t(lambda: sys.hash_info)
t(lambda: sys.setrecursionlimit(0))
t(lambda: sys.setrecursionlimit('a'))
t(lambda: sys.intern(5))
t(lambda: sys.set_int_max_str_digits(5))
t(lambda: sys.modules['sys'] is sys)
t(lambda: 'json' in sys.modules)
t(lambda: sys.path.__class__)
#---- a hook for what nobody caught
import sys
def hook(kind, error, trace):
    print('hook', kind.__name__, error, trace.tb_lineno)
sys.excepthook = hook
def f(): raise ValueError('x')
try:
    f()
except ValueError as e:
    sys.excepthook(type(e), e, e.__traceback__)
sys.excepthook = sys.__excepthook__
#---- sys
import sys
print(sys.version_info[:2], sys.version_info >= (3, 11), sys.version_info.major, sys.version_info.releaselevel, sys.maxsize, sys.byteorder, sys.maxunicode, sys.getrecursionlimit(), sys.float_info.max, sys.float_info.dig, sys.int_info.bits_per_digit, sys.hash_info.modulus, sys.getdefaultencoding(), sys.intern('a') == 'a', sys.stdout.encoding)
print(str(sys.version_info)[:34])
print(sys.exc_info())
try: 1 / 0
except ZeroDivisionError: print(sys.exc_info()[0].__name__, sys.exc_info()[1])
for a in [(), (3,), ('bye',)]:
    try: sys.exit(*a)
    except SystemExit as e: print(repr(e), e.code)
def depth(n):
    return n if n == 0 else depth(n - 1)
sys.setrecursionlimit(150)
try: depth(500)
except RecursionError as e: print(e)
sys.setrecursionlimit(1000)
#---- time_sys
import time, sys
t = time.monotonic()
print(time.monotonic() >= t, sys.version_info[:2] >= (3, 11), sys.maxsize, sys.byteorder)
sys.stdout.write("written\n")
