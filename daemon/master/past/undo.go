// SPDX-License-Identifier: Apache-2.0

package past

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/admit"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/identity"
)

// kept reports whether the history has the states of an object.
func kept(n history.Name) bool {
	if n.Kind == history.KindProvider {
		return true
	}
	k, ok := model.KindOf(n.Kind)
	return ok && k.Owner == ""
}

// unknown are the prefixes of records whose earlier states the history does not have.
func unknown() []string {
	return []string{record.Kubernetes, record.LoadBalancers, record.Hosts, record.Runs, record.Services, record.DockerNetworks, record.ACIProfiles,
		record.Acknowledgements, record.Adoptions}
}

// undo collects the operations that undo what happened since a moment.
type undo struct {
	view    *catalog.View // the present
	changed map[history.Name]history.Earlier
	owners  map[history.Place]*model.AddressOwner
	ops     []store.Op
}

func (u *undo) put(key string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode %s: %w", key, err)
	}
	u.ops = append(u.ops, store.Op{Key: key, Value: text})
	return nil
}

func (u *undo) remove(key string) { u.ops = append(u.ops, store.Op{Key: key, Delete: true}) }

// all collects the operations.
func (u *undo) all() error {
	prefixes := unknown()
	for key := range u.view.Values() {
		for _, p := range prefixes {
			if strings.HasPrefix(key, p) {
				u.remove(key)
			}
		}
	}
	for n, was := range u.changed {
		key := history.KeyOf(n.Kind, n.Key)
		if was.Fields == nil {
			u.remove(key)
		} else if err := u.put(key, restored(n, was.Fields)); err != nil {
			return err
		}
		if err := u.derived(n, was); err != nil {
			return err
		}
	}
	return u.holds()
}

// restored adds the fields to a state that follow from the object's name.
func restored(n history.Name, fields map[string]any) map[string]any {
	switch n.Kind {
	case model.KindEndpoint().Name:
		if id, err := identity.ParseEndpoint(n.Key); err == nil {
			fields["tenant"], fields["endpointID"] = id.Tenant, id.Endpoint
		}
	case history.KindProvider:
		if id, err := identity.ParseService(n.Key); err == nil {
			fields["id"] = id.Reversed()
		}
	}
	return fields
}

// derived adds the record that follows from an object. A state that no record follows from has none.
func (u *undo) derived(n history.Name, was history.Earlier) error {
	prefix, of := "", (func(was history.Earlier) any)(nil)
	switch n.Kind {
	case model.KindGlobal().Name:
		if g := object(n, was, &model.Global{}); g != nil {
			return u.put(record.GlobalKey, admit.GlobalRecord(g))
		}
		u.remove(record.GlobalKey)
		return nil
	case model.KindTenant().Name:
		prefix, of = record.Tenants, func(history.Earlier) any { return &record.Tenant{ID: n.Key, Tenant: n.Key} }
	case model.KindNetwork().Name:
		prefix, of = record.Networks, func(was history.Earlier) any { return pointer(network(n, was)) }
	case model.KindEndpointGroup().Name:
		prefix, of = record.Groups, func(was history.Earlier) any { return pointer(u.group(n, was)) }
	case model.KindServiceLB().Name:
		prefix, of = record.ServiceLBs, func(was history.Earlier) any { return pointer(u.service(n, was)) }
	default:
		return nil
	}
	fixed := n.Kind == model.KindTenant().Name || n.Kind == model.KindNetwork().Name // no update changes their records
	var r any
	switch {
	case was.Fields == nil:
	case was.Same && fixed:
		return nil
	default:
		r = of(was)
	}
	if r == nil {
		u.remove(prefix + n.Key)
		return nil
	}
	return u.put(prefix+n.Key, r)
}

// pointer returns nil for a nil pointer.
func pointer[T any](p *T) any {
	if p == nil {
		return nil
	}
	return p
}

