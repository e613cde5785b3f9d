package catalog

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/ipam"
	"github.com/contiv/contiv/ipam/tag"
)

// ranks order changes so that what others need comes first: an object before its records, a network before its groups,
// those before endpoints. Deletions run backwards.
var ranks = []string{
	record.GlobalKey, record.Objects + "global/", record.Objects, record.Tenants, record.Networks, record.Groups,
	record.ServiceLBs, record.Endpoints, holds, record.Services,
}

func rank(key string) int {
	i := slices.IndexFunc(ranks, func(p string) bool { return strings.HasPrefix(key, p) })
	if i < 0 {
		return len(ranks)
	}
	return i
}

// Apply takes in one update of a watch over record.Root. Malformed records are logged and passed over.
func (c *Catalog) Apply(u store.Update, log *slog.Logger) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v := &c.view
	if u.Full {
		have := make(map[string]struct{}, len(u.Items))
		for _, it := range u.Items {
			have[it.Key] = struct{}{}
		}
		for key, it := range v.known {
			if _, ok := have[key]; !ok && it.Revision <= u.Revision {
				u.Gone = append(u.Gone, key)
			}
		}
	}
	slices.SortStableFunc(u.Gone, func(a, b string) int { return rank(b) - rank(a) })
	for _, key := range u.Gone {
		if v.known[key].Revision > u.Revision {
			continue // we have put it again since
		}
		if _, ok := v.known[key]; ok {
			v.concerns(key, u.Revision)
		}
		v.drop(key)
	}
	items := slices.Clone(u.Items)
	slices.SortStableFunc(items, func(a, b store.Item) int { return rank(a.Key) - rank(b.Key) })
	for _, it := range items {
		if it.Revision <= v.known[it.Key].Revision || it.Revision <= v.gone[it.Key] {
			continue
		}
		if err := v.put(it); err != nil {
			log.Error("passed over a record of the store", "key", it.Key, "err", err)
		}
	}
	for key, rev := range v.gone {
		if rev <= u.Revision {
			delete(v.gone, key)
		}
	}
	if v.other {
		c.rebuild(log)
	}
	c.advance(u.Revision)
	c.tell()
}

// Committed takes in what the leader has just committed at rev, before the watch tells. Everything up to rev is known
// with it.
func (c *Catalog) Committed(ops []store.Op, rev store.Revision, log *slog.Logger) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v := &c.view
	ops = slices.Clone(ops)
	slices.SortStableFunc(ops, func(a, b store.Op) int {
		switch {
		case a.Delete && b.Delete:
			return rank(b.Key) - rank(a.Key)
		case a.Delete != b.Delete:
			if a.Delete {
				return -1
			}
			return 1
		}
		return rank(a.Key) - rank(b.Key)
	})
	for _, op := range ops {
		if rev <= v.known[op.Key].Revision {
			continue
		}
		if op.Delete {
			v.drop(op.Key)
			v.gone[op.Key] = rev
			v.concerns(op.Key, rev)
			continue
		}
		if err := v.put(store.Item{Key: op.Key, Value: op.Value, Revision: rev}); err != nil {
			log.Error("committed a record that cannot be read", "key", op.Key, "err", err)
		}
	}
	c.advance(rev)
	c.tell()
}

