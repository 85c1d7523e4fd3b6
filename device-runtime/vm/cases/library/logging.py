#---- logging
import logging, io, sys
s = io.StringIO()
h = logging.StreamHandler(s)
h.setFormatter(logging.Formatter('%(name)s|%(levelname)s|%(message)s|%(funcName)s|%(lineno)d'))
log = logging.getLogger('a.b')
log.addHandler(h)
log.setLevel('DEBUG')
def f():
    log.debug('x %d', 5)
    log.info('%(k)s', {'k': 1})
    log.log(35, 'l')
f()
try:
    1 / 0
except ZeroDivisionError:
    log.exception('bad')
print(s.getvalue().splitlines()[:4], s.getvalue().splitlines()[-1], s.getvalue().count('Traceback'))
print(log, logging.getLogger('a'), logging.root, logging.getLogger('a.b') is log, log.getEffectiveLevel(), log.isEnabledFor(5), log.getChild('c').name)
print(logging.getLevelName(20), logging.getLevelName('INFO'), logging.getLevelName(15), logging.getLogger('a') is log.parent, logging.NullHandler())
for call in (lambda: log.setLevel('nope'), lambda: log.setLevel(1.5), lambda: log.log('x', 'y'), lambda: logging.getLogger(5), lambda: logging.Formatter('x', style='q')):
    try:
        call()
    except Exception as e:
        print(type(e).__name__, e)
logging.basicConfig(stream=sys.stdout, format='%(levelname)s:%(message)s', level=logging.INFO)
logging.info('hello')
logging.debug('not shown')
logging.getLogger('z').warning('w %s', 'q')
class Keep(logging.Filter):
    def filter(self, record): return 'skip' not in record.getMessage()
other = logging.getLogger('q')
other.addFilter(Keep())
other.info('skip this')
other.info('kept')
other.propagate = False
other.info('nobody hears')
logging.disable(logging.CRITICAL)
logging.error('off')
logging.disable(logging.NOTSET)
logging.error('on')
logging.LoggerAdapter(logging.getLogger('ad'), {'u': 1}).info('adapted')
r = logging.makeLogRecord({'msg': 'm %s', 'args': (1,), 'levelno': 20})
print(r.getMessage(), logging.Formatter('{message}', style='{').format(r), logging.Formatter('$message', style='$').format(r))
