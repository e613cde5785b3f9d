package desired

import (
	"encoding/json"
	"fmt"
	"net"
	"net/netip"

	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet"
)

// agent is the registration of a host. Several are left for a while by an agent that is killed and comes back with another address, and by
// two agents of earlier builds with one label: the newest counts.
type agent struct {
	ofnet.Host
	revision uint64
}

// putAgent takes over a registration.
func (r *records) putAgent(name string, item channel.Item) error {
	var s record.Service
	if err := json.Unmarshal(item.Value, &s); err != nil {
		return err
	}
	h, err := hostOf(&s)
	if err != nil {
		return err
	}
	old := r.agents.Get(name)
	r.agents.Set(name, &agent{h, item.Revision})
	if old != nil && old.Label != h.Label {
		r.heed(old.Label)
	}
	r.heed(h.Label)
	return nil
}

// delAgent notes that a host's registration has vanished. That is a sign of life missing, not a decision: the host's
// endpoints, and where to find it, stay; only when another registration is left, that counts now.
func (r *records) delAgent(name string) {
	if old, had := r.agents.Delete(name); had {
		r.heed(old.Label)
	}
}

// heed makes a host what its newest registration says, if there is one.
func (r *records) heed(label string) {
	var newest *agent
	for a := range agentsOfHost.In(r.agents, label).Values() {
		if newest == nil || a.revision > newest.revision {
			newest = a
		}
	}
	if newest != nil {
		r.hosts.Set(label, &newest.Host)
	}
}

// hostOf is where a registration says that a host's tunnels end, which addresses the host itself has, and the MAC address of its uplink.
func hostOf(s *record.Service) (h ofnet.Host, err error) {
	h.Label = s.Hostname
	h.VTEP, err = netip.ParseAddr(s.HostAddr)
	if err != nil || s.Hostname == "" {
		return h, fmt.Errorf("want a host name and an IP address, got %q and %q", s.Hostname, s.HostAddr)
	}
	h.Node4, h.Node6 = s.Node4, s.Node6
	if h.Node4.IsValid() && !h.Node4.Is4() || h.Node6.IsValid() && (!h.Node6.Is6() || h.Node6.Is4In6()) {
		return h, fmt.Errorf("%s and %s are not addresses of IPv4 and IPv6", h.Node4, h.Node6)
	}
	if s.UplinkMAC != "" {
		hw, err := net.ParseMAC(s.UplinkMAC)
		if err != nil || len(hw) != len(h.UplinkMAC) {
			return h, fmt.Errorf("%q is not a MAC address", s.UplinkMAC)
		}
		copy(h.UplinkMAC[:], hw)
	}
	return h, nil
}
