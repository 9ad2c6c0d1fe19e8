#!/usr/bin/env python3
"""Compares Tideline with a second interpreter of Promela, on random programs: states, invalid end states, violated assertions.

The interpreter is small, slow, and shares nothing with Tideline: it reads the text by a parser of its own, and takes steps from
one state to the next on the syntax tree, as the language defines them. It knows what the random programs of promela_spin.py use.
Nothing needs to be installed.

Exit code 1: there is a difference.
"""

import argparse
import re
import sys
import tempfile
from pathlib import Path

from promela_spin import ROOT, Generator, shrink, tideline_says

MOST_STATES = 3000
MOST_INNER = 2000       # states inside of one atomic sequence
TOKEN = re.compile(r'"[^"]*"|\w+|->|::|\+\+|--|\?\?|!!|\.\.|[<>=!]=|&&|\|\||<<|>>|\S')
BINARY = [["||"], ["&&"], ["|"], ["^"], ["&"], ["==", "!="], ["<", "<=", ">", ">="], ["<<", ">>"], ["+", "-"], ["*", "/", "%"]]
WIDTHS = {"bit": 1, "bool": 1, "byte": 8, "mtype": 8, "chan": 8, "pid": 8, "short": -16, "int": -32}
SPECIAL = ("end", "accept", "progress")
END = ("end", None)


class TooLarge(Exception):
    pass


class Statement:
    """What it is, its parts, and where it is: after linking, its place in the list of its parent."""

    def __init__(self, kind, *parts, branches=()):
        self.kind, self.parts, self.branches, self.labels = kind, parts, list(branches), []
        self.parent = self.list = None
        self.index = self.branch = self.number = 0

    def around(self):
        """Statements around it, from the inside."""
        outer = self.parent
        while outer is not None:
            yield outer
            outer = outer.parent

    def inside(self):
        return any(outer.kind in ("atomic", "d_step") for outer in self.around())

    def d_step(self):
        """The outermost one that it is part of."""
        found = None
        for outer in (self, *self.around()):
            if outer.kind == "d_step":
                found = outer
        return found


class Process:
    def __init__(self, name, active, provided):
        self.name, self.active, self.provided = name, active, provided
        self.scope, self.parameters, self.initial, self.body, self.labels = Scope(), [], [], [], {}


class Scope:
    """Where variables are in a list of numbers: name to (first, type, length of the array or nothing)."""

    def __init__(self):
        self.names, self.size = {}, 0

    def add(self, name, kind, length, program):
        self.names[name] = (self.size, kind, length)
        self.size += len(program.leaves(kind)) * (length or 1)


