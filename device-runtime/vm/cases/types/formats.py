#---- str.format errors
def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
for s in ['{','}','{:','{!','{!r','{!r:','{0','{a[','{a[b]c}','{a.}','{a[]}','{0!x}','{0!rr}','{!\x01}','{0:{','{0:{}','{:{:{:{}}}}','{0[}','{[}]}','{{}','}}{','{0}{}','{}{0}', '{99999999999999999999}','{a!}','{!}','{0:}}','{ 0}','{0 }','{:{}}','{0.__class__}','{b}','{2}','{0.x}','{0[1]}']:
    print(s, end=' -> '); t(lambda: s.format(5, 6, a=3))
#---- format specifications
def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
for sp in ['z','5.','.','5,_','_,',',,','5d5','05','=5','+','-',' ','#','z5','<<<','^^5',',s','_s','.3d','é5','5é','99999999999999999999','.99999999999999999999','c','+c','#c',',c',',n',',x','_x','_b','_o','_n','zd','r','s','\x01', '.1','10.3f','_f',',e',',%','0>5','x<5','00005','-05','05d','=05','<05','>05','^05','#x','#010x','+#b','#_b','020_b','020,','020,.2f','z.1f','#.0f','#g','.0f','.0%','é^9','*^9,d','X','#X','o','#o','n','e','E','.0e','G','.3','.10','12','<12','^12','>12']:
    for v in (-1234567, 'abc', 1234.5, True, None):
        print(repr(sp), repr(v), end=' -> '); t(lambda: format(v, sp))
#---- doubles
for v in (0.0, -0.0, 1.0, 1e22, 1e16, 123456.0, 1e-5, 0.0001, 1/3, 2.5, 1e300, 5e-324, 1.7976931348623157e308, float('inf'), float('-inf'), float('nan')):
    print(v, *[format(v, s) for s in ('', '.0', '.3', '.20', 'g', '.0g', '#g', 'e', '.0e', '#.0e', 'f' if abs(v) < 1e20 else 'g', '.1f' if abs(v) < 1e30 else 'e', '%' if abs(v) < 1e10 else 'E', 'G', 'n', '010', '+.2e', ' .3g', ',', '_')])
print(format(123.0, '.3'), format(100.0, '.3'), format(100.0, '.4'), format(0.0, '.0'), format(-0.0, 'z'), format(-0.04, 'z.1f'), format(-0.0, 'z.3e'))
print(format(float('nan'), '+010'), format(float('-inf'), '010,'), len(format(0.1, '.1000f')), format(0.1, '.60f'))
#---- percent
def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
for f,a in [('%',1),('%s',()),('%s',(1,2)),('x',1),('x',[1]),('x',{}),('%(a)s',1),('%(a)s',(1,)),('%(a',{}),('%(a)',{}),('%y',1),('%é',1),('%d','x'),('%x',1.5),('%x','a'),('%c','ab'),('%c',1.5),('%c',-1),('%c',0x110000),('%f','a'),('%f',None),('%*d',('a',1)),('%*d',(5,1)),('%-*d|',(5,1)),('%*d|',(-5,1)),('%.*f',(2,1.5)),('%.*f',(-2,1.5)),('%99999999999999999999d',1),('%.99999999999999999999d',1),('%5%',1),('%5%',()),('%%',1),('%d',1.9),('%i',True),('%u',-3),('%#x',255),('%#o',8),('%.5d',-3),('%8.5d',-3),('%08.5d',-3),('%+.3x',10),('% d',3),('%+s','a'),('%05s','a'),('%.2s','abc'),('%5.1s|','abc'),('%a','é'),('%r','é'),('%ld',3),('%hhd',3),('%(x)d %(x)s',{'x':3}),('%(x)s',{}),('%((a))s',{'(a)':3}),('%05d',-3),('%-05d|',-3),('%#.3g',1.0),('%g',1e20),('%F',float('inf')),('%E',1.5),('%G',1e-10),('%5c|','x'),('%-5c|',65),('%05c|',65),('%e',float('nan')),('%05f',float('inf')),('%+f',float('nan')),('%#X',-255),('%#.10x',255),('%#010x',-255),('%d',10**30),('%.3d',10**30),('%x',10**30),('%d',None),('%o',1.0),('%.0f',0.5),('%.0f',1.5),('%s %s','a'),('%s',None),('%(a)s %s',{'a':1}),('%d',float('inf')),('%d',float('nan')),('%10.3e|',1.5),('%f',10**400),('%s%%',5), ('%*s',(1,)),('%.s','abc'),('%.d',3),('%.f',3.7), ('%z',1),('%\x01',1), ('%s',{1:2}),('%()s',{'':7}), ('%s', (1,)), ('%s', ((1,),)), ('%r %a', ('\n', '\u20ac'))]:
    print(repr(f), repr(a)[:40], end=' -> '); t(lambda: f % a)
