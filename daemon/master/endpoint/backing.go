// SPDX-License-Identifier: Apache-2.0

package endpoint

import (
	"bytes"
	"encoding/json"
	"net/netip"
	"slices"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ipam"
)

// JudgeSlice returns the record of an EndpointSlice with the ownership of its addresses, because slices are updated late, and another pod may
// get an address before that: a backend that is a pod counts unless another endpoint
// of the service's tenant has its address. An address without an endpoint is no evidence: it may be a node's.
func JudgeSlice(v *catalog.View, id identity.EndpointSlice, stored []byte) ([]byte, error) {
	var of struct{ Service string }
	if err := json.Unmarshal(stored, &of); err != nil {
		return nil, err
	}
	tenant := v.TenantOfService(identity.KubernetesService{Namespace: id.Namespace, Name: of.Service})
	return record.JudgeSlice(stored, func(e *record.SliceEndpoint) bool { return lostBackend(v, tenant, e) })
}

func lostBackend(v *catalog.View, tenant string, e *record.SliceEndpoint) bool {
	if e.Pod.IsZero() || slices.ContainsFunc(v.EndpointsOfPod(e.Pod), func(own *record.Endpoint) bool { return own.IP == e.Address || own.IP6 == e.Address }) {
		return false
	}
	n := v.Overlapping(tenant, ipam.Range{First: e.Address, Last: e.Address})
	return n != nil && n.EndpointAt(e.Address) != nil
}

// judgeTaken judges the slices with backends at addresses that an endpoint has acquired.
func judgeTaken(tx *commit.Tx, addresses ...netip.Addr) error {
	return judgeSlices(tx, addresses, false)
}

// judgeLeft judges the slices that have lost backends at addresses that an endpoint has released.
func judgeLeft(tx *commit.Tx, addresses ...netip.Addr) error { return judgeSlices(tx, addresses, true) }

func judgeSlices(tx *commit.Tx, addresses []netip.Addr, left bool) error {
	for _, a := range addresses {
		if !a.IsValid() {
			continue
		}
		for _, id := range tx.SlicesAt(a, left) {
			key := record.EndpointSlices + id.String()
			have := tx.Value(key)
			want, err := JudgeSlice(tx.View, id, have)
			if err != nil || bytes.Equal(want, have) {
				continue // an unreadable slice leads nowhere
			}
			if err := tx.Put(key, json.RawMessage(want)); err != nil {
				return err
			}
		}
	}
	return nil
}