class Program:
    """The parser, and what it finds."""

    def __init__(self, text):
        self.tokens, self.at = TOKEN.findall(text), 0
        self.types, self.messages, self.inlines, self.processes = {}, {}, {}, []
        self.scope, self.initial, self.channels, self.process = Scope(), [], [], None
        while self.at < len(self.tokens):
            self.unit()
        self.counted = 0
        for process in self.processes:
            self.link(process, process.body, None, 0)

    # Tokens

    def peek(self, ahead=0):
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def take(self, wanted=None):
        token = self.peek()
        if token == "" or wanted is not None and token != wanted:
            raise SyntaxError(f"{wanted} expected at {' '.join(self.tokens[self.at:self.at + 8])}")
        self.at += 1
        return token

    def accept(self, token):
        if self.peek() != token:
            return False
        self.at += 1
        return True

    # Declarations

    def unit(self):
        token = self.take()
        if token == ";":
            return
        if token == "typedef":
            name = self.take()
            self.take("{")
            fields = Scope()
            while not self.accept("}"):
                self.declaration(fields, None)
            self.types[name] = fields
        elif token == "inline":
            name = self.take()
            self.inlines[name] = (self.names(), self.braces())
        elif token in ("ltl", "never"):
            while self.peek() != "{":
                self.take()
            self.braces()
        elif token == "mtype" and self.peek() in ("=", "{"):
            self.accept("=")
            for name in self.braces():
                if name != ",":
                    self.messages[name] = len(self.messages) + 1
        elif token == "active" or token == "proctype" or token == "init":
            self.proctype(token)
        else:
            self.at -= 1
            self.declaration(self.scope, self.initial)

    def proctype(self, token):
        active = 1 if token in ("active", "init") else 0
        if token == "active":
            if self.accept("["):
                active = int(self.take())
                self.take("]")
            self.take("proctype")
        name = "init" if token == "init" else self.take()
        process = self.process = Process(name, active, None)
        if token != "init":
            self.take("(")
            while not self.accept(")"):
                if not self.accept(";"):
                    process.parameters += self.declaration(process.scope, None, one=True)
        if self.accept("provided"):
            process.provided = self.parenthesised()
        self.take("{")
        while self.is_declaration():
            self.declaration(process.scope, process.initial)
        process.body = self.sequence("}")
        self.processes.append(process)
        self.process = None

    def is_declaration(self):
        return self.peek() in WIDTHS or self.peek() == "unsigned" or self.peek() in self.types

    def declaration(self, scope, initial, one=False):
        kind = self.take()
        names = []
        while True:
            name, length, this = self.take(), None, kind
            if self.accept("["):
                length = int(self.take())
                self.take("]")
            if self.accept(":"):
                this = ("unsigned", int(self.take()))
            scope.add(name, this, length, self)
            names.append(name)
            if self.accept("="):
                value = self.channel(length or 1) if self.peek() == "[" else [self.expression()]
                for i in range(length or 1):
                    initial.append((("name", name, [("index", ("number", i))] if length else []), value[i % len(value)]))
            if one or not self.accept(","):
                self.accept(";")
                return names

    def channel(self, count):
        """[2] of { byte, T }: the numbers of new channels."""
        self.take("[")
        capacity = int(self.take())
        self.take("]")
        self.take("of")
        fields = [leaf for kind in self.braces() if kind != "," for leaf in self.leaves(kind)]
        first = len(self.channels)
        self.channels += [(capacity, fields)] * count
        return [("number", first + i + 1) for i in range(count)]

    def leaves(self, kind):
        """The types of the numbers in a variable of this type."""
        if kind not in self.types:
            return [kind]
        return [leaf for _, inner, length in self.types[kind].names.values() for leaf in self.leaves(inner) * (length or 1)]

    def names(self):
        self.take("(")
        found = []
        while not self.accept(")"):
            found.append(self.take())
        return [name for name in found if name != ","]

    def braces(self):
        """The tokens inside of { }."""
        self.take("{")
        begin, depth = self.at, 1
        while depth:
            depth += {"{": 1, "}": -1}.get(self.take(), 0)
        return self.tokens[begin:self.at - 1]

    # Statements

    def sequence(self, *closing):
        found = []
        while self.peek() not in closing:
            if self.accept(";") or self.accept("->"):
                continue
            found += self.statement()
        if closing != ("::", "fi", "od"):
            self.take()
        return found

    def statement(self):
        if self.peek(1) == ":" and self.peek() != "else":
            label = self.take()
            self.take()
            ranged = self.peek() == "for"
            statements = self.statement()
            statements[-1 if ranged else 0].labels.append(label)     # that of a `for` is that of its loop
            return statements
        statements = self.bare()
        if statements[0].kind == "block" and self.accept("unless"):
            return [Statement("unless", branches=[statements, self.bare()])]
        return statements

    def options(self, closing):
        branches = []
        while not self.accept(closing):
            self.take("::")
            branches.append(self.sequence("::", "fi", "od"))
        return branches

    def bare(self):
        token = self.peek()
        if self.is_declaration():
            begin = []
            self.declaration(self.process.scope, begin)
            return [Statement("assign", target, value) for target, value in begin]
        if token in self.inlines:
            return self.inline()
        if re.match(r"[a-z]", token) and token in ("if", "do", "atomic", "d_step", "goto", "break", "skip", "else", "assert", "printf",
                                                   "select", "for", "run"):
            self.take()
        if token == "if":
            return [Statement("if", branches=self.options("fi"))]
        if token == "do":
            return [Statement("do", branches=self.options("od"))]
        if token in ("atomic", "d_step"):
            self.take("{")
            return [Statement(token, branches=[self.sequence("}")])]
        if token == "{":
            self.take()
            return [Statement("block", branches=[self.sequence("}")])]
        if token == "goto":
            return [Statement("goto", self.take())]
        if token in ("break", "else"):
            return [Statement(token)]
        if token == "skip":
            return [Statement("expression", ("number", 1))]
        if token == "assert":
            return [Statement("assert", self.parenthesised())]
        if token == "printf":
            self.parenthesised()
            return [Statement("print")]
        if token == "run":
            return [Statement("run", None, self.take(), self.arguments(")"))]
        if token in ("select", "for"):
            return self.ranged(token)
        return self.of_variable()

    def ranged(self, word):
        """for and select, as what they stand for."""
        self.take("(")
        variable = ("name", self.take(), [])
        if self.take() == "in":
            low, high = ("number", 0), ("number", self.scope.names[self.take()][2] - 1)
        else:
            low = self.expression()
            self.take("..")
            high = self.expression()
        self.take(")")
        begin = Statement("assign", variable, low)
        more = Statement("assign", variable, ("+", variable, ("number", 1)))
        if word == "select":
            return [Statement("if", branches=[[Statement("assign", variable, ("number", n))] for n in range(low[1], high[1] + 1)])]
        self.take("{")
        body = [Statement("expression", ("<=", variable, high)), *self.sequence("}"), more]
        return [begin, Statement("do", branches=[body, [Statement("else"), Statement("break")]])]

    def inline(self):
        parameters, body = self.inlines[self.take()]
        arguments, depth = [[]], 1
        self.take("(")
        while depth:
            token = self.take()
            depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(token, 0)
            if token == "," and depth == 1:
                arguments.append([])
            elif depth:
                arguments[-1].append(token)
        given = dict(zip(parameters, arguments))
        text = [part for token in body for part in given.get(token, [token])]
        self.tokens[self.at:self.at] = [*text, "}"]
        return self.sequence("}")

    def of_variable(self):
        begin = self.at
        if re.match(r"[a-zA-Z]", self.peek()):
            target = self.reference()
            operator = self.take()
            if operator == "=" and self.accept("run"):
                return [Statement("run", target, self.take(), self.arguments(")"))]
            if operator == "=":
                return [Statement("assign", target, self.expression())]
            if operator in ("++", "--"):
                return [Statement("assign", target, (operator[0], target, ("number", 1)))]
            if operator in ("!", "!!"):
                return [Statement("send", target, self.message(), operator == "!!")]
            if operator in ("?", "??") and self.peek() != "[":
                peeks = self.accept("<")
                args = self.message()
                if peeks:
                    self.take(">")
                return [Statement("receive", target, args, operator == "??", peeks)]
        self.at = begin
        return [Statement("expression", self.expression())]

    def message(self):
        """x, y or x(y)"""
        args = [self.argument()]
        if self.accept("("):
            return args + self.message_end(")")
        while self.accept(","):
            args.append(self.argument())
        return args

    def message_end(self, closing):
        args = [self.argument()]
        while self.accept(","):
            args.append(self.argument())
        self.take(closing)
        return args

    def argument(self):
        if self.accept("_"):
            return ("any",)
        if self.accept("eval"):
            return ("eval", self.parenthesised())
        return self.binary(len(BINARY) - 2)

    # Expressions

    def parenthesised(self):
        self.take("(")
        if self.peek().startswith('"'):
            self.take()
            self.take(")")
            return None
        value = self.expression()
        self.take(")")
        return value

    def expression(self):
        return self.binary(0)

    def binary(self, level):
        if level == len(BINARY):
            return self.unary()
        left = self.binary(level + 1)
        while self.peek() in BINARY[level]:
            left = (self.take(), left, self.binary(level + 1))
        return left

    def unary(self):
        if self.peek() in ("!", "~", "-"):
            return ("unary", self.take(), self.unary())
        if self.accept("("):
            value = self.expression()
            if self.accept("->"):
                value = ("choice", value, self.expression(), self.take(":") and self.expression())
            self.take(")")
            return value
        token = self.peek()
        if token.isdigit():
            return ("number", int(self.take()))
        if token in ("len", "empty", "full", "nempty", "nfull"):
            self.take()
            self.take("(")
            return (token, self.arguments(")", opened=True)[0])
        if token in ("timeout", "_pid", "_nr_pr"):
            return (self.take(),)
        if token in ("true", "false"):
            return ("number", int(self.take() == "true"))
        value = self.reference()
        if self.peek() in ("?", "??") and self.peek(1) == "[":
            random = self.take() == "??"
            self.take()
            return ("poll", value, self.message_end("]"), random)
        return value

    def arguments(self, closing, opened=False):
        if not opened:
            self.take("(")
        found = []
        while not self.accept(closing):
            found.append(self.expression())
            self.accept(",")
        return found

    def reference(self):
        name, path = self.take(), []
        while self.peek() in ("[", "."):
            if self.take() == ".":
                path.append(("field", self.take()))
            else:
                path.append(("index", self.expression()))
                self.take("]")
        return ("number", self.messages[name]) if name in self.messages else ("name", name, path)

    # Places

    def link(self, process, statements, parent, branch):
        for index, statement in enumerate(statements):
            statement.list, statement.index, statement.parent, statement.branch = statements, index, parent, branch
            for label in statement.labels:
                process.labels[label] = statement
            for b, inner in enumerate(statement.branches):
                self.link(process, inner, statement, b)
            self.counted += 1
            statement.number = self.counted     # what is inside comes first


