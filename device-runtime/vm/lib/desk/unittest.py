"""Tests as classes: TestCase with its assertions, suites, a runner and main(). Results go to sys.stderr."""
import re
import sys
import time
import traceback
import warnings

__all__ = ['TestResult', 'TestCase', 'TestSuite', 'TextTestRunner', 'TestLoader', 'main',
           'defaultTestLoader', 'SkipTest', 'skip', 'skipIf', 'skipUnless', 'expectedFailure',
           'TextTestResult', 'FunctionTestCase', 'IsolatedAsyncioTestCase', 'addModuleCleanup',
           'doModuleCleanups', 'enterModuleContext']
_LONG = 80


class SkipTest(Exception):
    pass


class _Stop(Exception):
    pass


def _identity(v):
    return v


def skip(reason):
    def mark(item):
        item.__unittest_skip__ = True
        item.__unittest_skip_why__ = reason
        return item
    if callable(reason) and not isinstance(reason, type) and hasattr(reason, '__code__'):
        function, reason = reason, ''
        return mark(function)
    return mark


def skipIf(condition, reason):
    return skip(reason) if condition else _identity


def skipUnless(condition, reason):
    return _identity if condition else skip(reason)


def expectedFailure(item):
    item.__unittest_expecting_failure__ = True
    return item


_module_cleanups = []


def addModuleCleanup(function, /, *args, **kwargs):
    _module_cleanups.append((function, args, kwargs))


def enterModuleContext(manager):
    value = manager.__enter__()
    addModuleCleanup(manager.__exit__, None, None, None)
    return value


def _run_cleanups(cleanups):
    while cleanups:
        function, args, kwargs = cleanups.pop()
        function(*args, **kwargs)


def doModuleCleanups():
    _run_cleanups(_module_cleanups)


def _short(v):
    text = repr(v)
    return text if len(text) <= _LONG else f'{text[:_LONG - 5]} [...]'


class _Raises:
    def __init__(self, case, expected, pattern=None, msg=None, what='raised'):
        self.case, self.expected, self.pattern, self.msg = case, expected, pattern, msg
        self.what = what
        self.exception = None

    def _names(self):
        expected = self.expected
        return expected.__name__ if isinstance(expected, type) else str(expected)

    def _fail(self, text):
        raise self.case.failureException(self.case._formatMessage(self.msg, text))

    def _match(self, v):
        if self.pattern is None:
            return
        pattern = re.compile(self.pattern) if isinstance(self.pattern, (str, bytes)) \
            else self.pattern
        if not pattern.search(str(v)):
            self._fail(f'"{pattern.pattern}" does not match "{v}"')

    def __enter__(self):
        return self

    def __exit__(self, kind, error, tb):
        if kind is None:
            self._fail(f'{self._names()} not raised')
        if not issubclass(kind, self.expected):
            return False
        self.exception = error
        self._match(error)
        return True


class _Warns(_Raises):
    def __enter__(self):
        self._manager = warnings.catch_warnings(record=True)
        self.warnings = self._manager.__enter__()
        warnings.simplefilter('always', self.expected if isinstance(self.expected, type)
                              else Warning)
        return self

    def __exit__(self, kind, error, tb):
        self._manager.__exit__(kind, error, tb)
        if kind is not None:
            return False
        for one in self.warnings:
            if not issubclass(one.category, self.expected):
                continue
            if self.pattern is not None and not re.search(self.pattern, str(one.message)):
                continue
            self.warning, self.filename, self.lineno = one.message, one.filename, one.lineno
            return False
        self._fail(f'{self._names()} not triggered')


class _Logs:
    def __init__(self, case, logger, level, none):
        import logging
        self.case, self.none, self.msg = case, none, None
        self.logger = logger if isinstance(logger, logging.Logger) else logging.getLogger(logger)
        self.level = logging._checkLevel(level or logging.INFO)

    def __enter__(self):
        import logging
        self.records, self.output = [], []
        shown = logging.Formatter('%(levelname)s:%(name)s:%(message)s')

        class Collecting(logging.Handler):
            def emit(handler, record):
                self.records.append(record)
                self.output.append(shown.format(record))
        logger = self.logger
        self._old = logger.handlers, logger.level, logger.propagate
        logger.handlers, logger.propagate = [Collecting(self.level)], False
        logger.setLevel(self.level)
        return None if self.none else self

    def __exit__(self, kind, error, tb):
        import logging
        logger = self.logger
        logger.handlers, level, logger.propagate = self._old
        logger.setLevel(level)
        if kind is not None:
            return False
        if self.none and self.records:
            text = f'Unexpected logs found: {self.output!r}'
        elif not self.none and not self.records:
            text = (f'no logs of level {logging.getLevelName(self.level)} or higher triggered on '
                    f'{logger.name}')
        else:
            return False
        raise self.case.failureException(self.case._formatMessage(self.msg, text))


