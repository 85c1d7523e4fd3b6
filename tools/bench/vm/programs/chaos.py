"""The chaos game on a spline: operator methods, small objects, floats."""
import math
import random


class Vector:
    def __init__(self, x=0.0, y=0.0):
        self.x = x
        self.y = y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __sub__(self, other):
        return Vector(self.x - other.x, self.y - other.y)

    def __mul__(self, factor):
        return Vector(self.x * factor, self.y * factor)

    def length(self):
        return math.sqrt(self.x * self.x + self.y * self.y)

    def between(self, other, part):
        return self * (1 - part) + other * part

    def __repr__(self):
        return "<%.4f, %.4f>" % (self.x, self.y)


class Spline:
    """A curve of degree `degree` over control points, by de Boor's steps."""

    def __init__(self, points, degree=3):
        self.points = points
        self.degree = degree
        inner = len(points) - degree
        self.knots = [0] * degree + list(range(inner + 1)) + [inner] * degree

    def domain(self):
        return self.knots[self.degree], self.knots[len(self.points)]

    def segment(self, u):
        knots = self.knots
        for i in range(self.degree, len(self.points)):
            if knots[i] <= u < knots[i + 1]:
                return i
        return len(self.points) - 1

    def __call__(self, u):
        k, degree = self.segment(u), self.degree
        work = [self.points[k - degree + i] for i in range(degree + 1)]
        for level in range(1, degree + 1):
            for i in range(degree, level - 1, -1):
                low = self.knots[k - degree + i]
                high = self.knots[i + 1 + k - level]
                part = (u - low) / (high - low) if high != low else 0.0
                work[i] = work[i - 1].between(work[i], part)
        return work[degree]


class Game:
    def __init__(self, splines, thickness):
        self.splines = splines
        self.low = Vector(min(p.x for s in splines for p in s.points), min(p.y for s in splines for p in s.points))
        self.high = Vector(max(p.x for s in splines for p in s.points), max(p.y for s in splines for p in s.points))
        self.thickness = thickness
        self.shares = [self.reach(s) for s in splines]
        self.total = sum(self.shares)

    def reach(self, spline):
        low, high = spline.domain()
        length, last = 0.0, spline(low)
        for i in range(1, 500):
            point = spline(low + (high - low) * i / 500)
            length += (point - last).length()
            last = point
        return length

    def pick(self):
        at = random.random() * self.total
        for spline, share in zip(self.splines, self.shares):
            if at <= share:
                return spline
            at -= share
        return self.splines[-1]

    def move(self, point):
        spline = self.pick()
        size = self.high - self.low
        u = (point.x - self.low.x) / size.x
        low, high = spline.domain()
        target = spline(low + (high - low) * min(max(u, 0.0), 0.999))
        ahead = spline(low + (high - low) * min(max(u, 0.0), 0.998) + 0.001)
        along = ahead - target
        length = along.length() or 1.0
        offset = (point.y - self.low.y) / size.y - 0.5
        return Vector(target.x + along.y / length * offset * self.thickness,
                      target.y - along.x / length * offset * self.thickness)

    def picture(self, width, height, turns):
        cells = [[0] * height for _ in range(width)]
        point = (self.low + self.high) * 0.5
        size = self.high - self.low
        for _ in range(turns):
            point = self.move(point)
            i = int((point.x - self.low.x) / size.x * (width - 1))
            j = int((point.y - self.low.y) / size.y * (height - 1))
            if 0 <= i < width and 0 <= j < height:
                cells[i][j] += 1
        return cells


random.seed(1234)
game = Game([
    Spline([Vector(1.6, 0.3), Vector(1.5, 0.4), Vector(1.3, 1.9), Vector(1.6, 1.5), Vector(1.1, 0.9)]),
    Spline([Vector(0.8, 1.4), Vector(0.6, 1.0), Vector(1.5, 0.7), Vector(2.2, 1.1), Vector(2.3, 1.8), Vector(0.9, 2.1)]),
    Spline([Vector(0.0, 0.1), Vector(0.4, 0.6), Vector(0.9, 0.4), Vector(1.9, 0.2)]),
], 0.25)
cells = game.picture(80, 80, 14000)
print(sum(map(sum, cells)) > 0, [round(s, 6) for s in game.shares], game.low, game.high)