class Step:
    """A way to leave a place: by a statement, or by a jump."""

    def __init__(self, action, to, text, escapes, escape_of):
        self.action, self.to, self.text, self.escapes, self.escape_of = action, to, text, escapes, escape_of


class Places:
    """Where a process can be between statements. A place is ("at", statement), ("behind", statement), or the end."""

    def __init__(self, process):
        self.process, self.known = process, {}
        self.end_places = {self.before(s) for label, s in process.labels.items() if label.startswith("end")} | {END}

    def start(self):
        return self.sequence(self.process.body, 0, None)

    def is_inside(self, place):
        return place[0] == "behind" or place != END and place[1].inside()

    def in_d_step(self, place):
        return place != END and any(s.kind == "d_step" for s in (place[1].around() if place[0] == "at" else (place[1], *place[1].around())))

    def before(self, s):
        if s.kind == "block" and s.parent is not None and s.parent.kind == "unless" or s.kind == "unless" and not s.labels:
            return self.sequence(s.branches[0], 0, s)
        # A jump is no step of its own, unless it bears a label that means something, or leads to the end of an atomic sequence.
        if s.kind in ("goto", "break") and not any(label.startswith(SPECIAL) for label in s.labels):
            target = self.target(s)
            if not s.inside() or self.is_in_the_middle(target):
                return target
        return ("at", s)

    def is_in_the_middle(self, place):
        """Inside of an atomic sequence, and not before its last statement or at its end."""
        if not self.is_inside(place) or place[0] == "at" and place[1].branches:
            return self.is_inside(place)
        s = place[1]
        while s.index + 1 == len(s.list):
            s = s.parent
            if s.kind in ("atomic", "d_step") and not s.inside():
                return False
            if s.kind not in ("atomic", "d_step", "block"):
                return True
        return True

    def target(self, s):
        if s.kind == "goto":
            return self.before(self.process.labels[s.parts[0]])
        return self.behind(next(outer for outer in s.around() if outer.kind == "do"))

    def behind(self, s):
        after = self.after(s)
        return after if not s.inside() or self.is_in_the_middle(after) else ("behind", s)

    def after(self, s):
        return self.sequence(s.list, s.index + 1, s.parent)

    def sequence(self, statements, index, parent):
        if index < len(statements):
            return self.before(statements[index])
        if parent is None:
            return END
        if parent.kind == "do":
            return ("at", parent)
        return self.behind(parent) if parent.kind in ("if", "unless") else self.after(parent)

    def steps(self, place):
        """With escapes, which come first."""
        if place not in self.known:
            self.known[place] = found = self.own_steps(place)
            for step in list(found):
                for unless in step.escapes:
                    begin = self.sequence(unless.branches[1], 0, unless)
                    # Where an escape comes later in the text it does not have its own escapes yet when it is looked at.
                    earlier = begin[0] == "at" and begin[1].number < place[1].number
                    for group in self.together(self.steps(begin) if earlier else self.own_steps(begin)):
                        if not any((other.action, other.text) == (group[0].action, group[0].text) for other in found):
                            found[:0] = [Step(way.action, way.to, way.text, way.escapes, begin) for way in group]
        return self.known[place]

    @staticmethod
    def together(steps):
        """Lists of one step, or of those that a d_step begins with."""
        groups = []
        for step in steps:
            d_step = step.text.d_step()
            if groups and d_step is not None and groups[-1][0].text.d_step() is d_step:
                groups[-1].append(step)
            else:
                groups.append([step])
        return groups

    def own_steps(self, place):
        found = []
        if place[0] == "at":
            self.leave(place[1], place, found)
        elif place != END:
            self.add(None, self.after(place[1]), place[1], place, found)
        return found

    def leave(self, s, place, found):
        if s.kind in ("if", "do"):
            for otherwise in (False, True):     # an else comes last
                for branch in s.branches:
                    if branch and (branch[0].kind == "else") == otherwise:
                        self.leave(branch[0], place, found)
        elif s.kind in ("atomic", "d_step", "block", "unless"):
            if s.branches[0]:
                self.leave(s.branches[0][0], place, found)
            else:
                self.add(None, self.after(s), s, place, found)
        elif s.kind in ("goto", "break"):
            self.add(None, self.target(s), s, place, found)
        else:
            self.add(s, self.after(s), s, place, found)

    def add(self, action, to, text, place, found):
        inner, escapes = text, []
        for outer in text.around():
            if outer.kind == "unless" and inner.branch == 0 and outer.d_step() is None:
                escapes.append(outer)
            inner = outer
        if self.in_d_step(place):
            escapes = []
        found.append(Step(action, to, text, escapes, None))