def _diff(first, second):
    return f'\n- {first!r}\n+ {second!r}'


class TestCase:
    failureException = AssertionError
    longMessage = True
    maxDiff = 640
    _cleanups_of_class = None

    def __init_subclass__(cls, *args, **kwargs):
        cls.__unittest_class_cleanups = []
        super().__init_subclass__(*args, **kwargs)

    def __init__(self, methodName='runTest'):
        self._testMethodName = methodName
        self._testMethodDoc = getattr(getattr(self, methodName, None), '__doc__', None)
        if methodName != 'runTest' and not hasattr(self, methodName):
            raise ValueError(f'no such test method in {self.__class__}: {methodName}')
        self._cleanups = []
        self._result = None
        self._type_equality = {}
        for cls, name in ((dict, 'assertDictEqual'), (list, 'assertListEqual'),
                          (tuple, 'assertTupleEqual'), (set, 'assertSetEqual'),
                          (frozenset, 'assertSetEqual'), (str, 'assertMultiLineEqual')):
            self._type_equality[cls] = name

    def setUp(self):
        pass

    def tearDown(self):
        pass

    @classmethod
    def setUpClass(cls):
        pass

    @classmethod
    def tearDownClass(cls):
        pass

    @classmethod
    def addClassCleanup(cls, function, /, *args, **kwargs):
        cls.__dict__.get('_TestCase__unittest_class_cleanups', []).append((function, args, kwargs))

    @classmethod
    def doClassCleanups(cls):
        _run_cleanups(cls.__dict__.get('_TestCase__unittest_class_cleanups', []))

    def addCleanup(self, function, /, *args, **kwargs):
        self._cleanups.append((function, args, kwargs))

    def enterContext(self, manager):
        value = manager.__enter__()
        self.addCleanup(manager.__exit__, None, None, None)
        return value

    @classmethod
    def enterClassContext(cls, manager):
        value = manager.__enter__()
        cls.addClassCleanup(manager.__exit__, None, None, None)
        return value

    def doCleanups(self):
        _run_cleanups(self._cleanups)
        return True

    def addTypeEqualityFunc(self, typeobj, function):
        self._type_equality[typeobj] = function

    def countTestCases(self):
        return 1

    def defaultTestResult(self):
        return TestResult()

    def id(self):
        return f'{type(self).__module__}.{type(self).__qualname__}.{self._testMethodName}'

    def shortDescription(self):
        doc = self._testMethodDoc
        return doc.strip().split('\n')[0].strip() if doc else None

    def __str__(self):
        return f'{self._testMethodName} ({type(self).__module__}.{type(self).__qualname__}.' \
               f'{self._testMethodName})'

    def __repr__(self):
        return f'<{type(self).__module__}.{type(self).__qualname__} ' \
               f'testMethod={self._testMethodName}>'

    def __eq__(self, other):
        return type(self) is type(other) and self._testMethodName == other._testMethodName

    def __hash__(self):
        return hash((type(self), self._testMethodName))

    def skipTest(self, reason):
        raise SkipTest(reason)

    def fail(self, msg=None):
        raise self.failureException(msg)

    # How one part of a test went; True: well.
    def _attempt(self, function, result, test=None):
        try:
            function()
            return True
        except KeyboardInterrupt:
            raise
        except SkipTest as e:
            result.addSkip(test or self, str(e))
        except _Stop:
            pass
        except BaseException as e:
            self._outcome = e
            self._failed = True
            if not self._expecting:
                if test is not None:
                    result.addSubTest(self, test, (type(e), e, e.__traceback__))
                elif isinstance(e, self.failureException):
                    result.addFailure(self, (type(e), e, e.__traceback__))
                else:
                    result.addError(self, (type(e), e, e.__traceback__))
        return False

    def _call_test(self, method):
        made = method()
        if made is not None:
            warnings.warn('It is deprecated to return a value that is not None from a test case '
                          f'({method})', DeprecationWarning, stacklevel=3)

    def run(self, result=None):
        own = result is None
        if own:
            result = self.defaultTestResult()
            result.startTestRun()
        result.startTest(self)
        try:
            method = getattr(self, self._testMethodName)
            for item in (type(self), method):
                if getattr(item, '__unittest_skip__', False):
                    result.addSkip(self, getattr(item, '__unittest_skip_why__', ''))
                    return result
            self._expecting = (getattr(type(self), '__unittest_expecting_failure__', False)
                               or getattr(method, '__unittest_expecting_failure__', False))
            self._result, self._failed, self._outcome = result, False, None
            skipped = len(result.skipped)
            ok = self._attempt(self.setUp, result)
            if ok:
                ok = self._attempt(lambda: self._call_test(method), result)
                ok = self._attempt(self.tearDown, result) and ok
            while self._cleanups:
                function, args, kwargs = self._cleanups.pop()
                ok = self._attempt(lambda: function(*args, **kwargs), result) and ok
            if self._expecting and (self._failed or ok):
                if self._failed:
                    e = self._outcome
                    result.addExpectedFailure(self, (type(e), e, e.__traceback__))
                else:
                    result.addUnexpectedSuccess(self)
            elif ok and not self._failed and len(result.skipped) == skipped:
                result.addSuccess(self)
            return result
        finally:
            self._result = None
            result.stopTest(self)
            if own:
                result.stopTestRun()

    def __call__(self, *args, **kwargs):
        return self.run(*args, **kwargs)

    def debug(self):
        self.setUp()
        getattr(self, self._testMethodName)()
        self.tearDown()
        self.doCleanups()

    def subTest(self, msg=None, **params):
        return _SubTest(self, msg, params)

    # Assertions.
    def _formatMessage(self, msg, standard):
        if not self.longMessage:
            return msg or standard
        return standard if msg is None else f'{standard} : {msg}'

    def _check(self, ok, standard, msg):
        if not ok:
            raise self.failureException(self._formatMessage(msg, standard))

    def assertTrue(self, expr, msg=None):
        if not expr:
            self._check(False, f'{_short(expr)} is not true', msg)

    def assertFalse(self, expr, msg=None):
        if expr:
            self._check(False, f'{_short(expr)} is not false', msg)

    def assertEqual(self, first, second, msg=None):
        if type(first) is type(second):
            own = self._type_equality.get(type(first))
            if own is not None:
                function = getattr(self, own) if isinstance(own, str) else own
                return function(first, second, msg=msg)
        if not first == second:
            self._check(False, f'{_short(first)} != {_short(second)}', msg)

    def assertNotEqual(self, first, second, msg=None):
        if not first != second:
            self._check(False, f'{_short(first)} == {_short(second)}', msg)

    def assertIs(self, first, second, msg=None):
        if first is not second:
            self._check(False, f'{_short(first)} is not {_short(second)}', msg)

    def assertIsNot(self, first, second, msg=None):
        if first is second:
            self._check(False, f'unexpectedly identical: {_short(first)}', msg)

    def assertIsNone(self, obj, msg=None):
        if obj is not None:
            self._check(False, f'{_short(obj)} is not None', msg)

    def assertIsNotNone(self, obj, msg=None):
        self._check(obj is not None, 'unexpectedly None', msg)

    def assertIn(self, member, container, msg=None):
        if member not in container:
            self._check(False, f'{_short(member)} not found in {_short(container)}', msg)

    def assertNotIn(self, member, container, msg=None):
        if member in container:
            self._check(False, f'{_short(member)} unexpectedly found in {_short(container)}', msg)

    def assertIsInstance(self, obj, cls, msg=None):
        if not isinstance(obj, cls):
            self._check(False, f'{_short(obj)} is not an instance of {cls!r}', msg)

    def assertNotIsInstance(self, obj, cls, msg=None):
        if isinstance(obj, cls):
            self._check(False, f'{_short(obj)} is an instance of {cls!r}', msg)

    def assertLess(self, a, b, msg=None):
        if not a < b:
            self._check(False, f'{_short(a)} not less than {_short(b)}', msg)

    def assertLessEqual(self, a, b, msg=None):
        if not a <= b:
            self._check(False, f'{_short(a)} not less than or equal to {_short(b)}', msg)

    def assertGreater(self, a, b, msg=None):
        if not a > b:
            self._check(False, f'{_short(a)} not greater than {_short(b)}', msg)

    def assertGreaterEqual(self, a, b, msg=None):
        if not a >= b:
            self._check(False, f'{_short(a)} not greater than or equal to {_short(b)}', msg)

    def _near(self, first, second, places, delta):
        if delta is not None and places is not None:
            raise TypeError('specify delta or places not both')
        if first == second:
            return True, ''
        difference = abs(first - second)
        if delta is not None:
            return difference <= delta, f'within {_short(delta)} delta ({_short(difference)} ' \
                                        'difference)'
        places = 7 if places is None else places
        return round(difference, places) == 0, f'within {places!r} places ' \
                                               f'({_short(difference)} difference)'

    def assertAlmostEqual(self, first, second, places=None, msg=None, delta=None):
        near, how = self._near(first, second, places, delta)
        if not near:
            self._check(False, f'{_short(first)} != {_short(second)} {how}', msg)

    def assertNotAlmostEqual(self, first, second, places=None, msg=None, delta=None):
        near, how = self._near(first, second, places, delta)
        if near:
            how = f' {how}' if delta is not None else f' within {places or 7!r} places'
            self._check(False, f'{_short(first)} == {_short(second)}{how}', msg)

    def assertSequenceEqual(self, first, second, msg=None, seq_type=None):
        name = 'sequence' if seq_type is None else seq_type.__name__
        if seq_type is not None:
            for what, v in (('First', first), ('Second', second)):
                if not isinstance(v, seq_type):
                    raise self.failureException(f'{what} sequence is not a {name}: {_short(v)}')
        if first == second and len(first) == len(second):
            return
        text = f'{name.capitalize()}s differ: {_short(first)} != {_short(second)}\n'
        for i in range(min(len(first), len(second))):
            if first[i] != second[i]:
                text += f'\nFirst differing element {i}:\n{_short(first[i])}\n{_short(second[i])}\n'
                break
        else:
            if len(first) == len(second) and seq_type is None and type(first) != type(second):
                return
        if len(first) != len(second):
            longer, short = (first, second) if len(first) > len(second) else (second, first)
            which = 'First' if longer is first else 'Second'
            text += f'\n{which} {name} contains {len(longer) - len(short)} additional elements.\n' \
                    f'First extra element {len(short)}:\n{_short(longer[len(short)])}\n'
        self._check(False, text + _diff(first, second), msg)

    def assertListEqual(self, list1, list2, msg=None):
        self.assertSequenceEqual(list1, list2, msg, list)

    def assertTupleEqual(self, tuple1, tuple2, msg=None):
        self.assertSequenceEqual(tuple1, tuple2, msg, tuple)

    def assertSetEqual(self, set1, set2, msg=None):
        if set1 == set2:
            return
        lines = []
        for name, items in (('first', set1 - set2), ('second', set2 - set1)):
            if items:
                lines.append(f'Items in the {name} set but not the '
                             f'{"second" if name == "first" else "first"}:')
                lines += [repr(item) for item in items]
        self._check(False, '\n'.join(lines), msg)

    def assertDictEqual(self, d1, d2, msg=None):
        self.assertIsInstance(d1, dict, 'First argument is not a dictionary')
        self.assertIsInstance(d2, dict, 'Second argument is not a dictionary')
        if d1 != d2:
            self._check(False, f'{_short(d1)} != {_short(d2)}{_diff(d1, d2)}', msg)

    def assertDictContainsSubset(self, subset, dictionary, msg=None):
        for key, value in subset.items():
            self._check(key in dictionary and dictionary[key] == value,
                        f'Mismatched values or missing: {key!r}', msg)

    def assertMultiLineEqual(self, first, second, msg=None):
        self.assertIsInstance(first, str, 'First argument is not a string')
        self.assertIsInstance(second, str, 'Second argument is not a string')
        if first != second:
            text = f'{_short(first)} != {_short(second)}\n'
            self._check(False, text + _diff(first, second), msg)

    def assertCountEqual(self, first, second, msg=None):
        first, rest = list(first), list(second)
        missing = []
        for item in first:
            if item in rest:
                rest.remove(item)
            else:
                missing.append(item)
        if missing or rest:
            self._check(False, f'Element counts were not equal:\nonly in first: {missing!r}\n'
                               f'only in second: {rest!r}', msg)

    def assertRegex(self, text, expected_regex, msg=None):
        if not re.search(expected_regex, text):
            pattern = getattr(expected_regex, 'pattern', expected_regex)
            self._check(False, f"Regex didn't match: {pattern!r} not found in {text!r}", msg)

    def assertNotRegex(self, text, unexpected_regex, msg=None):
        found = re.search(unexpected_regex, text)
        if found:
            pattern = getattr(unexpected_regex, 'pattern', unexpected_regex)
            self._check(False, f'Regex matched: {found.group()!r} matches {pattern!r} in {text!r}',
                        msg)

    def _context(self, manager, args, kwargs):
        if not args:
            manager.msg = kwargs.pop('msg', None)
            if kwargs:
                raise TypeError(f'{next(iter(kwargs))!r} is an invalid keyword argument for this '
                                'function')
            return manager
        function, *args = args
        if function is None:
            return manager
        with manager:
            function(*args, **kwargs)

    def _exceptions(self, expected, base, name):
        kinds = expected if isinstance(expected, tuple) else (expected,)
        if not all(isinstance(kind, type) and issubclass(kind, base) for kind in kinds):
            raise TypeError(f'{name}() arg 1 must be a{"n exception" if base is BaseException else " warning"}'
                            f' type or tuple of {"exception" if base is BaseException else "warning"} types')

    def assertRaises(self, expected_exception, *args, **kwargs):
        self._exceptions(expected_exception, BaseException, 'assertRaises')
        return self._context(_Raises(self, expected_exception), args, kwargs)

    def assertRaisesRegex(self, expected_exception, expected_regex, *args, **kwargs):
        self._exceptions(expected_exception, BaseException, 'assertRaisesRegex')
        return self._context(_Raises(self, expected_exception, expected_regex), args, kwargs)

    def assertWarns(self, expected_warning, *args, **kwargs):
        self._exceptions(expected_warning, Warning, 'assertWarns')
        return self._context(_Warns(self, expected_warning), args, kwargs)

    def assertWarnsRegex(self, expected_warning, expected_regex, *args, **kwargs):
        self._exceptions(expected_warning, Warning, 'assertWarnsRegex')
        return self._context(_Warns(self, expected_warning, expected_regex), args, kwargs)

    def assertLogs(self, logger=None, level=None):
        return _Logs(self, logger, level, False)

    def assertNoLogs(self, logger=None, level=None):
        return _Logs(self, logger, level, True)

    failUnlessEqual = assertEquals = assertEqual
    failUnless = assert_ = assertTrue
    failIf = assertFalse
    failIfEqual = assertNotEquals = assertNotEqual
    failUnlessAlmostEqual = assertAlmostEquals = assertAlmostEqual
    failIfAlmostEqual = assertNotAlmostEquals = assertNotAlmostEqual
    failUnlessRaises = assertRaises
    assertNotRegexpMatches = assertNotRegex
    assertRegexpMatches = assertRegex
    assertRaisesRegexp = assertRaisesRegex


