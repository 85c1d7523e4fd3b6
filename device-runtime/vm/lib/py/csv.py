"""Rows of text: comma-separated values and their like."""
import _string

__all__ = ['QUOTE_MINIMAL', 'QUOTE_ALL', 'QUOTE_NONNUMERIC', 'QUOTE_NONE', 'Error', 'Dialect',
           'excel', 'excel_tab', 'unix_dialect', 'field_size_limit', 'reader', 'writer',
           'register_dialect', 'get_dialect', 'list_dialects', 'unregister_dialect', 'DictReader',
           'DictWriter']
QUOTE_MINIMAL, QUOTE_ALL, QUOTE_NONNUMERIC, QUOTE_NONE = range(4)
_OPTIONS = {'delimiter': ',', 'quotechar': '"', 'escapechar': None, 'doublequote': True,
            'skipinitialspace': False, 'lineterminator': '\r\n', 'quoting': QUOTE_MINIMAL,
            'strict': False}
_dialects = {}
_limit = 131072


class Error(Exception):
    pass


class Dialect:
    delimiter = quotechar = escapechar = doublequote = skipinitialspace = None
    lineterminator = quoting = None


class excel(Dialect):
    delimiter, quotechar, doublequote, skipinitialspace = ',', '"', True, False
    lineterminator, quoting = '\r\n', QUOTE_MINIMAL


class excel_tab(excel):
    delimiter = '\t'


class unix_dialect(excel):
    lineterminator, quoting = '\n', QUOTE_ALL


class _Format:
    def __init__(self, dialect, options):
        if isinstance(dialect, str):
            dialect = get_dialect(dialect)
        for name, value in _OPTIONS.items():
            given = getattr(dialect, name, None)
            setattr(self, name, value if given is None and name != 'escapechar' else given)
        for name, value in options.items():
            if name not in _OPTIONS:
                raise TypeError(f"'{name}' is an invalid keyword argument for this function")
            setattr(self, name, value)
        for name in ('delimiter', 'quotechar', 'escapechar'):
            v = getattr(self, name)
            if v is None and name != 'delimiter':
                continue
            if not isinstance(v, str):
                raise TypeError(f'"{name}" must be string{"" if name == "delimiter" else " or None"}'
                                f', not {type(v).__name__}')
            if len(v) != 1:
                raise TypeError(f'"{name}" must be a 1-character string')
        if self.quoting not in range(4):
            raise TypeError('bad "quoting" value')
        if self.quoting != QUOTE_NONE and not self.quotechar:
            raise TypeError('quotechar must be set if quoting enabled')


def register_dialect(name, dialect=None, **options):
    if not isinstance(name, str):
        raise TypeError('dialect name must be a string')
    _dialects[name] = _Format(dialect, options)


def unregister_dialect(name):
    if _dialects.pop(name, None) is None:
        raise Error('unknown dialect')


def get_dialect(name):
    try:
        return _dialects[name]
    except KeyError:
        raise Error('unknown dialect') from None


def list_dialects():
    return list(_dialects)


def field_size_limit(limit=None):
    global _limit
    old = _limit
    if limit is not None:
        if not isinstance(limit, int):
            raise TypeError('limit must be an integer')
        _limit = limit
    return old


register_dialect('excel', excel)
register_dialect('excel-tab', excel_tab)
register_dialect('unix', unix_dialect)


