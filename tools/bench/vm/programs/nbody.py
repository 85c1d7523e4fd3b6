"""Planets pull each other: attributes of objects and floats."""


class Body:
    def __init__(self, x, y, z, vx, vy, vz, mass):
        self.x, self.y, self.z = x, y, z
        self.vx, self.vy, self.vz = vx, vy, vz
        self.mass = mass


def solar_system():
    year, sun = 365.24, 4 * 3.141592653589793 ** 2
    rows = [
        (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0),
        (4.841431442464721, -1.1603200440274284, -0.10362204447112311,
         0.001660076642744037, 0.007699011184197404, -0.0000690460016972063, 0.0009547919384243266),
        (8.34336671824458, 4.124798564124305, -0.4035234171143214,
         -0.002767425107268624, 0.004998528012349172, 0.000023041729757376393, 0.0002858859806661308),
        (12.894369562139131, -15.111151401698631, -0.22330757889265573,
         0.002964601375647616, 0.0023784717395948095, -0.000029658956854023756, 0.00004366244043351563),
        (15.379697114850917, -25.919314609987964, 0.17925877295037118,
         0.0026806777249038932, 0.001628241700382423, -0.00009515922545197159, 0.00005151389020466115),
    ]
    bodies = [Body(x, y, z, vx * year, vy * year, vz * year, m * sun) for x, y, z, vx, vy, vz, m in rows]
    px = sum(b.vx * b.mass for b in bodies)
    py = sum(b.vy * b.mass for b in bodies)
    pz = sum(b.vz * b.mass for b in bodies)
    first = bodies[0]
    first.vx, first.vy, first.vz = -px / sun, -py / sun, -pz / sun
    return bodies


def advance(bodies, dt, steps):
    count = len(bodies)
    for _ in range(steps):
        for i in range(count):
            a = bodies[i]
            for j in range(i + 1, count):
                b = bodies[j]
                dx = a.x - b.x
                dy = a.y - b.y
                dz = a.z - b.z
                square = dx * dx + dy * dy + dz * dz
                pull = dt / (square * square ** 0.5)
                by_b = b.mass * pull
                by_a = a.mass * pull
                a.vx -= dx * by_b
                a.vy -= dy * by_b
                a.vz -= dz * by_b
                b.vx += dx * by_a
                b.vy += dy * by_a
                b.vz += dz * by_a
        for b in bodies:
            b.x += dt * b.vx
            b.y += dt * b.vy
            b.z += dt * b.vz


def energy(bodies):
    total = 0.0
    for i, a in enumerate(bodies):
        total += 0.5 * a.mass * (a.vx * a.vx + a.vy * a.vy + a.vz * a.vz)
        for b in bodies[i + 1:]:
            total -= a.mass * b.mass / ((a.x - b.x) ** 2 + (a.y - b.y) ** 2 + (a.z - b.z) ** 2) ** 0.5
    return total


system = solar_system()
print(round(energy(system), 9))
advance(system, 0.01, 70000)
print(round(energy(system), 9))
