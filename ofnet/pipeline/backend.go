package pipeline

import (
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// backend is a backend with the way to it.
type backend struct {
	ofnet.Backend
	twin  bool          // its address provides the port at another port, too, which the tracker calls by the address
	group uint32        // of the endpoint; 0: none
	at    string        // host that has it; "" when it is not known
	here  uint32        // port of the endpoint, or of the host; 0 when it is on another host or not known
	relay []flow.Action // that hand a packet from outside on to its host; nil when it is here, or there is no way
	// handed are those that hand a packet of this host's own on by the tunnel; nil when it is here, or there is no way.
	handed []flow.Action
}

// label is what the tracker calls the backend.
func (x backend) label() uint64 {
	b := x.Addr.As16()
	if x.twin {
		return hashed(string(b[:]) + string([]byte{byte(x.Target >> 8), byte(x.Target)}))
	}
	if x.Addr.Is4() {
		return uint64(b[12])<<24 | uint64(b[13])<<16 | uint64(b[14])<<8 | uint64(b[15])
	}
	return hashed(string(b[:]))
}

// hashed is 32 bits of what has more: FNV-1a.
func hashed(text string) uint64 {
	const prime, offset = 16777619, 2166136261
	h := uint32(offset)
	for _, c := range []byte(text) {
		h = (h ^ uint32(c)) * prime
	}
	return uint64(h)
}

// among are the backends of a list that get new connections: those that are not draining, else those that are.
func among(list []backend, of func(x *backend) bool) (out []backend) {
	for _, draining := range [...]bool{false, true} {
		for i := range list {
			if x := &list[i]; x.Draining == draining && of(x) {
				out = append(out, *x)
			}
		}
		if len(out) > 0 {
			break
		}
	}
	return slices.Clip(out)
}

// choose finds who gets new connections.
func (q *portBalancing) choose() {
	q.near = among(q.backends, func(x *backend) bool { return !x.Far })
	q.all = among(q.backends, func(*backend) bool { return true })
	q.here = among(q.backends, func(x *backend) bool { return x.here != 0 })
}