class _Reader:
    def __init__(self, iterable, dialect, options):
        self._lines = iter(iterable)
        self.dialect = d = _Format(dialect, options)
        self.line_num = 0
        # What _string.row takes: quotes that are doubled, all fields text.
        self._usual = d.doublequote and d.escapechar is None and not d.skipinitialspace \
            and not d.strict and d.quoting != QUOTE_NONNUMERIC

    def __iter__(self):
        return self

    def __next__(self):
        line = next(self._lines)
        if self._usual and isinstance(line, str) and len(line) <= _limit:
            d = self.dialect
            row = _string.row(line, d.delimiter, None if d.quoting == QUOTE_NONE else d.quotechar)
            if row is not None:
                self.line_num += 1
                return row
        return self._row(line)

    def _row(self, line):
        d = self.dialect
        quoting = d.quoting != QUOTE_NONE
        row, field, state, numeric = [], [], 'start', False

        def end():
            nonlocal field, numeric
            text = ''.join(field)
            row.append(float(text) if numeric else text)
            field, numeric = [], False
        while True:
            if not isinstance(line, str):
                raise Error(f'iterator should return strings, not {type(line).__name__} (the file '
                            'should be opened in text mode)')
            self.line_num += 1
            for c in *line, None:
                last = c is None
                newline = last or c in '\r\n'
                if len(field) > _limit:
                    raise Error(f'field larger than field limit ({_limit})')
                if state == 'start' and newline and not row and not field:
                    state = 'row over'
                    if last:
                        break
                    continue
                if state == 'row over':
                    if newline:
                        continue
                    raise Error('new-line character seen in unquoted field - do you need to open '
                                'the file in universal-newline mode?')
                if state in ('start', 'field start'):
                    if newline:
                        end()
                        state = 'row over'
                    elif quoting and c == d.quotechar:
                        state = 'quoted'
                    elif c == d.escapechar:
                        state = 'escaped'
                    elif c == ' ' and d.skipinitialspace:
                        state = 'field start'
                    elif c == d.delimiter:
                        end()
                        state = 'field start'
                    else:
                        numeric = d.quoting == QUOTE_NONNUMERIC
                        field.append(c)
                        state = 'plain'
                elif state in ('plain', 'after newline'):
                    if last and state == 'after newline':
                        break
                    state = 'plain'
                    if newline:
                        end()
                        state = 'row over'
                    elif c == d.escapechar:
                        state = 'escaped'
                    elif c == d.delimiter:
                        end()
                        state = 'field start'
                    else:
                        field.append(c)
                elif state == 'escaped':
                    field.append('\n' if last else c)
                    state = 'after newline' if newline and not last else 'plain'
                elif state == 'quoted':
                    if last:
                        break
                    if c == d.escapechar:
                        state = 'escaped in quotes'
                    elif c == d.quotechar:
                        state = 'quote in quotes' if d.doublequote else 'plain'
                    else:
                        field.append(c)
                elif state == 'escaped in quotes':
                    field.append('\n' if last else c)
                    state = 'quoted'
                elif c == d.quotechar and quoting:  # quote in quotes
                    field.append(c)
                    state = 'quoted'
                elif c == d.delimiter:
                    end()
                    state = 'field start'
                elif newline:
                    end()
                    state = 'row over'
                elif not d.strict:
                    field.append(c)
                    state = 'plain'
                else:
                    raise Error(f"'{d.delimiter}' expected after '{d.quotechar}'")
            if state == 'row over':
                return row
            try:
                line = next(self._lines)
            except StopIteration:
                if not field and state != 'quoted':
                    raise
                if d.strict:
                    raise Error('unexpected end of data') from None
                end()
                return row


def reader(csvfile, dialect='excel', **fmtparams):
    return _Reader(csvfile, dialect, fmtparams)


