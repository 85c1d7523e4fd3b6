"""One-way constraints kept by an incremental planner: classes that derive, lists, calls."""

REQUIRED, PREFERRED, DEFAULT, NORMAL, WEAKEST = 0, 2, 3, 4, 6


class Variable:
    def __init__(self, name, value=0):
        self.name = name
        self.value = value
        self.constraints = []
        self.determined_by = None
        self.mark = 0
        self.strength = WEAKEST
        self.stays = True


class Constraint:
    def __init__(self, strength):
        self.strength = strength

    def add(self, planner):
        self.join()
        planner.incremental_add(self)

    def remove(self, planner):
        if self.is_satisfied():
            planner.incremental_remove(self)
        self.leave()

    def is_input(self):
        return False

    def satisfy(self, mark, planner):
        self.choose(mark)
        if not self.is_satisfied():
            if self.strength == REQUIRED:
                raise RuntimeError("a required constraint cannot be satisfied")
            return None
        self.mark_inputs(mark)
        out = self.output()
        overridden = out.determined_by
        if overridden is not None:
            overridden.mark_unsatisfied()
        out.determined_by = self
        if not planner.propagate(self, mark):
            raise RuntimeError("cycle")
        out.mark = mark
        return overridden


class Unary(Constraint):
    def __init__(self, variable, strength, planner):
        super().__init__(strength)
        self.variable = variable
        self.satisfied = False
        self.add(planner)

    def join(self):
        self.variable.constraints.append(self)
        self.satisfied = False

    def leave(self):
        self.variable.constraints.remove(self)
        self.satisfied = False

    def choose(self, mark):
        self.satisfied = self.variable.mark != mark and self.strength < self.variable.strength

    def is_satisfied(self):
        return self.satisfied

    def mark_unsatisfied(self):
        self.satisfied = False

    def mark_inputs(self, mark):
        pass

    def inputs_known(self, mark):
        return True

    def output(self):
        return self.variable

    def recalculate(self):
        self.variable.strength = self.strength
        self.variable.stays = not self.is_input()
        if self.variable.stays:
            self.execute()

    def execute(self):
        pass


class Stay(Unary):
    pass


class Edit(Unary):
    def is_input(self):
        return True


NONE, FORWARD, BACKWARD = 0, 1, -1


class Binary(Constraint):
    def __init__(self, first, second, strength, planner):
        super().__init__(strength)
        self.first = first
        self.second = second
        self.direction = NONE
        self.add(planner)

    def join(self):
        self.first.constraints.append(self)
        self.second.constraints.append(self)
        self.direction = NONE

    def leave(self):
        self.first.constraints.remove(self)
        self.second.constraints.remove(self)
        self.direction = NONE

    def choose(self, mark):
        first, second = self.first, self.second
        if first.mark == mark:
            free = second.mark != mark and self.strength < second.strength
            self.direction = FORWARD if free else NONE
        elif second.mark == mark:
            free = first.mark != mark and self.strength < first.strength
            self.direction = BACKWARD if free else NONE
        elif first.strength > second.strength:
            self.direction = BACKWARD if self.strength < first.strength else NONE
        else:
            self.direction = FORWARD if self.strength < second.strength else NONE

    def is_satisfied(self):
        return self.direction != NONE

    def mark_unsatisfied(self):
        self.direction = NONE

    def input(self):
        return self.first if self.direction == FORWARD else self.second

    def output(self):
        return self.second if self.direction == FORWARD else self.first

    def mark_inputs(self, mark):
        self.input().mark = mark

    def inputs_known(self, mark):
        source = self.input()
        return source.mark == mark or source.stays or source.determined_by is None

    def recalculate(self):
        source, out = self.input(), self.output()
        out.strength = max(self.strength, source.strength)
        out.stays = source.stays
        if out.stays:
            self.execute()


class Same(Binary):
    def execute(self):
        self.output().value = self.input().value


