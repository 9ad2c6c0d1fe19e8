/* Workers share a token through a server. A worker asks, waits for its turn, and gives the token back. */
#define N 2

mtype = { ask, grant, give };

chan request = [N] of { mtype, byte };
chan answer[N] = [0] of { mtype };
byte inside;

active [N] proctype Worker() {
	do
	:: request!ask(_pid);
	   answer[_pid]?grant;
critical:
	   atomic { inside++; assert(inside == 1) };
	   inside--;
	   request!give(_pid)
	od
}

active proctype Server() {
	byte who;
end:	do
	:: request?ask(who) ->
		answer[who]!grant;
progress:	request??give,eval(who)
	od
}

ltl alone { [] !(Worker[0]@critical && Worker[1]@critical) }
ltl first_comes { [] (Worker[0]@critical -> <> !Worker[0]@critical) }