// put takes in one item that is newer than what is known.
func (v *View) put(it store.Item) error {
	v.known[it.Key] = it
	key := it.Key
	v.concerns(key, it.Revision)
	switch {
	case strings.HasPrefix(key, record.History):
		v.putHistory(it)
	case key == record.GlobalKey:
		g := &record.Global{}
		if err := json.Unmarshal(it.Value, g); err != nil {
			return err
		}
		v.global = g
	case strings.HasPrefix(key, record.Objects):
		return v.putObject(key, it.Value)
	case strings.HasPrefix(key, record.Tenants):
		return putRecord(it, v.dropTenant, v.putTenant)
	case strings.HasPrefix(key, record.Networks):
		return putRecord(it, nil, v.putNetwork)
	case strings.HasPrefix(key, record.Groups):
		return putRecord(it, nil, v.putGroup)
	case strings.HasPrefix(key, record.Endpoints):
		return putRecord(it, nil, v.putEndpoint)
	case strings.HasPrefix(key, record.PolicyRules):
		return putRecord(it, v.dropPolicyRule, v.putPolicyRule)
	case strings.HasPrefix(key, record.FabricProfiles):
		return putRecord(it, nil, v.putFabric)
	case strings.HasPrefix(key, record.ServiceLBs):
		return putRecord(it, v.dropServiceLB, v.putServiceLB)
	case strings.HasPrefix(key, record.Providers):
		return putRecord(it, nil, func(p *record.Provider) error { v.providers[p.ID] = p; return nil })
	case strings.HasPrefix(key, holds):
		return putRecord(it, v.dropHold, func(h *Hold) error { return v.putHold(key, h) })
	case strings.HasPrefix(key, record.Services):
		return putRecord(it, nil, func(s *record.Service) error { v.services[key] = *s; return nil })
	}
	return nil
}

// concerns notes the revision of a change that agents must carry out.
func (v *View) concerns(key string, rev store.Revision) {
	if strings.HasPrefix(key, record.State) || key == record.GlobalKey {
		v.agents = max(v.agents, rev)
	}
}

// putRecord decodes an item and puts it, after dropping what was there before under its key.
func putRecord[T any](it store.Item, drop func(key string), put func(*T) error) error {
	r := new(T)
	if err := json.Unmarshal(it.Value, r); err != nil {
		return err
	}
	if drop != nil {
		drop(it.Key)
	}
	return put(r)
}

// drop forgets a key and all that followed from it.
func (v *View) drop(key string) {
	if _, ok := v.known[key]; !ok {
		return
	}
	delete(v.known, key)
	switch {
	case strings.HasPrefix(key, record.History):
		v.dropHistory(key)
	case key == record.GlobalKey:
		v.global = nil
	case strings.HasPrefix(key, record.Objects):
		v.dropObject(key)
	case strings.HasPrefix(key, record.Tenants):
		v.dropTenant(key)
	case strings.HasPrefix(key, record.Networks):
		v.dropNetwork(key)
	case strings.HasPrefix(key, record.Groups):
		v.dropGroup(key)
	case strings.HasPrefix(key, record.Endpoints):
		v.dropEndpoint(key)
	case strings.HasPrefix(key, record.PolicyRules):
		v.dropPolicyRule(key)
	case strings.HasPrefix(key, record.FabricProfiles):
		v.dropFabric(key)
	case strings.HasPrefix(key, record.ServiceLBs):
		v.dropServiceLB(key)
	case strings.HasPrefix(key, record.Providers):
		delete(v.providers, strings.TrimPrefix(key, record.Providers))
	case strings.HasPrefix(key, holds):
		v.dropHold(key)
	case strings.HasPrefix(key, record.Services):
		delete(v.services, key)
	}
}

func (v *View) putObject(key string, value []byte) error {
	kindName, objectKey, ok := strings.Cut(strings.TrimPrefix(key, record.Objects), "/")
	if !ok {
		return fmt.Errorf("an object's key is kind/key")
	}
	k, ok := model.KindOf(kindName)
	if !ok || k.New == nil {
		return fmt.Errorf("kind %q is unknown", kindName)
	}
	object := k.New()
	if err := json.Unmarshal(value, object); err != nil {
		return err
	}
	object.SetKey(objectKey)
	v.dropObject(key)
	e := &entry{object: object, refs: refsOf(object)}
	if v.objects[k.Name] == nil {
		v.objects[k.Name] = map[string]*entry{}
	}
	v.objects[k.Name][objectKey] = e
	for _, r := range e.refs {
		v.refer(r, k.Name, objectKey)
	}
	v.touch(k.Name, objectKey)
	if g, ok := object.(*model.Global); ok {
		return v.resize(g)
	}
	return nil
}

