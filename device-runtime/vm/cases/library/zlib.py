#---- zlib
import zlib
d = b"hello hello hello " * 50
c = zlib.compress(d)
print(len(c), zlib.decompress(c) == d, zlib.crc32(d), zlib.adler32(d), zlib.crc32(b"b", zlib.crc32(b"a")) == zlib.crc32(b"ab"), zlib.compress(d, 0)[:7], zlib.compress(b""), len(zlib.compress(d, 9)), zlib.compress(d, wbits=-15)[:5])
o = zlib.compressobj(6, zlib.DEFLATED, 31)
z = o.compress(d) + o.flush()
i = zlib.decompressobj(31)
print(i.decompress(z, 20), len(i.unconsumed_tail) > 0, len(i.decompress(i.unconsumed_tail)) + 20 == len(d), i.eof, i.unused_data, i.flush())
i = zlib.decompressobj()
print(i.decompress(c[:10]), i.decompress(c[10:] + b"rest")[-6:], i.eof, i.unused_data, zlib.MAX_WBITS, zlib.Z_BEST_COMPRESSION)
for f in (lambda: zlib.decompress(b"garbage"), lambda: zlib.decompress(c[:-4]), lambda: zlib.compress("x"), lambda: zlib.compress(d, 20), lambda: zlib.decompress(c, bufsize=-1), lambda: zlib.decompressobj().decompress(b"xx"), lambda: zlib.decompressobj().decompress(b"", -1)):
    try:
        print(f())
    except (zlib.error, TypeError, ValueError) as e:
        print(type(e).__name__, e)
