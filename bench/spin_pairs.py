"""Systems written twice, in Promela and in DVE, for the suites that run SPIN beside Tideline.

The two texts of a pair agree step for step: each statement (or d_step) of the one is one transition of the other, so that
the state counts must be equal. Variables are set to 0 where they are no longer needed, since SPIN forgets dead ones. What is
an assertion there is an invariant here.
"""

from typing import NamedTuple


class Pair(NamedTuple):
    name: str           # names files, too
    title: str
    promela: str
    dve: str
    invariant: str


def fill(text, **values):
    """The text with @name replaced by values; braces are those of the languages."""
    for name, value in values.items():
        text = text.replace(f"@{name}", str(value))
    return text


def processes(text, n, **values):
    """The text once for each process; @i is its number, @next that of its right neighbour."""
    return "".join(fill(text, next=(i + 1) % n, n=n, i=i, **values) for i in range(n))


def together(*parts):
    return "".join(parts) + "\nsystem async;\n"


# G. L. Peterson's mutual exclusion for n processes: n - 1 levels, each of which holds back the one who came last.

PETERSON_PML = """
#define N @n
byte level[N];   /* the level a process has reached; 0: it does not want to enter */
byte last[N];    /* who came last to a level */
byte inside;     /* how many are in the critical section */

active [N] proctype P() {
  byte l, k;     /* the level to leave, the next process to look at */
idle:
  l = 1;
announce:
  level[_pid] = l;
  d_step { last[l] = _pid; k = 0 };
look:
  if
  :: d_step { (k < N && (k == _pid || level[k] < l)) -> k = k + 1 }; goto look
  :: d_step { (l < N - 1 && (k == N || last[l] != _pid)) -> l = l + 1; k = 0 }; goto announce
  :: d_step { (l == N - 1 && (k == N || last[l] != _pid)) -> l = 0; k = 0; inside = inside + 1; assert(inside == 1) }
  fi;
  d_step { level[_pid] = 0; inside = inside - 1 };
  goto idle
}
"""

PETERSON_DVE = """
byte level[@n];  // the level a process has reached; 0: it does not want to enter
byte last[@n];   // who came last to a level
byte inside;    // how many are in the critical section
"""

PETERSON_PROCESS = """
process P_@i {
  byte l, k;  // the level to leave, the next process to look at
  state idle, announce, arrive, look, critical;
  init idle;
  trans
    idle -> announce { effect l = 1; },
    announce -> arrive { effect level[@i] = l; },
    arrive -> look { effect last[l] = @i, k = 0; },
    look -> look { guard (k < @n) && ((k == @i) || (level[k] < l)); effect k = k + 1; },
    look -> announce { guard (l < @n - 1) && ((k == @n) || (last[l] != @i)); effect l = l + 1, k = 0; },
    look -> critical { guard (l == @n - 1) && ((k == @n) || (last[l] != @i));
                       effect l = 0, k = 0, inside = inside + 1; },
    critical -> idle { effect level[@i] = 0, inside = inside - 1; };
}
"""


def peterson(n):
    dve = together(fill(PETERSON_DVE, n=n), processes(PETERSON_PROCESS, n))
    return Pair(f"peterson{n}", f"Peterson, {n} processes", fill(PETERSON_PML, n=n), dve, "inside <= 1")


# L. Lamport's fast mutual exclusion (1987): seven steps into the critical section when nobody else wants to enter.

FAST_PML = """
#define N @n
byte x, y;       /* who came last to the two gates, plus 1 */
bool b[N];       /* whether a process is trying */
byte inside;

active [N] proctype P() {
  byte j;        /* the next process to look at */
try:
  b[_pid] = 1;
  x = _pid + 1;
  if
  :: y != 0 -> b[_pid] = 0; y == 0; goto try
  :: y == 0
  fi;
  y = _pid + 1;
  if
  :: d_step { x == _pid + 1 -> inside = inside + 1; assert(inside == 1) }; goto critical
  :: x != _pid + 1
  fi;
  b[_pid] = 0;
scan:
  if
  :: d_step { j < N && !b[j] -> j = j + 1 }; goto scan
  :: d_step { j == N && y == _pid + 1 -> j = 0; inside = inside + 1; assert(inside == 1) }; goto critical
  :: d_step { j == N && y != _pid + 1 -> j = 0 }
  fi;
  y == 0;
  goto try;
critical:
  if :: d_step { y = 0; inside = inside - 1 } fi;
  b[_pid] = 0;
  goto try
}
"""