class IsolatedAsyncioTestCase(TestCase):
    async def asyncSetUp(self):
        pass

    async def asyncTearDown(self):
        pass

    def addAsyncCleanup(self, function, /, *args, **kwargs):
        self._async_cleanups = getattr(self, '_async_cleanups', [])
        self._async_cleanups.append((function, args, kwargs))

    async def enterAsyncContext(self, manager):
        value = await manager.__aenter__()
        self.addAsyncCleanup(manager.__aexit__, None, None, None)
        return value

    def _call_test(self, method):
        import asyncio

        async def whole():
            await self.asyncSetUp()
            try:
                made = method()
                if made is not None:
                    await made
            finally:
                await self.asyncTearDown()
                cleanups = getattr(self, '_async_cleanups', [])
                while cleanups:
                    function, args, kwargs = cleanups.pop()
                    await function(*args, **kwargs)
        asyncio.run(whole())


class FunctionTestCase(TestCase):
    def __init__(self, testFunc, setUp=None, tearDown=None, description=None):
        super().__init__()
        self._function = testFunc
        if setUp is not None:
            self.setUp = setUp
        if tearDown is not None:
            self.tearDown = tearDown

    def runTest(self):
        self._function()

    def id(self):
        return self._function.__name__


class _SubTest:
    def __init__(self, case, msg, params):
        self.case, self.params = case, params
        self._message = msg
        self.failureException = case.failureException

    def _text(self):
        parts = [] if self._message is None else [f'[{self._message}]']
        if self.params:
            parts.append('(' + ', '.join(f'{k}={v!r}' for k, v in self.params.items()) + ')')
        return ' '.join(parts) or '(<subtest>)'

    def id(self):
        return f'{self.case.id()} {self._text()}'

    def shortDescription(self):
        return self.case.shortDescription()

    def __str__(self):
        return f'{self.case} {self._text()}'

    def __enter__(self):
        return None

    def __exit__(self, kind, error, tb):
        case = self.case
        if kind is None:
            return False
        if case._result is None or issubclass(kind, KeyboardInterrupt):
            return False
        if issubclass(kind, SkipTest):
            case._result.addSkip(self, str(error))
            return True
        case._failed, case._outcome = True, error
        if case._expecting:
            raise _Stop
        case._result.addSubTest(case, self, (kind, error, tb))
        return True


