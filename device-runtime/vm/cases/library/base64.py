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
