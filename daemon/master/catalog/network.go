package catalog

import (
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ipam"
)

// Network is a network's record with the pools that follow from it.
type Network struct {
	Record    *record.Network
	Pool4     *ipam.Pool
	Pool6     *ipam.Pool6           // nil without IPv6
	blocks    map[string]*ipam.Pool // group pools, by "group:tenant"
	endpoints members
	addresses map[netip.Addr]string // who has it: "endpoint ID", "service ID", "a hold"
	// claims are who else has an address, the last one last: as a rule nobody. A hold and the endpoint that takes it over have
	// it together, and so do two endpoints in a store whose records contradict each other.
	claims map[netip.Addr][]string
}

// newNetwork makes the pools of a network; err says what is wrong with the record.
func newNetwork(r *record.Network) (*Network, error) {
	n := &Network{Record: r, blocks: map[string]*ipam.Pool{}, endpoints: newMembers(), addresses: map[netip.Addr]string{}, claims: map[netip.Addr][]string{}}
	spec, err := Spec4(r)
	if err != nil {
		return n, err
	}
	if n.Pool4, err = ipam.New(spec); err != nil {
		return n, err
	}
	if r.IPv6Subnet == "" {
		return n, nil
	}
	spec6, err := Spec6(r)
	if err != nil {
		return n, err
	}
	n.Pool6, err = ipam.New6(spec6)
	return n, err
}

// Spec4 is what a network's record says of its IPv4 addresses.
func Spec4(r *record.Network) (ipam.Spec, error) {
	addr, err := netip.ParseAddr(r.SubnetIP)
	if err != nil {
		return ipam.Spec{}, err
	}
	spec := ipam.Spec{Prefix: netip.PrefixFrom(addr, int(r.SubnetLen))}
	if r.IPAddrRange != "" {
		declared, err := ipam.ParseRange(r.IPAddrRange, spec.Prefix)
		if err != nil {
			return spec, err
		}
		spec.First, spec.Last = declared.First, declared.Last
	}
	if r.Gateway != "" {
		spec.Gateway, err = netip.ParseAddr(r.Gateway)
	}
	return spec, err
}

// Spec6 is what a network's record says of its IPv6 addresses.
func Spec6(r *record.Network) (ipam.Spec6, error) {
	addr, err := netip.ParseAddr(r.IPv6Subnet)
	if err != nil {
		return ipam.Spec6{}, err
	}
	spec := ipam.Spec6{Prefix: netip.PrefixFrom(addr, int(r.IPv6Len))}
	if r.IPv6Gateway != "" {
		spec.Gateway, err = netip.ParseAddr(r.IPv6Gateway)
	}
	return spec, err
}

// Block is the pool of a group on this network, nil when the group has none.
func (n *Network) Block(group string) *ipam.Pool { return n.blocks[group] }

// BlocksText lists the ranges of the group pools, in order, joined by ", ".
func (n *Network) BlocksText() string {
	blocks := slices.SortedFunc(maps.Values(n.blocks), (*ipam.Pool).Compare)
	var names []string
	for _, b := range blocks {
		names = append(names, b.String())
	}
	return strings.Join(names, ", ")
}

// Blocks is the number of group pools.
func (n *Network) Blocks() int { return len(n.blocks) }

// PoolOf is the pool that address a of an endpoint of group comes from: the group's when it lies in it.
func (n *Network) PoolOf(group string, a netip.Addr) *ipam.Pool {
	if b := n.blocks[group]; b != nil && b.Contains(a) {
		return b
	}
	return n.Pool4
}

// Contains tells whether a is an address that the network or one of its group pools gives out.
func (n *Network) Contains(a netip.Addr) bool {
	if a.Is4() {
		return n.Pool4 != nil && n.Pool4.Contains(a)
	}
	return n.Pool6 != nil && n.Pool6.Contains(a)
}

// Covers tells whether a lies in one of the network's subnets.
func (n *Network) Covers(a netip.Addr) bool {
	four, err4 := Spec4(n.Record)
	six, err6 := Spec6(n.Record)
	return err4 == nil && four.Prefix.Contains(a) || err6 == nil && six.Prefix.Contains(a)
}

// BlockAt is the group, "group:tenant", whose pool address a lies in; "" when it is in none.
func (n *Network) BlockAt(a netip.Addr) string {
	for group, block := range n.blocks {
		if block.Contains(a) {
			return group
		}
	}
	return ""
}

