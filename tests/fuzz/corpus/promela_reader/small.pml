#define N 2
#define INC(v) v = v + 1
mtype = { ping, pong };
typedef T { byte f[2]; chan c = [1] of { byte } };
T t[N];
chan q[N] = [1] of { mtype, byte };
byte x; unsigned u : 3;
inline add(v, by) { byte old; old = v; v = old + by }
proctype P(byte i; chan c) provided (x < 9) {
	do
	:: c!ping(i) -> INC(x)
	:: c?pong,eval(i); d_step { t[i % N].f[0]++; if :: x > 3 -> x = 0 :: else fi }
	:: atomic { x < 5; run P(i + 1, q[0]) } unless { x == 7 -> goto end_it }
	:: timeout -> break
	od;
	add(x, 2); select (u : 1 .. 4); assert(x != 3 || np_);
end_it: printf("%d\n", (x > 1 -> 2 : len(c)))
}
init { pid p; p = run P(0, q[1]); for (p : 0 .. 1) { q[p]!!pong,p } }
never { do :: P[1]@end_it -> break :: q[0]?[ping, _] :: true od }
ltl f { [] (x < 9) -> <> (x == 0) }
