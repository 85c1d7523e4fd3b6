#---- one call after another
import traceback
def tb():
    try: 1/0
    except ZeroDivisionError as e: return traceback.format_exception_only(type(e),e), traceback.format_exception_only(e)
def tb2():
    try:
        try: 1/0
        except ZeroDivisionError as e: raise KeyError('x') from e
    except KeyError: return traceback.format_exc()
def tb3():
    try: 1/0
    except Exception as e:
        t=traceback.TracebackException.from_exception(e); return list(t.format_exception_only()), str(t), t.exc_type, len(t.stack)

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)
t(lambda: tb())
t(lambda: tb3())
t(lambda: tb2().split('\n')[0])
t(lambda: tb2().count('direct cause'))