FAST_DVE = """
byte x, y;      // who came last to the two gates, plus 1
byte b[@n];      // whether a process is trying
byte inside;
"""

FAST_PROCESS = """
process P_@i {
  byte j;       // the next process to look at
  state idle, tried, look, back, held, second, choose, lost, scan, wait, critical, leave;
  init idle;
  trans
    idle -> tried { effect b[@i] = 1; },
    tried -> look { effect x = @i + 1; },
    look -> back { guard y != 0; },
    back -> held { effect b[@i] = 0; },
    held -> idle { guard y == 0; },
    look -> second { guard y == 0; },
    second -> choose { effect y = @i + 1; },
    choose -> critical { guard x == @i + 1; effect inside = inside + 1; },
    choose -> lost { guard x != @i + 1; },
    lost -> scan { effect b[@i] = 0; },
    scan -> scan { guard j < @n && b[j] == 0; effect j = j + 1; },
    scan -> critical { guard j == @n && y == @i + 1; effect j = 0, inside = inside + 1; },
    scan -> wait { guard j == @n && y != @i + 1; effect j = 0; },
    wait -> idle { guard y == 0; },
    critical -> leave { effect y = 0, inside = inside - 1; },
    leave -> idle { effect b[@i] = 0; };
}
"""


def fast_mutex(n):
    dve = together(fill(FAST_DVE, n=n), processes(FAST_PROCESS, n))
    return Pair(f"lamport{n}", f"Lamport's fast mutual exclusion, {n} processes", fill(FAST_PML, n=n), dve, "inside <= 1")


# Philosophers, of whom the last one takes the other fork first, so that there is no deadlock.

PHILOSOPHERS_PML = """
#define N @n
bool fork[N];
byte eating;

active [N] proctype P() {
  byte first, second;
  d_step { first = (_pid < N - 1 -> _pid : 0); second = (_pid < N - 1 -> _pid + 1 : N - 1) };
think:
  if :: d_step { !fork[first] -> fork[first] = 1 } fi;
  d_step { !fork[second] -> fork[second] = 1; eating = eating + 1; assert(2 * eating <= N) };
  d_step { fork[first] = 0; eating = eating - 1 };
  fork[second] = 0;
  goto think
}
"""

PHILOSOPHERS_DVE = """
byte fork[@n];
byte eating;
"""

PHILOSOPHERS_PROCESS = """
process P_@i {
  byte first, second;
  state sit, think, wait, eat, leave;
  init sit;
  trans
    sit -> think { effect first = (@i < @n - 1) * @i, second = (@i < @n - 1) * (@i + 1) + (@i == @n - 1) * (@n - 1); },
    think -> wait { guard fork[first] == 0; effect fork[first] = 1; },
    wait -> eat { guard fork[second] == 0; effect fork[second] = 1, eating = eating + 1; },
    eat -> leave { effect fork[first] = 0, eating = eating - 1; },
    leave -> think { effect fork[second] = 0; };
}
"""


def philosophers(n):
    dve = together(fill(PHILOSOPHERS_DVE, n=n), processes(PHILOSOPHERS_PROCESS, n))
    return Pair(f"philosophers{n}", f"{n} philosophers", fill(PHILOSOPHERS_PML, n=n), dve, f"2 * eating <= {n}")


# Election in a ring (E. Chang, R. Roberts, 1979): identities travel round, and only the greatest comes home. Any set of
# nodes may stand. Node i has the identity (3 i mod n) + 1, so n must not be a multiple of 3.

ELECTION_PML = """
#define N @n
chan to[N] = [@q] of { byte };
byte leaders;

active [N] proctype P() {
  byte who;      /* the message in hand */
idle:
  if
  :: to[(_pid + 1) % N]!(3 * _pid) % N + 1
  :: to[_pid]?who; goto hand
  fi;
standing:
  to[_pid]?who;
  if
  :: d_step { who < (3 * _pid) % N + 1 -> who = 0 }; goto standing
  :: d_step { who == (3 * _pid) % N + 1 -> who = 0; leaders = leaders + 1; assert(leaders == 1) }; goto passive
  :: d_step { who > (3 * _pid) % N + 1 && nfull(to[(_pid + 1) % N]) -> to[(_pid + 1) % N]!who; who = 0 }; goto passive
  fi;
passive:
  to[_pid]?who;
hand:
  if :: d_step { to[(_pid + 1) % N]!who; who = 0 } fi;
  goto passive
}
"""