func (v *View) dropObject(key string) {
	kindName, objectKey, _ := strings.Cut(strings.TrimPrefix(key, record.Objects), "/")
	e := v.objects[kindName][objectKey]
	if e == nil {
		return
	}
	delete(v.objects[kindName], objectKey)
	for _, r := range e.refs {
		delete(v.referrers[r.Kind+"/"+r.Key][kindName], objectKey)
		v.touch(r.Kind, r.Key)
	}
	v.touch(kindName, objectKey)
}

// resize sets the ranges of VLAN ids and VNIs. Numbers in use outside the new range stay in use.
func (v *View) resize(g *model.Global) error {
	for _, p := range []struct {
		pool *tag.Pool
		text string
	}{{v.numbers.VLANs, g.Vlans}, {v.numbers.VXLANs, g.Vxlans}} {
		r, err := tag.ParseRange(p.text)
		if err != nil {
			return err
		}
		if err := p.pool.Resize(r.Min, r.Max); err != nil {
			return err
		}
	}
	return nil
}

func (v *View) putTenant(t *record.Tenant) error {
	v.tenants[t.ID] = t
	return ignoreTaken(v.numbers.VRFs.Take(int(t.VRF)))
}

func (v *View) dropTenant(key string) {
	name := strings.TrimPrefix(key, record.Tenants)
	if t := v.tenants[name]; t != nil {
		v.numbers.VRFs.Release(int(t.VRF))
		delete(v.tenants, name)
	}
}

func (v *View) putNetwork(r *record.Network) error {
	n, err := newNetwork(r)
	if old := v.networks[r.ID]; old != nil { // a network does not change; keep what is allocated
		v.other = v.other || !sameNetwork(old.Record, r)
		v.vacate(old.Record)
		old.Record = r
		v.occupy(r)
		return err
	}
	v.networks[r.ID] = n
	v.occupy(r)
	v.touch(model.KindNetwork().Name, networkKey(r))
	if r.PktTagType == "vxlan" {
		return firstOf(err, ignoreTaken(v.numbers.VXLANs.Take(r.ExtPktTag)), ignoreTaken(v.numbers.LocalVLANs.Take(r.PktTag)))
	}
	return firstOf(err, ignoreTaken(v.numbers.VLANs.Take(r.PktTag)))
}

// sameNetwork tells whether two records of one name are of one network: else it was deleted and made again.
func sameNetwork(a, b *record.Network) bool {
	four, err4 := Spec4(a)
	six, err6 := Spec6(a)
	now4, nowErr4 := Spec4(b)
	now6, nowErr6 := Spec6(b)
	return four == now4 && six == now6 && (err4 == nil) == (nowErr4 == nil) && (err6 == nil) == (nowErr6 == nil) &&
		a.PktTagType == b.PktTagType && a.PktTag == b.PktTag && a.ExtPktTag == b.ExtPktTag
}

func (v *View) dropNetwork(key string) {
	id := strings.TrimPrefix(key, record.Networks)
	n := v.networks[id]
	if n == nil {
		return
	}
	delete(v.networks, id)
	v.vacate(n.Record)
	if n.Record.PktTagType == "vxlan" {
		v.numbers.VXLANs.Release(n.Record.ExtPktTag)
		v.numbers.LocalVLANs.Release(n.Record.PktTag)
	} else {
		v.numbers.VLANs.Release(n.Record.PktTag)
	}
}

