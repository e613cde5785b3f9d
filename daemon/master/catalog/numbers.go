// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ipam"
)

// Numbers are the pools of numbers that the whole cluster shares. They follow from the records, and are read-only.
type Numbers struct {
	mark       *mark
	VLANs      *ipam.Numbers // VLAN ids of vlan networks
	VXLANs     *ipam.Numbers // VNIs
	LocalVLANs *ipam.Numbers // cluster-local numbers of vxlan networks, which the original used as VLAN ids
	Groups     *ipam.Numbers
	VRFs       *ipam.Numbers
}

// Limits of the numbers that switches carry: groups as the original had them, VRFs as conntrack zones allow
// (the upper half of the 16 bits is for hairpinned connections).
const (
	maxGroup = 65535
	maxLocal = 65535 // as many as VNIs; our switches do not use these numbers, so VLAN ids need not bound them
	maxVRF   = 32767
)

func newNumbers() *Numbers {
	return &Numbers{VLANs: ipam.NewVLANs(1, 0), VXLANs: ipam.NewNumbers(1, 0), LocalVLANs: ipam.NewNumbers(1, maxLocal), Groups: ipam.NewNumbers(1, maxGroup), VRFs: ipam.NewNumbers(1, maxVRF)}
}

// Numbers returns the cluster's pools of numbers.
func (v *View) Numbers() *Numbers { return v.numbers }

// ownNumbers returns the pools of numbers for changes.
func (v *View) ownNumbers() *Numbers {
	if n := v.numbers; n.mark != v.mark {
		v.numbers = &Numbers{v.mark, n.VLANs.Clone(), n.VXLANs.Clone(), n.LocalVLANs.Clone(), n.Groups.Clone(), n.VRFs.Clone()}
	}
	return v.numbers
}

// number is one number of a pool.
type number struct {
	pool pool
	n    int
}

type pool int

const (
	vlans pool = iota + 1
	vxlans
	localVLANs
	groupNumbers
	vrfs
)

func (n *Numbers) of(p pool) *ipam.Numbers {
	return [...]*ipam.Numbers{vlans: n.VLANs, vxlans: n.VXLANs, localVLANs: n.LocalVLANs, groupNumbers: n.Groups, vrfs: n.VRFs}[p]
}

func tenantAllocation(t *record.Tenant) (allocation, error) {
	return allocation{numbers: []number{{vrfs, int(t.VRF)}}}, nil
}

func networkAllocation(n *network) (allocation, error) {
	if n.Record.Encap == record.VXLAN {
		return allocation{numbers: []number{{vxlans, n.Record.ExtPktTag}, {localVLANs, n.Record.PktTag}}}, nil
	}
	return allocation{numbers: []number{{vlans, n.Record.PktTag}}}, nil
}

// groupAllocation returns the group's number and its VLAN id, which may be its network's.
func groupAllocation(g *record.Group) (allocation, error) {
	t := allocation{numbers: []number{{groupNumbers, g.Number}}}
	if g.Encap == record.VLAN && g.PktTag != 0 {
		t.numbers = append(t.numbers, number{vlans, g.PktTag})
	}
	return t, nil
}

// resize sets the ranges of VLAN ids and VNIs. Numbers in use outside the new range stay in use, and numbers of records that were outside
// the old range are acquired.
func (v *View) resize(g *model.Global) error {
	own := v.ownNumbers()
	for _, p := range []struct {
		pool *ipam.Numbers
		text string
	}{{own.VLANs, g.Vlans}, {own.VXLANs, g.Vxlans}} {
		r, err := ipam.ParseNumberRange(p.text)
		if err != nil {
			return err
		}
		if err := p.pool.Resize(r.Min, r.Max); err != nil {
			return err
		}
	}
	for t := range v.allocations.Values() {
		for _, x := range t.numbers {
			_ = own.of(x.pool).Acquire(x.n) // a refusal was reported with the record
		}
	}
	return nil
}
