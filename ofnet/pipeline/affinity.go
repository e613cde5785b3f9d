package pipeline

import (
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// Affinity with a timeout: when a client is led to a backend, the switch learns a flow of table affinity that says so, for as long as the
// timeout after the client's last connection. The flow is the switch's, so it is there without an agent; it bears a cookie
// that no one compares, and goes with the flow that taught it, which is there as long as the backend may be chosen.

// learnedMost is how many clients of one backend the switch remembers: those beyond are led to a backend for each connection.
const learnedMost = 1 << 14

// longest is the longest time that a flow can last unused.
const longest = 1<<16 - 1

// unchosen is the slot of a connection whose client may have had a backend before.
const unchosen = 1 << 18

// learns says that the port's clients are remembered.
func (q *portBalancing) learns() bool { return q.Affinity.Client && q.Affinity.Timeout > 0 }

// recall asks which backend the client had last, and goes on with that or with none.
func (q *portBalancing) recall(mark uint32) []flow.Action {
	return []flow.Action{load(regBackend, 0), load(regSlot, unchosen|mark), flow.Resubmit(tAffinity), flow.GotoTable(tBackend)}
}

// learned leads clients to the backend that they had, and others to any. Two connections of a new client at once may get one each; the
// second one is remembered.
func (q *portBalancing) learned(out *flow.Set) {
	q.learnedAmong(out, 0, q.near)
	if q.ClusterLocal {
		q.learnedAmong(out, hereSlot, q.here)
	}
}

// learnedAmong is learned for one list of backends, whose slots have a mark.
func (q *portBalancing) learnedAmong(out *flow.Set, mark uint32, list []backend) {
	if len(list) == 0 {
		return
	}
	service := []flow.Term{q.family, flow.Eq(flow.IPProto, uint64(q.Protocol)), flow.Eq(regService, uint64(q.number))}
	first := flow.Eq(regSlot, uint64(unchosen|mark))
	out.Add(flow.New(tBackend, exact-10, flow.NewMatch(append(service[:3:3], first)...), flow.Do(load(regSlot, mark),
		flow.Multipath(flow.HashSymmetricL3L4UDP, uint16(q.number), len(list), flow.Range(regSlot, 0, 15)), flow.Resubmit(tBackend))))
	for i, x := range list {
		out.Add(flow.New(tBackend, exact, q.slotMatch(uint64(mark)|uint64(i)), flow.Do(load(regBackend, uint32(x.label())),
			load(regSlot, unchosen|mark), flow.Resubmit(tBackend))))
		q.add(out, x, ofnet.LoadOpened, flow.New(tBackend, exact, flow.NewMatch(append(service[:3:3], first, flow.Eq(regBackend, x.label()))...),
			flow.Do(q.learn(x), q.translation(x))))
	}
}

// learn remembers the client of a connection that is led to x.
func (q *portBalancing) learn(x backend) flow.Action {
	ip := uint64(0x0800)
	if q.six {
		ip = 0x86dd
	}
	return flow.Learn(flow.Lesson{Table: tAffinity, Idle: uint16(min(q.Affinity.Timeout/time.Second, longest)), Priority: exact, Limit: learnedMost,
		Cookie: flow.NewCookie(flow.Leased, round, flow.Owner(q.LoadKey(q.ServicePort, x.Addr, ofnet.LoadOpened))),
		Match:  []flow.Learned{{To: flow.All(flow.EthType), Value: ip}, {To: flow.All(q.src), From: flow.All(q.src)}, {To: flow.All(regService), Value: uint64(q.number)}},
		Load:   []flow.Learned{{To: flow.All(regBackend), Value: x.label()}}})
}
