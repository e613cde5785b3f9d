// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// Affinity with a timeout: when a client is directed to a backend, the switch learns a flow of table affinity that records this, for the
// timeout after the client's last connection. The flow belongs to the switch, so it exists without an agent; it has a cookie that is not
// compared, and is deleted with the flow that taught it, which exists as long as the backend may be chosen.
//
// For packets that are passed on unchanged - those of processes of this host and of clients outside, to backends elsewhere - the switch
// learns the backend's host. It sees every packet, so the timeout counts from the last of these. The other host learns its own backend.

// maxLearned is the maximum number of clients of one backend that the switch remembers: others are directed to a backend for each
// connection.
const maxLearned = 1 << 14

// longest is the longest time that a flow can last unused.
const longest = 1<<16 - 1

// unchosen is the slot of a connection whose client may have had a backend before.
const unchosen = 1 << 18

// learns reports whether the port's clients are remembered.
func (q *portBalancing) learns() bool { return q.Affinity.Client && q.Affinity.Timeout > 0 }

// recall looks up the client's last backend, and continues with that or with none.
func (q *portBalancing) recall(mark uint32) []flow.Action {
	return []flow.Action{load(regBackend, 0), load(regSlot, unchosen|mark), flow.Resubmit(tAffinity), flow.GotoTable(tBackend)}
}

// learned directs clients to their earlier backend, and others to any. Two simultaneous connections of a new client may get one each; the
// second one is remembered.
func (q *portBalancing) learned(out *flow.Set) {
	q.learnedAmong(out, memory{list: q.near})
	if q.ClusterLocal {
		q.learnedAmong(out, memory{mark: hereSlot, list: q.here})
	}
}

// memory records the clients of one list of backends.
type memory struct {
	mark uint32 // of the slots
	list []backend
	// direction passes a packet on to the host of a remote backend, unchanged; nil if all are translated here.
	direction func(x *backend) []flow.Action
}

// place is a client's destination: a backend, or the host of remote ones.
type place struct {
	number uint64 // in the register
	key    ofnet.Key
	do     []flow.Action
}

// place returns the destination of clients of x; ok is false if there is no path.
func (q *portBalancing) place(m *memory, x *backend) (at place, ok bool) {
	if m.direction == nil || x.here != 0 {
		key := q.LoadKey(q.ServicePort, x.Backend, ofnet.LoadOpened)
		return place{x.label(), key, []flow.Action{q.translation(*x)}}, true
	}
	way := m.direction(x)
	key := ofnet.Key{Kind: ofnet.KindBackend, Name: q.Service.Name + "/" + q.ServicePort.String() + "/" + x.at + "/" + string(ofnet.LoadOpened)}
	return place{hashed(x.at), key, way}, way != nil && x.at != ""
}

// learnedAmong is learned for one list of backends. Packets passed on are not tracked here: each is directed alike, by addresses only.
func (q *portBalancing) learnedAmong(out *flow.Set, m memory) {
	if len(m.list) == 0 {
		return
	}
	hash := flow.HashSymmetricL3L4UDP
	if m.direction != nil {
		hash = flow.HashSymmetricL3
	}
	service := []flow.Term{q.family, flow.Eq(regService, uint64(q.number))}
	first := flow.Eq(regSlot, uint64(unchosen|m.mark))
	out.Add(flow.New(tBackend, exact-10, flow.NewMatch(append(service[:2:2], first)...), flow.Do(load(regSlot, m.mark),
		flow.Multipath(hash, uint16(q.number), len(m.list), flow.Range(regSlot, 0, 15)), flow.Resubmit(tBackend))))
	known := map[uint64]struct{}{}
	for i := range m.list {
		at, ok := q.place(&m, &m.list[i])
		if !ok {
			continue
		}
		out.Add(flow.New(tBackend, exact, q.slotMatch(uint64(m.mark)|uint64(i)), flow.Do(load(regBackend, uint32(at.number)),
			load(regSlot, unchosen|m.mark), flow.Resubmit(tBackend))))
		if _, again := known[at.number]; again {
			continue
		}
		known[at.number] = struct{}{}
		led := flow.New(tBackend, exact, flow.NewMatch(append(service[:2:2], first, flow.Eq(regBackend, at.number))...),
			flow.Do(append([]flow.Action{q.learn(at)}, at.do...)...))
		if m.direction == nil || m.list[i].here != 0 { // otherwise the other host counts
			led.Cookie = flow.NewCookie(0, 0, flow.Owner(at.key))
		}
		out.Add(led)
	}
}

// learn remembers the client of a connection that was directed to a place.
func (q *portBalancing) learn(at place) flow.Action {
	ip := uint64(0x0800)
	if q.six {
		ip = 0x86dd
	}
	return flow.Learn(flow.Lesson{Table: tAffinity, Idle: uint16(min(q.Affinity.Timeout/time.Second, longest)), Priority: exact, Limit: maxLearned,
		Cookie: flow.NewCookie(flow.Leased, round, flow.Owner(at.key)),
		Match:  []flow.Learned{{To: flow.All(flow.EthType), Value: ip}, {To: flow.All(q.src), From: flow.All(q.src)}, {To: flow.All(regService), Value: uint64(q.number)}},
		Load:   []flow.Learned{{To: flow.All(regBackend), Value: at.number}}})
}