class TestResult:
    def __init__(self, stream=None, descriptions=None, verbosity=None):
        self.failures, self.errors, self.skipped = [], [], []
        self.expectedFailures, self.unexpectedSuccesses = [], []
        self.testsRun = 0
        self.shouldStop = self.failfast = self.buffer = False
        self.collectedDurations = []

    def startTest(self, test):
        self.testsRun += 1

    def stopTest(self, test):
        pass

    def startTestRun(self):
        pass

    def stopTestRun(self):
        pass

    def stop(self):
        self.shouldStop = True

    def _text(self, err, test):
        return ''.join(traceback.format_exception(err[1]))

    def _failed(self):
        self.shouldStop = self.shouldStop or self.failfast

    def addError(self, test, err):
        self.errors.append((test, self._text(err, test)))
        self._failed()

    def addFailure(self, test, err):
        self.failures.append((test, self._text(err, test)))
        self._failed()

    def addSubTest(self, test, subtest, err):
        if err is not None:
            kept = self.failures if issubclass(err[0], test.failureException) else self.errors
            kept.append((subtest, self._text(err, test)))
            self._failed()

    def addSuccess(self, test):
        pass

    def addSkip(self, test, reason):
        self.skipped.append((test, reason))

    def addExpectedFailure(self, test, err):
        self.expectedFailures.append((test, self._text(err, test)))

    def addUnexpectedSuccess(self, test):
        self.unexpectedSuccesses.append(test)

    def wasSuccessful(self):
        return not (self.failures or self.errors or self.unexpectedSuccesses)

    def __repr__(self):
        return f'<unittest.result.{type(self).__name__} run={self.testsRun} ' \
               f'errors={len(self.errors)} failures={len(self.failures)}>'


