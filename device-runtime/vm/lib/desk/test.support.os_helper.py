"""Names of files for tests; there are no files behind them."""
TESTFN_ASCII = TESTFN = '@test_tmp'
TESTFN_UNICODE = TESTFN + '-\xe0\xf2\u0258\u0141\u011f'
TESTFN_NONASCII = TESTFN_UNENCODABLE = TESTFN_UNDECODABLE = None
SAVEDCWD = '.'
FS_NONASCII = ''


class FakePath:
    def __init__(self, path):
        self.path = path

    def __repr__(self):
        return f'<FakePath {self.path!r}>'

    def __fspath__(self):
        if isinstance(self.path, BaseException) or (
                isinstance(self.path, type) and issubclass(self.path, BaseException)):
            raise self.path
        return self.path


def unlink(filename):
    pass


def rmtree(path):
    pass


def rmdir(dirname):
    pass


def can_symlink():
    return False


def skip_unless_symlink(test):
    import unittest
    return unittest.skip('tasks reach no files')(test)
