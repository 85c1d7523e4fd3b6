#---- one call after another
import hashlib, hmac

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)
t(lambda: hmac.new(b'k',b'm','sha256').hexdigest())
t(lambda: hmac.digest(b'k',b'm','md5'))
t(lambda: hmac.compare_digest('a','a'))
t(lambda: hmac.new(b'k',digestmod=hashlib.sha1).name)
t(lambda: hmac.new(b'k',b'',hashlib.md5).digest_size)
t(lambda: hmac.new(b'k',b'm'))
t(lambda: hmac.new('k',b'm','md5'))
t(lambda: hmac.compare_digest('é','a'))