class _Writer:
    def __init__(self, file, dialect, options):
        if not hasattr(file, 'write'):
            raise TypeError('argument 1 must have a "write" method')
        self._write = file.write
        self.dialect = d = _Format(dialect, options)
        # What _string.line writes: fields quoted where they need it, by doubled quotes.
        self._usual = d.quoting == QUOTE_MINIMAL and d.doublequote and d.escapechar is None \
            and not set(d.lineterminator) - {'\r', '\n'}
        self._marks = {'\r', '\n', d.delimiter, d.escapechar, d.quotechar, *d.lineterminator}

    def _field(self, value, alone):
        d = self.dialect
        text = '' if value is None else str(value)
        if text and d.quoting == QUOTE_MINIMAL and self._marks.isdisjoint(text):
            return text
        quoted = d.quoting == QUOTE_ALL or (d.quoting == QUOTE_NONNUMERIC
                                            and not isinstance(value, (int, float)))
        if text and d.doublequote and d.escapechar is None and d.quoting != QUOTE_NONE:
            if quoted or not self._marks.isdisjoint(text):
                return d.quotechar + text.replace(d.quotechar, d.quotechar * 2) + d.quotechar
            return text
        made = []
        for c in text:
            if c in (d.delimiter, d.escapechar, d.quotechar) or c in '\r\n' or c in \
                    d.lineterminator:
                if d.quoting == QUOTE_NONE:
                    escape = True
                else:
                    escape = c == d.escapechar
                    if c == d.quotechar:
                        if d.doublequote:
                            made.append(c)
                        else:
                            escape = True
                    if not escape:
                        quoted = True
                if escape:
                    if not d.escapechar:
                        raise Error('need to escape, but no escapechar set')
                    made.append(d.escapechar)
            made.append(c)
        if alone and not text and d.quoting in (QUOTE_MINIMAL, QUOTE_NONE):
            if d.quoting == QUOTE_NONE:
                raise Error('single empty field record must be quoted')
            quoted = True
        text = ''.join(made)
        return f'{d.quotechar}{text}{d.quotechar}' if quoted else text

    def writerow(self, row):
        try:
            row = list(row)
        except TypeError:
            raise Error(f'iterable expected, not {type(row).__name__}') from None
        d = self.dialect
        if self._usual:
            line = _string.line(row, d.delimiter, d.quotechar, d.lineterminator)
            if line is not None:
                return self._write(line)
        fields = [self._field(v, len(row) == 1) for v in row]
        return self._write(d.delimiter.join(fields) + d.lineterminator)

    def writerows(self, rows):
        for row in rows:
            self.writerow(row)


def writer(csvfile, dialect='excel', **fmtparams):
    return _Writer(csvfile, dialect, fmtparams)


class DictReader:
    def __init__(self, f, fieldnames=None, restkey=None, restval=None, dialect='excel', *args,
                 **kwds):
        self._names = None if fieldnames is None else list(fieldnames)
        self.restkey, self.restval = restkey, restval
        self.reader = reader(f, dialect, *args, **kwds)
        self.dialect = dialect
        self.line_num = 0

    def __iter__(self):
        return self

    @property
    def fieldnames(self):
        if self._names is None:
            try:
                self._names = next(self.reader)
            except StopIteration:
                pass
        self.line_num = self.reader.line_num
        return self._names

    @fieldnames.setter
    def fieldnames(self, value):
        self._names = value

    def __next__(self):
        if self.line_num == 0:
            self.fieldnames
        row = next(self.reader)
        self.line_num = self.reader.line_num
        while row == []:
            row = next(self.reader)
        names = self.fieldnames
        made = dict(zip(names, row))
        if len(names) < len(row):
            made[self.restkey] = row[len(names):]
        for name in names[len(row):]:
            made[name] = self.restval
        return made


class DictWriter:
    def __init__(self, f, fieldnames, restval='', extrasaction='raise', dialect='excel', *args,
                 **kwds):
        self.fieldnames = list(fieldnames)
        self.restval = restval
        if extrasaction.lower() not in ('raise', 'ignore'):
            raise ValueError(f"extrasaction ({extrasaction}) must be 'raise' or 'ignore'")
        self.extrasaction = extrasaction
        self.writer = writer(f, dialect, *args, **kwds)

    def writeheader(self):
        return self.writerow(dict(zip(self.fieldnames, self.fieldnames)))

    def _row(self, row):
        if self.extrasaction == 'raise':
            wrong = [k for k in row if k not in self.fieldnames]
            if wrong:
                raise ValueError('dict contains fields not in fieldnames: '
                                 + ', '.join([repr(k) for k in wrong]))
        return (row.get(name, self.restval) for name in self.fieldnames)

    def writerow(self, rowdict):
        return self.writer.writerow(self._row(rowdict))

    def writerows(self, rowdicts):
        return self.writer.writerows(map(self._row, rowdicts))
