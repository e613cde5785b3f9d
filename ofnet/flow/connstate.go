// SPDX-License-Identifier: Apache-2.0

package flow

// ConnState is a connection state bit of ct_state (ovs-fields(7), "Connection Tracking Fields").
type ConnState uint32

// The connection state bits.
const (
	CTNew     ConnState = 1 << iota // +new
	CTEst                           // +est
	CTRel                           // +rel
	CTRpl                           // +rpl
	CTInv                           // +inv
	CTTracked                       // +trk
	CTSNAT                          // +snat
	CTDNAT                          // +dnat
)

// State matches if the connection state has the bits of set and lacks those of unset.
func State(set, unset ConnState) Term {
	return EqMask(CTState, uint64(set), uint64(set|unset))
}