// object decodes a state; nil if there is none, or it cannot be read.
func object[T model.Object](n history.Name, was history.Earlier, to T) (none T) {
	text, err := json.Marshal(was.Fields)
	if was.Fields == nil || err != nil || json.Unmarshal(text, to) != nil {
		return none
	}
	to.SetKey(n.Key)
	return to
}

// network returns the record of a network that was deleted since, with the tag that its object names; 0 if it names none.
func network(n history.Name, was history.Earlier) *record.Network {
	o := object(n, was, &model.Network{})
	if o == nil {
		return nil
	}
	r, err := admit.NetworkRecord(o)
	if err != nil {
		return nil
	}
	if r.Encap == record.VXLAN {
		r.ExtPktTag = o.PktTag
	} else {
		r.PktTag = o.PktTag
	}
	return r
}

// group returns the record of a group, with the number of the present one if that is the same group.
func (u *undo) group(n history.Name, was history.Earlier) *record.Group {
	g := object(n, was, &model.EndpointGroup{})
	if g == nil {
		return nil
	}
	on := u.network(g.On())
	if on == nil {
		return nil
	}
	profile := history.Name{Kind: model.KindNetprofile().Name, Key: model.Key(g.TenantName, g.NetProfile)}
	var p *model.Netprofile
	if state, changed := u.changed[profile]; changed {
		p = object(profile, state, &model.Netprofile{})
	} else {
		p, _ = u.view.Stored(model.KindNetprofile(), profile.Key).(*model.Netprofile)
	}
	r, err := admit.GroupRecord(g, on, p)
	if err != nil {
		return nil
	}
	if have := u.view.Group(r.ID); was.Same && have != nil {
		r.Number, r.PktTag = have.Number, have.PktTag
	}
	return r
}

// network returns the record of a network at the moment; nil if there was none.
func (u *undo) network(id identity.Network) *record.Network {
	n := history.Name{Kind: model.KindNetwork().Name, Key: id.String()}
	if was, changed := u.changed[n]; changed && (was.Fields == nil || !was.Same) {
		return network(n, was)
	}
	if have := u.view.Network(id); have != nil {
		return have.Record
	}
	return nil
}

// service returns the record of a service with the address that it had, if that is known.
func (u *undo) service(n history.Name, was history.Earlier) *record.ServiceLB {
	o := object(n, was, &model.ServiceLB{})
	if o == nil {
		return nil
	}
	r, err := admit.ServiceRecord(o)
	if err != nil {
		return nil
	}
	if have := u.view.ServiceLB(r.ID); was.Same && have != nil {
		r.IP = have.IP
		return r
	}
	for place, owner := range u.owners {
		if owner != nil && owner.Kind == model.OwnerService && owner.ID == r.ID.String() && place.Network == r.Network.String() {
			r.IP, _ = netip.ParseAddr(place.Address)
		}
	}
	return r
}

// holds restores the held addresses whose owner changed since.
func (u *undo) holds() error {
	for place, owner := range u.owners {
		id, wrong := identity.ParseNetwork(place.Network)
		a, noAddress := netip.ParseAddr(place.Address) // the pool of a group is none
		if cmp.Or(wrong, noAddress) != nil {
			continue
		}
		key := catalog.HoldKey(id, a)
		if owner == nil || owner.Kind != model.OwnerHold && owner.Kind != model.OwnerQuarantine {
			if u.view.Value(key) != nil {
				u.remove(key)
			}
			continue
		}
		h := &catalog.Hold{Network: id, Address: a, Reason: owner.Reason}
		h.Group, _ = identity.ParseGroup(owner.ID)
		if owner.Until != nil {
			h.Expires = *owner.Until
		}
		if owner.Kind == model.OwnerQuarantine {
			h.Quarantine = catalog.QuarantineReleased
		}
		if err := u.put(key, h); err != nil {
			return err
		}
	}
	return nil
}