def _marked(name, letter, word):
    def method(self, test, *info):
        getattr(TestResult, name)(self, test, *info)
        if self.showAll:
            self.stream.write((f'{word} {info[0]!r}' if name == 'addSkip' else word) + '\n')
        elif self.dots:
            self.stream.write(letter)
    return method


class TextTestResult(TestResult):
    separator1, separator2 = '=' * 70, '-' * 70

    def __init__(self, stream, descriptions, verbosity, *, durations=None):
        super().__init__()
        self.stream = stream
        self.showAll, self.dots = verbosity > 1, verbosity == 1

    def getDescription(self, test):
        first = test.shortDescription()
        return f'{test}\n{first}' if first else str(test)

    def startTest(self, test):
        super().startTest(test)
        if self.showAll:
            self.stream.write(f'{self.getDescription(test)} ... ')

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None and self.dots:
            self.stream.write('F' if issubclass(err[0], test.failureException) else 'E')

    addSuccess = _marked('addSuccess', '.', 'ok')
    addError = _marked('addError', 'E', 'ERROR')
    addFailure = _marked('addFailure', 'F', 'FAIL')
    addSkip = _marked('addSkip', 's', 'skipped')
    addExpectedFailure = _marked('addExpectedFailure', 'x', 'expected failure')
    addUnexpectedSuccess = _marked('addUnexpectedSuccess', 'u', 'unexpected success')

    def printErrors(self):
        self.stream.write('\n')
        for kind, items in (('ERROR', self.errors), ('FAIL', self.failures)):
            for test, text in items:
                self.stream.write(f'{self.separator1}\n{kind}: {self.getDescription(test)}\n'
                                  f'{self.separator2}\n{text}\n')
        for test in self.unexpectedSuccesses:
            self.stream.write(f'{self.separator1}\nUNEXPECTED SUCCESS: '
                              f'{self.getDescription(test)}\n')


