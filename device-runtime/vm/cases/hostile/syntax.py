#---- unclosed: syntax
(((((
#---- nothing but an operator: syntax
+
#---- bad indent: syntax
if 1:
pass
#---- null byte: syntax
x = 1 @@ 2
#---- assignment to a call: syntax
f() = 1
#---- return outside: syntax
return 1
#---- yield outside: syntax
yield 1
#---- break outside: syntax
break
#---- nonlocal at the top: syntax
nonlocal x
#---- two stars: syntax
*a, *b = [1]
#---- bad escape: syntax
'\x1'
#---- unterminated text: syntax
'abc
#---- unterminated triple: syntax
'''abc
#---- bad number: syntax
x = 0b12
#---- eval is refused: syntax|raised
eval('1')
#---- exec is refused: syntax|raised
exec('1')
#---- open is refused: syntax|raised
open('/etc/passwd')
#---- os is refused: syntax|raised
import os
#---- subprocess is refused: syntax|raised
import subprocess
#---- socket is refused: syntax|raised
from socket import socket
#---- threading is refused: syntax|raised
import threading
#---- ctypes is refused: syntax|raised
import ctypes
#---- builtins by another way: syntax|raised
__builtins__['open']('/etc/passwd')
#---- import by another way: syntax|raised
__import__('os').system('true')
#---- class of a class of a class: syntax|raised
().__class__.__bases__[0].__subclasses__()[0].__init__.__globals__['os']
#---- frames are not reachable: syntax|raised
try:
    raise ValueError
except ValueError as e:
    e.__traceback__.tb_frame.f_globals['os']
#---- code objects are not made: syntax|raised
type((lambda: 0).__code__)(0, 0, 0, 0, 0, 0, b'd\x00', (), (), (), '', '', '', 0, b'', b'')
#---- attributes of built-in classes stay: raised
int.bit_length = lambda s: 0
#---- attributes of exceptions stay: raised
ValueError.x = 1
#---- deleting from built-in classes: raised
del str.upper
#---- built-in class through type: raised
type.__setattr__(int, 'x', 1)
#---- object's setattr on a class: raised
object.__setattr__(int, 'x', 1)
#---- dict of a built-in class: raised
int.__dict__['x'] = 1
#---- module of a class: raised
int.__name__ = 'x'
#---- bases of a built-in class: raised
int.__bases__ = (str,)
#---- class of an integer: raised
(5).__class__ = str