#---- percent of objects
class I:
    def __int__(self): return 7
class X:
    def __index__(self): return 9
class F:
    def __float__(self): return 2.5
class M:
    def __getitem__(self, k): return k * 2
class S:
    def __str__(self): return 'S!'
    def __repr__(self): return 'R!'
    def __format__(self, spec): return '<' + spec + '>'
print('%d %x %d %f %g' % (I(), X(), X(), F(), X()), '%(ab)s %(c)r' % M(), '%s %r %a' % (S(), S(), S()))
for f, v in [('%x', I()), ('%d', F()), ('%f', I())]:
    try: print(f % v)
    except TypeError as e: print(e)
print('{:abc} {!r:>5} {!s}'.format(S(), S(), S()), f'{S()} {S():x}', format(S()))
class B:
    def __format__(self, spec): return 3
try: format(B())
except TypeError as e: print(e)
class O: pass
for spec in ('', 's'):
    try: print(format(O, spec)[:6])
    except TypeError as e: print(e)
#---- fields
class P:
    def __init__(self): self.x = [10, {'k': 'v', '1': 2}]
p = P()
print('{0.x[0]} {0.x[1][k]} {0.x[1][1]:>3} {n.x}'.format(p, n=p) if False else '{0.x[0]} {0.x[1][k]}'.format(p))
print('{:{}{}{}}'.format('abc', '*', '^', 9), '{:{w}.{p}f}'.format(3.14159, w=8, p=2), '{0:{1}}'.format(5, '03'))
print('{a} {b!r} {c!s:>4}|'.format_map({'a': 1, 'b': 'x', 'c': 2}), '{x[a b]}'.format(x={'a b': 3}), '{[0]}{.real}'.format([1], 2))
class D(dict):
    def __missing__(self, k): return '?' + k
print('{a}{b}'.format_map(D(a=1)))
try: '{}'.format_map({})
except ValueError as e: print(e)
try: '{0}'.format_map([1])
except ValueError as e: print(e)
print('{{}} {{{}}}'.format(1), '{:}'.format(2), '{0!a}'.format('é'))
#---- complex
def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
for z in (1+2j, 2j, -0.0+1j, 1.5-2.25j, complex('nan+infj'), 1234567.891+1e20j):
    for s in ('', '.2f', '20', '<20', '^20.1e', '+', ',.1f', 'g', '#.3g', '.3', 'n', 'E'): print(repr(s), end=' '); t(lambda: format(z, s))
for s in ('05', '=5', 'd', '%', 's', 'x'): t(lambda: format(1j, s))
for v, s in ((1e-05, '#'), (1e-05, '#010'), (1e22, '#'), (2.0, '#'), (1e300, '#.3'), (0.5, '#.0e')): print(format(v, s))
for f in (lambda: '%c' % 10**30, lambda: '%c' % (10**30), lambda: format(10**30, 'c'), lambda: format(-10**30, 'c')): t(f)
