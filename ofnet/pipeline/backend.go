// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// backend is a backend with the path to it.
type backend struct {
	ofnet.Backend
	twin  bool          // its address provides the port at another port, too; the tracker labels both by the address
	group uint32        // of the endpoint; 0: none
	at    string        // host that has it; "" if unknown
	here  uint32        // port of the endpoint, or of the host; 0 if it is on another host or unknown
	relay []flow.Action // pass a packet from outside on to its host; nil if it is here, or there is no path
	// handed pass a packet of this host's own on by the tunnel; nil if it is here, or there is no path.
	handed []flow.Action
}

// label is the tracker's label of the backend.
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

// hashed hashes a longer value to 32 bits: FNV-1a.
func hashed(text string) uint64 {
	const prime, offset = 16777619, 2166136261
	h := uint32(offset)
	for _, c := range []byte(text) {
		h = (h ^ uint32(c)) * prime
	}
	return uint64(h)
}

// among returns the backends of a list that get new connections: those that are not draining or, if there are none, those that are.
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

// choose selects the backends of new connections.
func (q *portBalancing) choose() {
	q.near = among(q.backends, func(x *backend) bool { return !x.Far })
	q.all = among(q.backends, func(*backend) bool { return true })
	q.here = among(q.backends, func(x *backend) bool { return x.here != 0 })
}