class State:
    """Numbers of global variables, contents of channels, and processes: [proctype, place, numbers]."""

    def __init__(self, variables, channels, processes):
        self.variables, self.channels, self.processes = variables, channels, processes

    def copy(self):
        return State(list(self.variables), list(self.channels), [[p, place, list(own)] for p, place, own in self.processes])

    def key(self):
        return (tuple(self.variables), tuple(self.channels), tuple((p.name, place, tuple(own)) for p, place, own in self.processes))


def cut(value, kind):
    width = kind[1] if isinstance(kind, tuple) else WIDTHS[kind]
    if width > 0:
        return value & ((1 << width) - 1)
    half = 1 << (-width - 1)
    return (value + half) % (2 * half) - half


class Interpreter:
    def __init__(self, program):
        self.program = program
        self.places = {process: Places(process) for process in program.processes}
        self.assertion = False      # one was violated, or a step cannot end

    # Values

    def find(self, reference, state, who):
        """(list of numbers, first, types) of what a reference means."""
        _, name, path = reference
        own = state.processes[who] if who is not None else None
        if own and name in own[0].scope.names:
            numbers, scope = own[2], own[0].scope
        else:
            numbers, scope = state.variables, self.program.scope
        first, kind, length = scope.names[name]
        path = list(path)
        while True:
            if length is not None and path and path[0][0] == "index":
                first += self.value(path.pop(0)[1], state, who) * len(self.program.leaves(kind))
                length = None
            if not path:
                return numbers, first, self.program.leaves(kind) * (length or 1)
            inner, kind, length = self.program.types[kind].names[path.pop(0)[1]]
            first += inner

    def value(self, e, state, who):
        return self.values(e, state, who)[0]

    def values(self, e, state, who):
        """The numbers of a variable of a typedef, or one."""
        kind = e[0]
        if kind == "name":
            numbers, first, types = self.find(e, state, who)
            return numbers[first:first + len(types)]
        return [int(self.number(e, state, who))]

    def number(self, e, state, who):
        kind = e[0]
        value = lambda part: self.value(part, state, who)  # noqa: E731
        if kind == "number":
            return e[1]
        if kind == "unary":
            return {"!": lambda v: v == 0, "~": lambda v: ~v, "-": lambda v: -v}[e[1]](value(e[2]))
        if kind == "choice":
            return value(e[2]) if value(e[1]) else value(e[3])
        if kind == "_pid":
            return who
        if kind == "_nr_pr":
            return len(state.processes)
        if kind == "timeout":
            return self.timeout(state)
        if kind in ("len", "empty", "full", "nempty", "nfull"):
            channel = value(e[1]) - 1
            # A rendezvous channel is never full for SPIN.
            length, capacity = len(state.channels[channel]), max(1, self.program.channels[channel][0])
            return {"len": length, "empty": length == 0, "full": length == capacity, "nempty": length > 0, "nfull": length < capacity}[kind]
        if kind == "poll":
            return self.matching(e[1], e[2], e[3], state, who) is not None
        if kind == "&&":
            return value(e[1]) and value(e[2]) != 0
        if kind == "||":
            return value(e[1]) != 0 or value(e[2]) != 0
        left, right = value(e[1]), value(e[2])
        sign = lambda v: -1 if v < 0 else 1  # noqa: E731
        return {"|": lambda: left | right, "^": lambda: left ^ right, "&": lambda: left & right, "==": lambda: left == right,
                "!=": lambda: left != right, "<": lambda: left < right, "<=": lambda: left <= right, ">": lambda: left > right,
                ">=": lambda: left >= right, "<<": lambda: left << right, ">>": lambda: left >> right, "+": lambda: left + right,
                "-": lambda: left - right, "*": lambda: left * right, "/": lambda: abs(left) // abs(right) * sign(left) * sign(right),
                "%": lambda: abs(left) % abs(right) * sign(left)}[kind]()

    def assign(self, reference, values, state, who):
        numbers, first, types = self.find(reference, state, who)
        for i, (value, kind) in enumerate(zip(values, types)):
            numbers[first + i] = cut(value, kind)

    def fits(self, args, contents, state, who):
        at = 0
        for arg in args:
            if arg[0] == "name":
                at += len(self.find(arg, state, who)[2])
                continue
            if arg[0] != "any" and contents[at] != self.value(arg[1] if arg[0] == "eval" else arg, state, who):
                return False
            at += 1
        return True

    def matching(self, channel, args, random, state, who):
        """Which message of a buffer would be received."""
        messages = state.channels[self.value(channel, state, who) - 1]
        for k, contents in enumerate(messages if random else messages[:1]):
            if self.fits(args, contents, state, who):
                return k
        return None

    def sent(self, s, state, who):
        """The channel, and the message as its fields hold it."""
        channel = self.value(s.parts[0], state, who) - 1
        values = [value for arg in s.parts[1] for value in self.values(arg, state, who)]
        return channel, tuple(cut(value, kind) for value, kind in zip(values, self.program.channels[channel][1]))

    # What is possible

    def allowed(self, step, state, who, message=None):
        """The conditions beside those of the statement."""
        process, place, _ = state.processes[who]
        steps = self.places[process].steps(place)
        if process.provided and not self.places[process].in_d_step(place) and not self.value(process.provided, state, who):
            return False
        # An escape prevents what comes behind it; an else comes after all others, and in a d_step the first that is possible is taken.
        d_step = step.text.d_step()
        is_else = step.action is not None and step.action.kind == "else"
        for other in steps[:steps.index(step)]:
            if other.escape_of != step.escape_of:
                prevents = other.escape_of is not None
            else:
                prevents = other.text.d_step() is d_step if d_step is not None else is_else
            if prevents and self.possible(other, state, who, message):
                return False
        return True

    def possible(self, step, state, who, message=None):
        """With a message that is being handed over: whether the step takes it, which is all that can happen then."""
        s = step.action
        if message is not None:
            if not self.takes(s, *message, state, who):
                return False
        elif s is not None:
            if s.kind == "expression" and not self.value(s.parts[0], state, who):
                return False
            if s.kind == "send":
                channel, contents = self.sent(s, state, who)
                capacity = self.program.channels[channel][0]
                if capacity == 0 and not any(True for _ in self.receivers(channel, contents, state, who)):
                    return False
                if capacity and len(state.channels[channel]) >= capacity:
                    return False
            if s.kind == "receive" and self.matching(s.parts[0], s.parts[1], s.parts[2], state, who) is None:
                return False
            if s.kind == "run" and len(state.processes) >= 255:
                return False
        return self.allowed(step, state, who, message)

    def takes(self, s, channel, contents, state, who):
        """Whether the statement receives the message from the rendezvous channel."""
        return (s is not None and s.kind == "receive" and not s.parts[3] and self.value(s.parts[0], state, who) - 1 == channel
                and self.fits(s.parts[1], contents, state, who))

    def receivers(self, channel, contents, state, sender):
        """Who can take part in a rendezvous, by which step."""
        for who, (process, place, _) in enumerate(state.processes):
            for step in self.places[process].steps(place) if who != sender else ():
                if self.possible(step, state, who, (channel, contents)):
                    yield who, step

    def timeout(self, state):
        if self.in_timeout or self.alone is not None:
            return False
        self.in_timeout = True
        try:
            return not any(self.moves(state, who) for who in range(len(state.processes)))
        finally:
            self.in_timeout = False

    in_timeout, alone = False, None

    def can_end(self, state, who):
        process, place, _ = state.processes[who]
        return place == END and who == len(state.processes) - 1 and (not process.provided or bool(self.value(process.provided, state, who)))

    def moves(self, state, who):
        process, place, _ = state.processes[who]
        return self.can_end(state, who) or any(self.possible(step, state, who) for step in self.places[process].steps(place))

    # Steps

    def goes_on(self, step, state, who):
        process, place, _ = state.processes[who]
        places = self.places[process]
        return (step.text.inside() or places.is_inside(place)) and places.is_inside(step.to)

    def take(self, step, state, who):
        """(next state, who goes on alone) for every way to take the step."""
        s, alone = step.action, who if self.goes_on(step, state, who) else None
        if s is not None and s.kind == "send" and self.program.channels[self.sent(s, state, who)[0]][0] == 0:
            channel, message = self.sent(s, state, who)
            for other, receiving in self.receivers(channel, message, state, who):
                result = state.copy()
                self.receive(receiving.action.parts[1], message, result, other)
                result.processes[who][1], result.processes[other][1] = step.to, receiving.to
                yield result, other if self.goes_on(receiving, state, other) else None
            return
        result = state.copy()
        if s is not None:
            self.execute(s, state, result, who)
        result.processes[who][1] = step.to
        yield result, alone

    def execute(self, s, state, result, who):
        if s.kind == "assign":
            self.assign(s.parts[0], self.values(s.parts[1], state, who), result, who)
        elif s.kind == "assert":
            self.assertion |= not self.value(s.parts[0], state, who)
        elif s.kind == "send":
            channel, message = self.sent(s, state, who)
            waiting = state.channels[channel]
            at = next((k for k, other in enumerate(waiting) if other > message), len(waiting)) if s.parts[2] else len(waiting)
            result.channels[channel] = (*waiting[:at], message, *waiting[at:])
        elif s.kind == "receive":
            channel = self.value(s.parts[0], state, who) - 1
            k = self.matching(s.parts[0], s.parts[1], s.parts[2], state, who)
            waiting = state.channels[channel]
            if not s.parts[3]:
                result.channels[channel] = (*waiting[:k], *waiting[k + 1:])
            self.receive(s.parts[1], waiting[k], result, who)
        elif s.kind == "run":
            target, name, args = s.parts
            given = [value for arg in args for value in self.values(arg, state, who)]
            self.start(next(p for p in self.program.processes if p.name == name), given, result)
            if target:
                self.assign(target, [len(result.processes) - 1], result, who)

    def receive(self, args, message, state, who):
        places, at = [], 0
        for arg in args:    # indices mean what they meant before
            places.append((self.find(arg, state, who) if arg[0] == "name" else None, at))
            at += len(places[-1][0][2]) if places[-1][0] else 1
        for place, at in places:
            for i, kind in enumerate(place[2] if place else ()):
                place[0][place[1] + i] = cut(message[at + i], kind)

    def start(self, process, given, state):
        state.processes.append([process, self.places[process].start(), [0] * process.scope.size])
        who, at = len(state.processes) - 1, 0
        for name in process.parameters:
            size = len(self.find(("name", name, []), state, who)[2])
            self.assign(("name", name, []), given[at:at + size] or [0] * size, state, who)
            at += size
        for target, value in process.initial:
            self.assign(target, self.values(value, state, who), state, who)

    def initial(self):
        state = State([0] * self.program.scope.size, [()] * len(self.program.channels), [])
        for target, value in self.program.initial:
            self.assign(target, self.values(value, state, None), state, None)
        for process in self.program.processes:
            for _ in range(process.active):
                self.start(process, [], state)
        return state

    def successors(self, state):
        """The states after one step of a process, through all of its atomic sequence; nothing in a state without steps."""
        found, steps = [], False
        for who, (process, place, _) in enumerate(state.processes):
            for step in self.places[process].steps(place):
                if self.possible(step, state, who):
                    steps = True
                    for after, alone in self.take(step, state, who):
                        found += self.whole_step(after, alone)
            if self.can_end(state, who):
                found.append(state.copy())
                found[-1].processes.pop()
        return found if steps or found else None

    def whole_step(self, state, alone):
        """Where a step ends that has led here, with the process that goes on alone."""
        if alone is None:
            return [state]
        found, inner, known = [], [(state, alone)], set()
        while inner:
            now, who = inner.pop()
            if (now.key(), who) in known:
                continue
            known.add((now.key(), who))
            if len(known) > MOST_INNER:
                raise TooLarge
            self.alone = who
            process, place, _ = now.processes[who]
            steps = [step for step in self.places[process].steps(place) if self.possible(step, now, who)]
            for step in steps:
                for after, next_one in self.take(step, now, who):
                    if next_one is None:
                        found.append(after)
                    else:
                        inner.append((after, next_one))
            if not steps and self.places[process].in_d_step(place):
                self.assertion = True
            elif not steps:
                found.append(now)
        self.alone = None
        self.assertion |= not found     # it never ends
        return found

    def explore(self):
        first = self.initial()
        known, open_states, deadlock = {first.key()}, [first], False
        while open_states:
            state = open_states.pop()
            after = self.successors(state)
            if after is None:
                deadlock |= any(place not in self.places[p].end_places for p, place, _ in state.processes)
            for other in after or ():
                if other.key() not in known:
                    known.add(other.key())
                    open_states.append(other)
            if len(known) > MOST_STATES:
                raise TooLarge
        return {"states": len(known), "deadlock": deadlock, "assertion": self.assertion}


