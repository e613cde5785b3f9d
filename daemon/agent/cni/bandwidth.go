// SPDX-License-Identifier: Apache-2.0

package cni

import (
	"math"

	"github.com/contiv/contiv/api/model"
)

// bandwidth is the capability of that name: rates in bit/s, bursts in bit, ingress being what the container receives. 0 is no limit.
type bandwidth struct {
	IngressRate  uint64 `json:"ingressRate,omitempty"`
	IngressBurst uint64 `json:"ingressBurst,omitempty"`
	EgressRate   uint64 `json:"egressRate,omitempty"`
	EgressBurst  uint64 `json:"egressBurst,omitempty"`
}

// unbounded is the burst that runtimes send if they have none: a burst derived from the rate is used instead, since otherwise the rate
// would not apply for as long as such a burst lasts.
const unbounded = math.MaxInt32

// request is the request to netmaster, nil without a rate.
func (b *bandwidth) request() (*model.BandwidthRequest, error) {
	if b.IngressRate == 0 && b.EgressRate == 0 {
		return nil, nil
	}
	q := &model.BandwidthRequest{}
	for _, f := range []struct {
		bits uint64
		to   *uint32
	}{{b.EgressRate, &q.Send}, {burstOf(b.EgressBurst), &q.SendBurst}, {b.IngressRate, &q.Receive}, {burstOf(b.IngressBurst), &q.ReceiveBurst}} {
		kilo := f.bits / 1000
		if f.bits%1000 != 0 {
			kilo++
		}
		if kilo > math.MaxUint32 {
			return nil, unsupported("bandwidth", "%d bit/s are more than can be counted; leave the limit out", f.bits)
		}
		*f.to = uint32(kilo)
	}
	return q, nil
}

func burstOf(bits uint64) uint64 {
	if bits >= unbounded {
		return 0
	}
	return bits
}