// PoolAt is the pool that gives address a out: a group's, or the network's own.
func (n *Network) PoolAt(a netip.Addr) *ipam.Pool {
	if b := n.blocks[n.BlockAt(a)]; b != nil {
		return b
	}
	return n.Pool4
}

// Owner says who has an address: "endpoint ID", "service ID", "a hold", or "" when nobody does.
func (n *Network) Owner(a netip.Addr) string { return n.addresses[a] }

// Endpoints is the number of endpoints on the network.
func (n *Network) Endpoints() int { return n.endpoints.len() }

// Members yields the endpoints on the network, ordered by id.
func (n *Network) Members(yield func(*Member) bool) { n.endpoints.all(yield) }

// Allocated is the number of addresses that endpoints have or that are held for them, IPv4 only.
func (n *Network) Allocated() int {
	count := 0
	for a := range n.addresses {
		if a.Is4() {
			count++
		}
	}
	return count
}

// take marks an address as its owner's; taking what the owner has already is harmless.
func (n *Network) take(group, address, owner string) error {
	a, err := netip.ParseAddr(address)
	if err != nil {
		return err
	}
	n.claim(a, owner)
	if a.Is4() {
		if n.Pool4 == nil {
			return nil
		}
		return n.PoolOf(group, a).Take(a)
	}
	if n.Pool6 == nil {
		return nil
	}
	err = n.Pool6.Take(a)
	n.Pool6.Continue(a)
	return err
}

// release gives an address back if nobody but owner has it.
func (n *Network) release(group, address, owner string) {
	a, err := netip.ParseAddr(address)
	if err != nil || !n.disclaim(a, owner) {
		return
	}
	if a.Is4() && n.Pool4 != nil {
		n.PoolOf(group, a).Release(a)
	} else if a.Is6() && n.Pool6 != nil {
		n.Pool6.Release(a)
	}
}

// claim notes that owner has an address.
func (n *Network) claim(a netip.Addr, owner string) {
	was := n.addresses[a]
	n.addresses[a] = owner
	if was == "" || was == owner {
		return
	}
	others := slices.DeleteFunc(n.claims[a], func(x string) bool { return x == owner })
	n.claims[a] = append(others, was)
}

// disclaim is the end of claim; it reports whether nobody has the address now who had it before.
func (n *Network) disclaim(a netip.Addr, owner string) bool {
	others := n.claims[a]
	switch at := slices.Index(others, owner); {
	case n.addresses[a] != owner && at < 0:
		return false
	case n.addresses[a] != owner:
		others = slices.Delete(others, at, at+1)
	case len(others) == 0:
		delete(n.addresses, a)
		return true
	default:
		n.addresses[a] = others[len(others)-1]
		others = others[:len(others)-1]
	}
	if n.claims[a] = others; len(others) == 0 {
		delete(n.claims, a)
	}
	return false
}

// Unavailable is the refusal of address a, which its pool does not give because of err. It says who has the address.
func (n *Network) Unavailable(field string, a netip.Addr, err error) *model.Error {
	e := model.Errorf(model.CodeConflict, field, "requested address %s is not available: %v", a, err).Because(err)
	if owner := n.Owner(a); owner != "" {
		return e.Try("%s has it", owner)
	}
	return e.Try("free are %s", n.Pool4.AvailableText())
}

// Exhausted is the refusal of an address because the pool described by in is empty.
func (n *Network) Exhausted(in string, err error) *model.Error {
	return model.Errorf(model.CodeExhausted, "", "auto allocation failed - address exhaustion in %s", in).Because(err).
		Try("remove containers, or use a larger subnet: netctl network inspect --tenant %s %s shows who has the addresses",
			n.Record.Tenant, n.Record.NetworkName)
}

// Effective modes of a network's kind.
const (
	NetworkData  = "data"
	NetworkInfra = "infra"
)

// networkKey is the API key of a network's record.
func networkKey(r *record.Network) string { return model.Key(r.Tenant, r.NetworkName) }

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
	if _, ok := v.homeless[r.ID]; ok {
		v.other = true // its groups and endpoints came before it
	}
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
	if len(n.blocks) > 0 || n.Endpoints() > 0 {
		v.homeless[id] = struct{}{}
	}
	v.vacate(n.Record)
	if n.Record.PktTagType == "vxlan" {
		v.numbers.VXLANs.Release(n.Record.ExtPktTag)
		v.numbers.LocalVLANs.Release(n.Record.PktTag)
	} else {
		v.numbers.VLANs.Release(n.Record.PktTag)
	}
}
