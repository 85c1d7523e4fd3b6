#---- atexit
import atexit, sys
def told(*args, **kwargs): print('told', args, kwargs)
atexit.register(told, 1, k=2)
@atexit.register
def last(): print('first of all')
atexit.register(told, 'gone')
atexit.unregister(last)
atexit.register(last)
try:
    atexit.register(5)
except TypeError as e:
    print(e)
print('end')
atexit._run_exitfuncs()