class TestSuite:
    def __repr__(self):
        return f'<unittest.suite.{type(self).__name__} tests={list(self)}>'

    def __eq__(self, other):
        return list(self) == list(other) if isinstance(other, TestSuite) else NotImplemented

    __hash__ = None

    def __init__(self, tests=()):
        self._tests = []
        self.addTests(tests)

    def addTest(self, test):
        if not callable(test):
            raise TypeError(f'{test!r} is not callable')
        if isinstance(test, type) and issubclass(test, (TestCase, TestSuite)):
            raise TypeError('TestCases and TestSuites must be instantiated before passing them to '
                            'addTest()')
        self._tests.append(test)

    def addTests(self, tests):
        if isinstance(tests, str):
            raise TypeError('tests must be an iterable of tests, not a string')
        for test in tests:
            self.addTest(test)

    def __iter__(self):
        return iter(self._tests)

    def countTestCases(self):
        return sum(test.countTestCases() for test in self._tests)

    def _flat(self):
        for test in self._tests:
            if isinstance(test, TestSuite):
                yield from test._flat()
            else:
                yield test

    def run(self, result, debug=False):
        current, broken = None, False
        modules, module_broken = [], False
        for test in self._flat():
            if result.shouldStop:
                break
            cls = type(test)
            if cls is not current:
                self._leave(current, broken, result)
                current, broken = cls, False
                if cls.__module__ not in modules:
                    self._module(modules, 'tearDownModule', result)
                    modules.append(cls.__module__)
                    module_broken = not self._module(modules, 'setUpModule', result)
                skipped = getattr(cls, '__unittest_skip__', False)
                if not module_broken and not skipped and hasattr(cls, 'setUpClass'):
                    broken = not self._guard(cls.setUpClass, f'setUpClass ({_named(cls)})', result)
                    if broken:
                        cls.doClassCleanups()
            if not broken and not module_broken:
                test(result)
        self._leave(current, broken or module_broken, result)
        self._module(modules, 'tearDownModule', result)
        return result

    __call__ = run

    def _leave(self, cls, broken, result):
        if cls is None or broken or getattr(cls, '__unittest_skip__', False):
            return
        if hasattr(cls, 'tearDownClass'):
            self._guard(cls.tearDownClass, f'tearDownClass ({_named(cls)})', result)
            self._guard(cls.doClassCleanups, f'tearDownClass ({_named(cls)})', result)

    def _module(self, modules, name, result):
        module = sys.modules.get(modules[-1]) if modules else None
        function = getattr(module, name, None)
        ok = function is None or self._guard(function, f'{name} ({modules[-1]})', result)
        if name == 'tearDownModule' or not ok:
            doModuleCleanups()
        return ok

    def _guard(self, function, name, result):
        try:
            function()
            return True
        except SkipTest as e:
            result.addSkip(_Holder(name), str(e))
        except Exception as e:
            result.addError(_Holder(name), (type(e), e, e.__traceback__))
        return False


