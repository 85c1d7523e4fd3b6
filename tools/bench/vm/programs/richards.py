"""A little operating system with tasks and packets: classes, methods, branches."""

IDLE, WORKER, HANDLER_A, HANDLER_B, DEVICE_A, DEVICE_B = range(6)
WORK, DATA = 0, 1
SIZE = 4


class Packet:
    def __init__(self, link, owner, kind):
        self.link = link
        self.owner = owner
        self.kind = kind
        self.place = 0
        self.data = [0] * SIZE

    def append_to(self, queue):
        self.link = None
        if queue is None:
            return self
        last = queue
        while last.link is not None:
            last = last.link
        last.link = self
        return queue


class Task:
    def __init__(self, system, number, priority, queue, waiting, has_packet):
        self.system = system
        self.number = number
        self.priority = priority
        self.queue = queue
        self.waiting = waiting
        self.has_packet = has_packet
        self.held = False
        self.link = system.tasks
        system.tasks = self
        system.table[number] = self

    def run(self, packet):
        raise NotImplementedError

    def is_stopped(self):
        return self.held or (not self.has_packet and self.waiting)

    def is_waiting_with_packet(self):
        return self.has_packet and self.waiting and not self.held

    def step(self):
        packet = None
        if self.is_waiting_with_packet():
            packet = self.queue
            self.queue = packet.link
            self.waiting = False
            self.has_packet = self.queue is not None
        return self.run(packet)

    def take(self, packet, old):
        if self.queue is None:
            self.queue = packet
            self.has_packet = True
            if self.priority > old.priority:
                return self
        else:
            packet.append_to(self.queue)
        return old

    def wait(self):
        self.waiting = True
        return self

    def hold(self):
        self.system.holds += 1
        self.held = True
        return self.link

    def release(self, number):
        other = self.system.find(number)
        other.held = False
        return other if other.priority > self.priority else self

    def send(self, packet):
        other = self.system.find(packet.owner)
        self.system.sent += 1
        packet.link = None
        packet.owner = self.number
        return other.take(packet, self)


class Idle(Task):
    def __init__(self, system, number, priority, count):
        Task.__init__(self, system, number, priority, None, False, False)
        self.control = 1
        self.count = count

    def run(self, packet):
        self.count -= 1
        if self.count == 0:
            return self.hold()
        if self.control & 1 == 0:
            self.control //= 2
            return self.release(DEVICE_A)
        self.control = self.control // 2 ^ 0xD008
        return self.release(DEVICE_B)


class Worker(Task):
    def __init__(self, system, number, priority, queue):
        Task.__init__(self, system, number, priority, queue, True, True)
        self.destination = HANDLER_A
        self.letter = 0

    def run(self, packet):
        if packet is None:
            return self.wait()
        self.destination = HANDLER_B if self.destination == HANDLER_A else HANDLER_A
        packet.owner = self.destination
        packet.place = 0
        for i in range(SIZE):
            self.letter += 1
            if self.letter > 26:
                self.letter = 1
            packet.data[i] = ord("A") + self.letter - 1
        return self.send(packet)


class Handler(Task):
    def __init__(self, system, number, priority, queue):
        Task.__init__(self, system, number, priority, queue, True, True)
        self.work = None
        self.device = None

    def run(self, packet):
        if packet is not None:
            if packet.kind == WORK:
                self.work = packet.append_to(self.work)
            else:
                self.device = packet.append_to(self.device)
        work = self.work
        if work is None:
            return self.wait()
        count = work.place
        if count >= SIZE:
            self.work = work.link
            return self.send(work)
        device = self.device
        if device is None:
            return self.wait()
        self.device = device.link
        device.place = work.data[count]
        work.place = count + 1
        return self.send(device)


class Device(Task):
    def __init__(self, system, number, priority):
        Task.__init__(self, system, number, priority, None, True, False)
        self.pending = None

    def run(self, packet):
        if packet is None:
            packet = self.pending
            if packet is None:
                return self.wait()
            self.pending = None
            return self.send(packet)
        self.pending = packet
        return self.hold()


class System:
    def __init__(self, count):
        self.tasks = None
        self.table = [None] * 10
        self.sent = 0
        self.holds = 0
        Idle(self, IDLE, 1, count)
        packets = Packet(Packet(None, WORKER, WORK), WORKER, WORK)
        Worker(self, WORKER, 1000, packets)
        for number, device, priority in (HANDLER_A, DEVICE_A, 2000), (HANDLER_B, DEVICE_B, 3000):
            packets = None
            for _ in range(3):
                packets = Packet(packets, device, DATA)
            Handler(self, number, priority, packets)
        Device(self, DEVICE_A, 4000)
        Device(self, DEVICE_B, 5000)

    def find(self, number):
        task = self.table[number]
        if task is None:
            raise ValueError("no such task")
        return task

    def run(self):
        task = self.tasks
        while task is not None:
            if task.is_stopped():
                task = task.link
            else:
                task = task.step()


for _ in range(8):
    system = System(10000)
    system.run()
    print(system.sent, system.holds)