def differ(text, options, folder):
    """What both say, where that differs; nothing where the interpreter gives up."""
    try:
        expected = Interpreter(Program(text)).explore()
    except (TooLarge, RecursionError):
        return None
    found = tideline_says(text, folder, options.tideline)
    options.compared += 1
    if found != "refused":
        found = {name: found[name] for name in expected}
    return (expected, found) if expected != found else None


def still_differ(text, options, folder):
    """Likewise, of a program that may have lost what the rest of it needs."""
    try:
        difference = differ(text, options, folder)
    except (SyntaxError, LookupError, ValueError, TypeError):
        return None
    return difference if difference and difference[1] != "refused" else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tideline", default=ROOT / "build/release/bin/tideline")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--all", action="store_true", help="go on after a difference")
    options = parser.parse_args()
    options.tideline, options.compared = str(Path(options.tideline).resolve()), 0
    differences = 0
    with tempfile.TemporaryDirectory() as name:
        for seed in range(options.seed, options.seed + options.count):
            program = Generator(seed).program()
            difference = differ(program, options, Path(name))
            if difference:
                program = shrink(program, options, Path(name), still_differ)
                print(f"seed {seed}: expected {difference[0]}, Tideline says {difference[1]}\n{program}", flush=True)
                differences += 1
                if not options.all:
                    break
    print(f"{options.compared} programs compared, {differences or 'no'} difference{'s' if differences > 1 else ''}")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