ELECTION_PROCESS = """
process P_@i {
  byte who;     // the message in hand
  state idle, standing, judge, passive, hand;
  init idle;
  trans
    idle -> standing { sync to_@next!{(3 * @i) % @n + 1}; },
    idle -> hand { sync to_@i?{who}; },
    standing -> judge { sync to_@i?{who}; },
    judge -> standing { guard who < (3 * @i) % @n + 1; effect who = 0; },
    judge -> passive { guard who == (3 * @i) % @n + 1; effect who = 0, leaders = leaders + 1; },
    judge -> passive { guard who > (3 * @i) % @n + 1; sync to_@next!{who}; effect who = 0; },
    passive -> hand { sync to_@i?{who}; },
    hand -> passive { sync to_@next!{who}; effect who = 0; };
}
"""


def election(n, q):
    if n % 3 == 0:
        raise ValueError("identities would not be unique")
    channels = "channel {byte} " + ", ".join(f"to_{i}[{q}]" for i in range(n)) + ";\nbyte leaders;\n"
    return Pair(f"election{n}", f"election in a ring of {n}, channels of {q}", fill(ELECTION_PML, n=n, q=q),
                together(channels, processes(ELECTION_PROCESS, n)), "leaders <= 1")


# Go back n: a window of w messages with sequence numbers modulo s > w, over channels that lose messages. An
# acknowledgement is the number that the receiver waits for.

WINDOW_PML = """
#define W @w
#define S @s
#define OFF(a) ((a + S - base) % S)
chan data = [@q] of { byte };
chan ack = [@q] of { byte };
byte base;       /* the first message that is not acknowledged */
byte expected;   /* what the receiver waits for */

active proctype Sender() {
  byte n, a;     /* how many are sent beyond base, an acknowledgement */
send:
  if
  :: d_step { n < W && nfull(data) -> data!(base + n) % S; n = n + 1 }; goto send
  :: d_step { n > 0 -> n = 0 }; goto send
  :: ack?a
  fi;
  if
  :: d_step { OFF(a) <= n -> n = n - OFF(a); base = a; a = 0 }
  :: d_step { OFF(a) > n && OFF(a) <= W -> n = 0; base = a; a = 0 }
  :: d_step { OFF(a) > n && OFF(a) > W -> a = 0 }
  fi;
  goto send
}

active proctype Receiver() {
  byte x;
wait:
  data?x;
  if
  :: d_step { x == expected -> expected = (expected + 1) % S; x = 0; assert(OFF(expected) <= W) }
  :: d_step { x != expected -> x = 0 }
  fi;
  ack!expected;
  goto wait
}

active proctype Loss() {
  byte x;
lose:
  if
  :: d_step { data?x; x = 0 }
  :: d_step { ack?x; x = 0 }
  fi;
  goto lose
}
"""

WINDOW_DVE = """
channel {byte} data[@q], ack[@q];
byte base;      // the first message that is not acknowledged
byte expected;  // what the receiver waits for

process Sender {
  byte n, a;    // how many are sent beyond base, an acknowledgement
  state send, judge;
  init send;
  trans
    send -> send { guard n < @w; sync data!{(base + n) % @s}; effect n = n + 1; },
    send -> send { guard n > 0; effect n = 0; },
    send -> judge { sync ack?{a}; },
    judge -> send { guard (a + @s - base) % @s <= n; effect n = n - (a + @s - base) % @s, base = a, a = 0; },
    judge -> send { guard (a + @s - base) % @s > n && (a + @s - base) % @s <= @w; effect n = 0, base = a, a = 0; },
    judge -> send { guard (a + @s - base) % @s > n && (a + @s - base) % @s > @w; effect a = 0; };
}

process Receiver {
  byte x;
  state wait, hand, answer;
  init wait;
  trans
    wait -> hand { sync data?{x}; },
    hand -> answer { guard x == expected; effect expected = (expected + 1) % @s, x = 0; },
    hand -> answer { guard x != expected; effect x = 0; },
    answer -> wait { sync ack!{expected}; };
}

process Loss {
  byte x;
  state lose;
  init lose;
  trans
    lose -> lose { sync data?{x}; effect x = 0; },
    lose -> lose { sync ack?{x}; effect x = 0; };
}
"""


