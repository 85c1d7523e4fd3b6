#---- time_sys
import time, sys
t = time.monotonic()
print(time.monotonic() >= t, sys.version_info[:2] >= (3, 11), sys.maxsize, sys.byteorder)
sys.stdout.write("written\n")
