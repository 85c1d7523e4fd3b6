#---- outcomes
import unittest
class T(unittest.TestCase):
    def setUp(self): print('setup')
    def test_a(self): self.assertEqual(1,1)
    def test_b(self):
        with self.assertRaises(ValueError) as cm: raise ValueError('x')
        print(cm.exception)
        self.assertRaises(ZeroDivisionError, lambda: 1/0)
        with self.assertRaisesRegex(ValueError,'a.c'): raise ValueError('abc')
    @unittest.skip('no')
    def test_c(self): print('never')
    @unittest.expectedFailure
    def test_d(self): self.assertTrue(False)
    def test_e(self):
        for i in range(3):
            with self.subTest(i=i): self.assertIn(i,[0,1,2])
    def tearDown(self): print('teardown')
    def test_f(self):
        with self.assertWarns(DeprecationWarning):
            import warnings; warnings.warn('x',DeprecationWarning)
    def test_g(self):
        self.assertAlmostEqual(1.0,1.00000001); self.assertListEqual([1],[1]); self.assertDictEqual({},{}); self.assertCountEqual([1,2],[2,1])
        self.assertIsNone(None); self.assertIsInstance(1,int); self.assertGreater(2,1); self.assertRegex('abc','b')
    def test_h(self): self.skipTest('later')
class U(unittest.TestCase):
    @classmethod
    def setUpClass(cls): print('suc')
    @classmethod
    def tearDownClass(cls): print('tdc')
    def test_x(self): self.addCleanup(print,'cleanup'); print('x')
r=unittest.main(exit=False)
print(r.result.testsRun,len(r.result.skipped),len(r.result.expectedFailures),r.result.wasSuccessful())
#---- failures
import unittest
class T(unittest.TestCase):
    def test_fail(self): self.assertEqual(1,2)
    def test_err(self): 1/0
    def test_sub(self):
        for i in range(4):
            with self.subTest(i=i): self.assertEqual(i%2,0)
s=unittest.defaultTestLoader.loadTestsFromTestCase(T)
r=unittest.TestResult(); s.run(r)
print(r.testsRun,len(r.failures),len(r.errors),[t.id() for t,_ in r.failures])
for m,a in [('assertEqual',(1,2)),('assertEqual',([1,2],[1,3])),('assertIn',(1,[])),('assertTrue',(0,)),('assertIsNone',(1,)),('assertLess',(2,1)),('assertIs',(1,2)),('assertIsInstance',(1,str)),('assertAlmostEqual',(1,2)),('assertNotEqual',(1,1)),('assertRegex',('a','b')),('assertFalse',(1,))]:
    try: getattr(T('test_err'),m)(*a)
    except AssertionError as e: print(m,str(e).split('\n')[0])
#---- traceback
import traceback,sys
def f(): 1/0
try: f()
except ZeroDivisionError as e:
    s=traceback.format_exc(); print('\n'.join(l for l in s.split('\n') if 'File' not in l))
    print(traceback.format_exception_only(e), traceback.format_exception_only(type(e),e))
    tb=e.__traceback__
    print(traceback.extract_tb(tb)[-1].name, traceback.extract_tb(tb)[-1].line)
    print(len(traceback.format_exception(e)), len(traceback.format_tb(tb)))
try:
    try: f()
    except ZeroDivisionError as e: raise KeyError('k') from e
except KeyError:
    s=traceback.format_exc(); print('\n'.join(l for l in s.split('\n') if 'File' not in l))
#---- builtins and sys.modules
import sys
print('sys' in sys.modules, sys.modules['__main__'].__name__)
import builtins
print(builtins.len is len); builtins.zork=5
print(zork); del builtins.zork
try: zork
except NameError as e: print(e)
#---- digits and ranges
print(int('٣٤'), float('١.٥'), int('\u00a012\u2003'))
print(range(10).index(5), range(0,10,3).count(6), range(3).index(True))
import numbers
print(isinstance(1,numbers.Integral),isinstance(1.5,numbers.Integral),issubclass(complex,numbers.Complex))
try: numbers.Number()
except TypeError as e: print(e)
#---- logs
import io, logging, unittest
class T(unittest.TestCase):
    def test_some(self):
        with self.assertLogs('foo', level='INFO') as seen:
            logging.getLogger('foo').info('first')
            logging.getLogger('foo.bar').error('second %d', 2)
            logging.getLogger('foo').debug('too low')
        self.assertEqual(seen.output, ['INFO:foo:first', 'ERROR:foo.bar:second 2'])
        self.assertEqual([r.levelno for r in seen.records], [20, 40])
    def test_none(self):
        with self.assertNoLogs('foo', level='INFO'): logging.getLogger('foo').debug('x')
    def test_missing(self):
        with self.assertLogs('foo'): pass
    def test_unexpected(self):
        with self.assertNoLogs(): logging.getLogger('foo').warning('oops')
    @classmethod
    def setUpClass(cls):
        class Manager:
            def __enter__(self): print('enter')
            def __exit__(self, *rest): print('exit')
        cls.enterClassContext(Manager())
result = unittest.TestResult()
unittest.defaultTestLoader.loadTestsFromTestCase(T).run(result)
print(result, [text.splitlines()[-1] for test, text in result.failures])