def window(w, q):
    values = {"w": w, "s": w + 1, "q": q}
    return Pair(f"window{w}", f"go back {w}, channels of {q}", fill(WINDOW_PML, **values), together(fill(WINDOW_DVE, **values)),
                f"(expected + {w + 1} - base) % {w + 1} <= {w}")


# Two-phase commit over channels without room, round after round: all are asked, all vote, all are told.

COMMIT_PML = """
#define N @n
chan ask[N] = [0] of { byte };
chan vote = [0] of { byte };
chan tell[N] = [0] of { byte };
byte commits, aborts;    /* how many have done which in this round */

active proctype Coordinator() {
  byte i, x, all;        /* the next participant, a vote, whether all have said yes */
begin:
  if
  :: i < N; ask[i]!1; i = i + 1; goto begin
  :: d_step { i == N -> i = 0; all = 1 }
  fi;
collect:
  if
  :: i < N; vote?x; d_step { all = all * x; x = 0; i = i + 1 }; goto collect
  :: d_step { i == N -> i = 0 }
  fi;
spread:
  if
  :: i < N; tell[i]!all; i = i + 1; goto spread
  :: d_step { i == N && commits + aborts == N -> i = 0; all = 0; commits = 0; aborts = 0 }
  fi;
  goto begin
}

active [N] proctype P() {
  byte v;        /* the vote, then the decision */
wait:
  ask[_pid - 1]?v;
  if
  :: v = 1
  :: v = 0
  fi;
  vote!v;
  tell[_pid - 1]?v;
  if
  :: d_step { v == 1 -> v = 0; commits = commits + 1; assert(aborts == 0) }
  :: d_step { v == 0 -> aborts = aborts + 1; assert(commits == 0) }
  fi;
  goto wait
}
"""

COMMIT_DVE = """
byte commits, aborts;    // how many have done which in this round
"""

COMMIT_PROCESS = """
process P_@i {
  byte v;       // the vote, then the decision
  state wait, choose, voting, voted, told;
  init wait;
  trans
    wait -> choose { sync ask_@i?{v}; },
    choose -> voting { effect v = 1; },
    choose -> voting { effect v = 0; },
    voting -> voted { sync vote!{v}; },
    voted -> told { sync tell_@i?{v}; },
    told -> wait { guard v == 1; effect v = 0, commits = commits + 1; },
    told -> wait { guard v == 0; effect aborts = aborts + 1; };
}
"""


def commit(n):
    def each(line):
        return "".join(fill(line, i=i) for i in range(n))

    channels = "channel {byte} " + ", ".join(f"ask_{i}[0], tell_{i}[0]" for i in range(n)) + ", vote[0];\n"
    coordinator = fill("""
process Coordinator {
  byte i, x, all;        // the next participant, a vote, whether all have said yes
  state begin, asking, asked, collect, listen, heard, spread, telling, told;
  init begin;
  trans
    begin -> asking { guard i < @n; },
""" + each("    asking -> asked { guard i == @i; sync ask_@i!{1}; },\n") + """    asked -> begin { effect i = i + 1; },
    begin -> collect { guard i == @n; effect i = 0, all = 1; },
    collect -> listen { guard i < @n; },
    listen -> heard { sync vote?{x}; },
    heard -> collect { effect all = all * x, x = 0, i = i + 1; },
    collect -> spread { guard i == @n; effect i = 0; },
    spread -> telling { guard i < @n; },
""" + each("    telling -> told { guard i == @i; sync tell_@i!{all}; },\n") + """    told -> spread { effect i = i + 1; },
    spread -> begin { guard i == @n && commits + aborts == @n; effect i = 0, all = 0, commits = 0, aborts = 0; };
}
""", n=n)
    return Pair(f"commit{n}", f"two-phase commit, {n} participants", fill(COMMIT_PML, n=n),
                together(channels, COMMIT_DVE, coordinator, processes(COMMIT_PROCESS, n)), "commits == 0 || aborts == 0")


def all_pairs():
    return [peterson(3), peterson(4), peterson(5), fast_mutex(4), philosophers(10), election(8, 2), election(10, 2), window(5, 4),
            commit(8)]


def small_pairs():
    """The same systems at a size that a test can search, each with the number of states that SPIN 6.5.2 has counted."""
    return [(peterson(3), 2_248), (fast_mutex(3), 9_737), (philosophers(5), 1_364), (election(4, 2), 574), (window(3, 2), 21_288),
            (commit(3), 570)]
