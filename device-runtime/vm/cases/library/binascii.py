#---- one call after another
import binascii

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)


def each(f, *calls):
    for args in calls:
        t(lambda: f(*args))
each(binascii.hexlify, [b'\xab\xcd'], [b'abcd', '-'], [b'abcd', b':', 2])
t(lambda: binascii.unhexlify('abcd'))
t(lambda: binascii.unhexlify(b'ABCD'))
t(lambda: binascii.b2a_hex(b'a'))
t(lambda: binascii.a2b_hex('61'))
t(lambda: binascii.crc32(b'hello'))
t(lambda: binascii.crc32(b'lo',binascii.crc32(b'hel')))
t(lambda: binascii.b2a_base64(b'a'))
t(lambda: binascii.b2a_base64(b'a',newline=False))
t(lambda: binascii.a2b_base64('YQ=='))
t(lambda: binascii.a2b_base64(b'Y Q = ='))
each(binascii.unhexlify, ['abc'], ['zz'], ['é'])
t(lambda: binascii.hexlify('a'))
t(lambda: binascii.a2b_base64('YQ=',strict_mode=True))
t(lambda: binascii.a2b_base64('=YQ=',strict_mode=True))
t(lambda: binascii.a2b_base64('YQ==a',strict_mode=True))
t(lambda: binascii.a2b_base64('Y'))
t(lambda: binascii.Error.__mro__)
t(lambda: binascii.Incomplete.__mro__)
#---- uu, quoted printable, crc_hqx
import binascii
print(binascii.b2a_uu(b'hello world'), binascii.a2b_uu(b'+:&5L;&\\@=V]R;&0\n'), binascii.b2a_uu(b''), binascii.b2a_uu(b'\0\0\0', backtick=True))
print(binascii.b2a_qp(b'a=b\xff \n'), binascii.b2a_qp(b'a b\n.\n', quotetabs=True), binascii.b2a_qp(b'x' * 100), binascii.b2a_qp(b'a_b c', header=True))
print(binascii.b2a_qp(b'a\r\nb\tc', istext=False), binascii.a2b_qp(b'a=3Db=\nc_d=zz='), binascii.a2b_qp(b'a_b', header=True))
print(binascii.crc_hqx(b'hello', 0), binascii.crc_hqx(b'', 5), binascii.crc_hqx(b'123456789', 0xffff))
for call in (lambda: binascii.b2a_uu(b'a' * 46), lambda: binascii.a2b_uu(b'!\x7f\n'), lambda: binascii.a2b_uu('\xe9')):
    try:
        print(call())
    except Exception as e:
        print(type(e).__name__, e)