def _named(cls):
    return f'{cls.__module__}.{cls.__qualname__}'


class _Holder:
    failureException = None

    def __init__(self, name):
        self.description = name

    def id(self):
        return self.description

    def shortDescription(self):
        return None

    def __str__(self):
        return self.description


class TestLoader:
    testMethodPrefix = 'test'
    suiteClass = TestSuite
    sortTestMethodsUsing = True

    def __init__(self):
        self.errors = []

    def getTestCaseNames(self, testCaseClass):
        return [name for name in dir(testCaseClass) if name.startswith(self.testMethodPrefix)
                and callable(getattr(testCaseClass, name))]

    def loadTestsFromTestCase(self, testCaseClass):
        names = self.getTestCaseNames(testCaseClass)
        if not names and hasattr(testCaseClass, 'runTest'):
            names = ['runTest']
        return self.suiteClass(map(testCaseClass, names))

    def _of_names(self, names, module):
        tests = []
        for name, value in sorted(names.items()):
            if isinstance(value, type) and issubclass(value, TestCase) and value not in (
                    TestCase, FunctionTestCase, IsolatedAsyncioTestCase):
                tests.append(self.loadTestsFromTestCase(value))
        suite = self.suiteClass(tests)
        load = names.get('load_tests')
        return load(self, suite, None) if load is not None else suite

    def loadTestsFromModule(self, module, *, pattern=None):
        return self._of_names(vars(module), module)

    def loadTestsFromName(self, name, module=None):
        value = sys.modules['__main__'] if module is None else module
        parts = name.split('.')
        for i, part in enumerate(parts):
            parent, value = value, getattr(value, part)
        if isinstance(value, type) and issubclass(value, TestCase):
            return self.loadTestsFromTestCase(value)
        if isinstance(parent, type) and issubclass(parent, TestCase):
            return self.suiteClass([parent(parts[-1])])
        return value()

    def loadTestsFromNames(self, names, module=None):
        return self.suiteClass([self.loadTestsFromName(name, module) for name in names])