func (v *View) putGroup(g *record.Group) error {
	if old := v.groups[g.ID]; old != nil {
		if old.EndpointGroupID == g.EndpointGroupID && old.NetworkName == g.NetworkName && old.IPPool == g.IPPool && old.PktTag == g.PktTag {
			v.groups[g.ID] = g // its number and its addresses stay, with those that its endpoints have
			return nil
		}
		v.dropGroup(record.Groups + g.ID)
	}
	v.groups[g.ID] = g
	err := firstOf(v.useGroup(g.EndpointGroupID), v.takeGroupVLAN(g))
	n := v.networks[g.NetworkName+"."+g.TenantName]
	if g.IPPool == "" || n == nil || n.Pool4 == nil || n.blocks[g.ID] != nil {
		return err
	}
	spec, _ := Spec4(n.Record)
	r, parseErr := ipam.ParseRange(g.IPPool, spec.Prefix)
	if parseErr != nil {
		return parseErr
	}
	block, carveErr := n.Pool4.Carve(r.First, r.Last)
	if carveErr != nil {
		return carveErr
	}
	n.blocks[g.ID] = block
	return err
}

func (v *View) dropGroup(key string) {
	id := strings.TrimPrefix(key, record.Groups)
	g := v.groups[id]
	if g == nil {
		return
	}
	delete(v.groups, id)
	v.leaveGroup(g.EndpointGroupID)
	v.releaseGroupVLAN(id)
	if n := v.networks[g.NetworkName+"."+g.TenantName]; n != nil && n.blocks[id] != nil {
		_ = n.Pool4.Uncarve(n.blocks[id])
		delete(n.blocks, id)
	}
}

func (v *View) putEndpoint(e *record.Endpoint) error {
	old, m := v.endpoints[e.ID], &Member{Endpoint: e}
	v.endpoints[e.ID] = m
	v.ordered.put(m)
	n := v.networks[e.NetID]
	if old != nil {
		v.unindex(old.Endpoint, n)
		if n != nil && old.IPAddress != e.IPAddress {
			n.release(old.EndpointGroupKey, old.IPAddress, ownerOf(old.Endpoint))
		}
		if n != nil && old.IPv6Address != e.IPv6Address {
			n.release(old.EndpointGroupKey, old.IPv6Address, ownerOf(old.Endpoint))
		}
	}
	if e.EndpointGroupKey != "" {
		if v.byGroup[e.EndpointGroupKey] == nil {
			v.byGroup[e.EndpointGroupKey] = set{}
		}
		v.byGroup[e.EndpointGroupKey][e.ID] = struct{}{}
	}
	v.touch(model.KindEndpoint().Name, e.ID)
	if n == nil {
		return fmt.Errorf("network %s is unknown", e.NetID)
	}
	n.endpoints.put(m)
	for _, address := range []string{e.IPAddress, e.IPv6Address} {
		if address == "" {
			continue
		}
		if err := n.take(e.EndpointGroupKey, address, ownerOf(e)); err != nil && ignoreTaken(err) != nil {
			return err
		}
	}
	return nil
}

func (v *View) dropEndpoint(key string) {
	id := strings.TrimPrefix(key, record.Endpoints)
	e := v.Endpoint(id)
	if e == nil {
		return
	}
	delete(v.endpoints, id)
	v.ordered.remove(id)
	n := v.networks[e.NetID]
	v.unindex(e, n)
	v.touch(model.KindEndpoint().Name, id)
	if n != nil {
		n.release(e.EndpointGroupKey, e.IPAddress, ownerOf(e))
		n.release(e.EndpointGroupKey, e.IPv6Address, ownerOf(e))
	}
}

func (v *View) unindex(e *record.Endpoint, n *Network) {
	delete(v.byGroup[e.EndpointGroupKey], e.ID)
	if n != nil {
		n.endpoints.remove(e.ID)
	}
}

func (v *View) putHold(key string, h *Hold) error {
	v.holds[key] = *h
	n := v.networks[h.Network]
	if n == nil {
		return fmt.Errorf("network %s is unknown", h.Network)
	}
	return ignoreTaken(n.take(h.Group, h.Address, h.owner()))
}

func (v *View) dropHold(key string) {
	h, ok := v.holds[key]
	if !ok {
		return
	}
	delete(v.holds, key)
	if n := v.networks[h.Network]; n != nil {
		n.release(h.Group, h.Address, h.owner()) // not if an endpoint has taken it over
	}
}
