#---- base64
import base64, binascii
s = b"Hello, World! \x00\xff\xfe"
print(base64.b64encode(s), base64.b64decode(base64.b64encode(s)) == s, base64.urlsafe_b64encode(b"\xfb\xff\xfe"), base64.urlsafe_b64decode("-__-"), base64.b32encode(s), base64.b32decode(base64.b32encode(s)) == s, base64.b16encode(s), base64.b16decode("48656C6C6F"), base64.b32hexencode(b"abc"))
print(base64.a85encode(s), base64.a85decode(base64.a85encode(s)) == s, base64.b85encode(s), base64.b85decode(base64.b85encode(s)) == s, base64.encodebytes(b"x" * 80), base64.decodebytes(b"aGk=\n"), base64.b64encode(b"\xfb\xff", b"-_"), base64.b64decode("YW Jj\n"), base64.a85encode(b"\0" * 8, adobe=True))
for n in range(9):
    d = bytes(range(n))
    print(base64.b64encode(d), base64.b32encode(d), base64.b85encode(d), base64.b64decode(base64.b64encode(d)) == base64.b32decode(base64.b32encode(d)) == base64.b85decode(base64.b85encode(d)) == d)
print(binascii.hexlify(s), binascii.unhexlify("00ff"), binascii.crc32(s), binascii.b2a_base64(s, newline=False))
for f in (lambda: base64.b64decode("YQ"), lambda: base64.b64decode("Y"), lambda: base64.b64decode("Y@Q=", validate=True), lambda: base64.b32decode("A"), lambda: base64.b16decode("0g"), lambda: binascii.unhexlify("0"), lambda: binascii.unhexlify("zz"), lambda: base64.b64encode("x"), lambda: base64.b85decode("~~~~~"), lambda: base64.b64decode("é")):
    try:
        print(f())
    except (ValueError, TypeError) as e:
        print(type(e).__name__, e)
#---- one call after another
import io, base64
def ex(f,*a,**k):
    return f(*a,**k)

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)


def each(f, *calls):
    for args in calls:
        t(lambda: f(*args))
t(lambda: base64.b64encode(b'hello'))
t(lambda: base64.b64decode('aGVsbG8='))
t(lambda: base64.b64decode(b'aGVs\nbG8='))
t(lambda: base64.b64encode(b'\xfb\xff',b'-_'))
t(lambda: base64.b64decode('-_8=','-_'))
t(lambda: base64.urlsafe_b64encode(b'\xfb\xff'))
t(lambda: base64.urlsafe_b64decode('-_8='))
t(lambda: base64.standard_b64encode(b'a'))
t(lambda: base64.standard_b64decode('YQ=='))
t(lambda: base64.b32encode(b'hello'))
t(lambda: base64.b32decode('NBSWY3DP'))
t(lambda: base64.b32decode('nbswy3dp',True))
t(lambda: base64.b32decode('NBSWY3D0',map01='O') if 0 else 0)
t(lambda: base64.b32hexencode(b'hello'))
t(lambda: base64.b32hexdecode('D1IMOR3F'))
t(lambda: base64.b16encode(b'\xab'))
t(lambda: base64.b16decode('AB'))
t(lambda: base64.b16decode('ab',True))
t(lambda: base64.a85encode(b'hello'))
t(lambda: base64.a85encode(b'\0\0\0\0'))
t(lambda: base64.a85encode(b'    ',foldspaces=True))
t(lambda: base64.a85encode(b'hello',adobe=True))
t(lambda: base64.a85encode(b'x'*20,wrapcol=10))
t(lambda: base64.a85encode(b'ab',pad=True))
t(lambda: base64.a85decode(b'BOu!rDZ'))
t(lambda: base64.a85decode('<~BOu!rDZ~>',adobe=True))
t(lambda: base64.a85decode(b'y',foldspaces=True))
t(lambda: base64.a85decode(b'z'))
t(lambda: base64.b85encode(b'hello'))
t(lambda: base64.b85decode('Xk~0{Zv'))
t(lambda: base64.b85encode(b'a',pad=True))
t(lambda: base64.encodebytes(b'x'*60))
t(lambda: base64.decodebytes(b'eHg=\n'))
t(lambda: base64.b64decode('YQ=='*2))
t(lambda: base64.b64decode('Y!Q=='))
t(lambda: base64.b64encode(bytearray(b'a')))
t(lambda: base64.b64encode(memoryview(b'a')))
t(lambda: base64.b64decode('a'))
t(lambda: base64.b64decode('YQ'))
t(lambda: base64.b64decode('Y!Q==',validate=True))
t(lambda: base64.b64decode('YQ=',validate=True))
t(lambda: base64.b64decode('YQ==x',validate=True))
t(lambda: base64.b64decode('é'))
t(lambda: base64.b64decode(5))
each(base64.b64encode, ['a'], [b'a', b'-'], [b'a', '-_'])
t(lambda: base64.b64decode(b'a',b'-'))
each(base64.b32decode, ['A'], ['nbswy3dp'], ['11111111'], ['A======='])
t(lambda: base64.b32encode('a'))
each(base64.b16decode, ['ab'], ['A'], ['GG'])
t(lambda: base64.a85decode('v'))
t(lambda: base64.a85decode(b'zzz!z'))
t(lambda: base64.a85decode(b'BOu',adobe=True))
t(lambda: base64.a85decode(b'uuuuu'))
each(base64.b85decode, ['é'], [b'"'], [b'~~~~~'])
t(lambda: base64.encodebytes('a'))
t(lambda: base64.decodebytes('a'))
t(lambda: ex(lambda: (base64.encode(io.BytesIO(b'hello'),o:=io.BytesIO()),o.getvalue())))
t(lambda: ex(lambda: (base64.decode(io.BytesIO(b'aGVsbG8=\n'),o:=io.BytesIO()),o.getvalue())))