defaultTestLoader = TestLoader()


def makeSuite(testCaseClass, prefix='test'):
    loader = TestLoader()
    loader.testMethodPrefix = prefix
    return loader.loadTestsFromTestCase(testCaseClass)


class TextTestRunner:
    resultclass = TextTestResult

    def __init__(self, stream=None, descriptions=True, verbosity=1, failfast=False, buffer=False,
                 resultclass=None, warnings=None, *, tb_locals=False):
        self.stream = sys.stderr if stream is None else stream
        self.descriptions, self.verbosity, self.failfast = descriptions, verbosity, failfast
        if resultclass is not None:
            self.resultclass = resultclass

    def run(self, test):
        result = self.resultclass(self.stream, self.descriptions, self.verbosity)
        result.failfast = self.failfast
        start = time.perf_counter()
        result.startTestRun()
        with warnings.catch_warnings():
            warnings.simplefilter('default')
            test(result)
        result.stopTestRun()
        taken = time.perf_counter() - start
        write = self.stream.write
        if hasattr(result, 'printErrors'):
            result.printErrors()
        ran = result.testsRun
        write(f'{"-" * 70}\nRan {ran} test{"" if ran == 1 else "s"} in {taken:.3f}s\n\n')
        infos = [f'{name}={len(items)}' for name, items in (
            ('failures', result.failures), ('errors', result.errors), ('skipped', result.skipped),
            ('expected failures', result.expectedFailures),
            ('unexpected successes', result.unexpectedSuccesses)) if items]
        write('OK' if result.wasSuccessful() else 'FAILED')
        write(f' ({", ".join(infos)})\n' if infos else '\n')
        return result


class TestProgram:
    def __init__(self, module='__main__', defaultTest=None, argv=None, testRunner=None,
                 testLoader=defaultTestLoader, exit=True, verbosity=1, failfast=None,
                 catchbreak=None, buffer=None, warnings=None, *, tb_locals=False):
        argv = sys.argv if argv is None else argv
        names = []
        for argument in argv[1:]:
            if argument in ('-v', '--verbose'):
                verbosity = 2
            elif argument in ('-q', '--quiet'):
                verbosity = 0
            elif argument in ('-f', '--failfast'):
                failfast = True
            elif not argument.startswith('-'):
                names.append(argument)
        if isinstance(module, str):
            module = sys.modules[module]
        if not names and defaultTest is not None:
            names = [defaultTest] if isinstance(defaultTest, str) else list(defaultTest)
        self.test = (testLoader.loadTestsFromNames(names, module) if names
                     else testLoader.loadTestsFromModule(module))
        runner = testRunner or TextTestRunner
        if isinstance(runner, type):
            runner = runner(verbosity=verbosity, failfast=bool(failfast))
        self.result = runner.run(self.test)
        if exit:
            sys.exit(not self.result.wasSuccessful())


main = TestProgram
for _cls, _part in ((TestCase, 'case'), (FunctionTestCase, 'case'), (SkipTest, 'case'),
                    (IsolatedAsyncioTestCase, 'async_case'), (TestSuite, 'suite'),
                    (TestLoader, 'loader'), (TestResult, 'result'), (TextTestResult, 'runner'),
                    (TextTestRunner, 'runner'), (TestProgram, 'main')):
    _cls.__module__ = 'unittest.' + _part


class case:
    TestCase, SkipTest, FunctionTestCase = TestCase, SkipTest, FunctionTestCase


def __getattr__(name):
    if name == 'mock':
        import _ferry
        return _ferry.load('unittest.mock')
    raise AttributeError(f"module 'unittest' has no attribute {name!r}")
