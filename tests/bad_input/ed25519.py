"""Ed25519 signing, from RFC 8032 section 5.1: slow, for tests that must sign what the programs would refuse to."""
import hashlib

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
BASE_Y = 4 * pow(5, P - 2, P) % P
BASE_X = 15112221349535400772501151409588531511454012693041857206046113283949847762202


def _add(one, two):
    (x1, y1), (x2, y2) = one, two
    k = D * x1 * x2 * y1 * y2 % P
    return ((x1 * y2 + x2 * y1) * pow(1 + k, P - 2, P) % P, (y1 * y2 + x1 * x2) * pow(1 - k, P - 2, P) % P)


def _times(scalar):
    total, step = (0, 1), (BASE_X, BASE_Y)
    while scalar:
        if scalar & 1:
            total = _add(total, step)
        step = _add(step, step)
        scalar >>= 1
    return (total[1] | (total[0] & 1) << 255).to_bytes(32, "little")


def _hash(*parts):
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little")


def sign(seed, message):
    digest = hashlib.sha512(seed).digest()
    secret = int.from_bytes(digest[:32], "little") & (2**254 - 8) | 2**254
    nonce = _hash(digest[32:], message) % L
    point = _times(nonce)
    answer = (nonce + _hash(point, _times(secret), message) * secret) % L
    return point + answer.to_bytes(32, "little")