class Scaled(Binary):
    def __init__(self, source, scale, offset, target, strength, planner):
        self.scale = scale
        self.offset = offset
        super().__init__(source, target, strength, planner)

    def join(self):
        super().join()
        self.scale.constraints.append(self)
        self.offset.constraints.append(self)

    def leave(self):
        super().leave()
        self.scale.constraints.remove(self)
        self.offset.constraints.remove(self)

    def mark_inputs(self, mark):
        super().mark_inputs(mark)
        self.scale.mark = self.offset.mark = mark

    def execute(self):
        if self.direction == FORWARD:
            self.second.value = self.first.value * self.scale.value + self.offset.value
        else:
            self.first.value = (self.second.value - self.offset.value) // self.scale.value

    def recalculate(self):
        source, out = self.input(), self.output()
        out.strength = max(self.strength, source.strength)
        out.stays = source.stays and self.scale.stays and self.offset.stays
        if out.stays:
            self.execute()


class Planner:
    def __init__(self):
        self.mark = 0

    def new_mark(self):
        self.mark += 1
        return self.mark

    def incremental_add(self, constraint):
        mark = self.new_mark()
        overridden = constraint.satisfy(mark, self)
        while overridden is not None:
            overridden = overridden.satisfy(mark, self)

    def incremental_remove(self, constraint):
        out = constraint.output()
        constraint.mark_unsatisfied()
        constraint.leave()
        unsatisfied = self.remove_downstream(out)
        for strength in range(REQUIRED, WEAKEST + 1):
            for other in unsatisfied:
                if other.strength == strength:
                    self.incremental_add(other)
        constraint.join()

    def plan(self, sources):
        mark = self.new_mark()
        plan, todo = [], sources
        while todo:
            constraint = todo.pop()
            out = constraint.output()
            if out.mark != mark and constraint.inputs_known(mark):
                plan.append(constraint)
                out.mark = mark
                self.consumers(out, todo)
        return plan

    def plan_of(self, constraints):
        return self.plan([c for c in constraints if c.is_input() and c.is_satisfied()])

    def propagate(self, constraint, mark):
        todo = [constraint]
        while todo:
            one = todo.pop()
            out = one.output()
            if out.mark == mark and one is not constraint:
                self.incremental_remove(constraint)
                return False
            one.recalculate()
            self.consumers(out, todo)
        return True

    def remove_downstream(self, out):
        out.determined_by = None
        out.strength = WEAKEST
        out.stays = True
        unsatisfied, todo = [], [out]
        while todo:
            variable = todo.pop()
            for constraint in variable.constraints:
                if not constraint.is_satisfied():
                    unsatisfied.append(constraint)
            determining = variable.determined_by
            for constraint in variable.constraints:
                if constraint is not determining and constraint.is_satisfied():
                    constraint.recalculate()
                    todo.append(constraint.output())
        return unsatisfied

    def consumers(self, variable, into):
        determining = variable.determined_by
        for constraint in variable.constraints:
            if constraint is not determining and constraint.is_satisfied():
                into.append(constraint)


def change(planner, variable, value):
    edit = Edit(variable, PREFERRED, planner)
    plan = planner.plan_of([edit])
    for _ in range(10):
        variable.value = value
        for constraint in plan:
            constraint.execute()
    edit.remove(planner)


def chain(n):
    planner = Planner()
    variables = [Variable("v%d" % i) for i in range(n + 1)]
    for i in range(n):
        Same(variables[i], variables[i + 1], REQUIRED, planner)
    Stay(variables[n], DEFAULT, planner)
    edit = Edit(variables[0], PREFERRED, planner)
    plan = planner.plan_of([edit])
    for value in range(100):
        variables[0].value = value
        for constraint in plan:
            constraint.execute()
        if variables[n].value != value:
            raise RuntimeError("chain")
    edit.remove(planner)
    return variables[n].value


def projection(n):
    planner = Planner()
    scale, offset = Variable("scale", 10), Variable("offset", 1000)
    sources, targets = [], []
    for i in range(n):
        source, target = Variable("source%d" % i, i), Variable("target%d" % i, i)
        sources.append(source)
        targets.append(target)
        Stay(source, NORMAL, planner)
        Scaled(source, scale, offset, target, REQUIRED, planner)
    change(planner, sources[-1], 17)
    got = [targets[-1].value]
    change(planner, targets[-1], 1050)
    got.append(sources[-1].value)
    change(planner, scale, 5)
    got.append(sum(t.value for t in targets))
    change(planner, offset, 2000)
    got.append(sum(t.value for t in targets))
    return got


for _ in range(14):
    print(chain(350), projection(350))
