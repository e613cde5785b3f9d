// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os/exec"
	"strconv"
	"strings"

	"github.com/contiv/contiv/setup/preflight/packetfilter"
)

// tunnelPort is the UDP port of VXLAN (RFC 7348, section 5).
const tunnelPort = "4789"

// flow is a packet that the machine's filter has to accept.
type flow struct {
	packetfilter.Packet
	what string
}

// flows lists the packets that other hosts send to this one, and those of tunnels in both directions.
func flows(m Machine, s *Subject) (out []flow) {
	add := func(network, port string, at netip.Addr, outgoing bool, what string) {
		n, err := strconv.Atoi(port)
		_, name, bad := m.MTU(at)
		if err == nil && bad == nil {
			out = append(out, flow{packetfilter.Packet{Protocol: network, Port: n, Interface: name, Local: at, Outgoing: outgoing}, what})
		}
	}
	if s.VXLAN && s.Switch != "" {
		add("udp", tunnelPort, s.VTEP, false, "incoming packets of tunnels")
		add("udp", tunnelPort, s.VTEP, true, "outgoing packets of tunnels")
	}
	for _, p := range s.Ports {
		_, port, err := net.SplitHostPort(p.Address)
		if err == nil && !p.Local && p.Network == "tcp" {
			add(p.Network, port, s.Address, false, "connections to "+p.For)
		}
	}
	return out
}

// packetFilter names the rules that drop packets which the cluster needs. They are not tried: the check of the peer does that.
func packetFilter(ctx context.Context, m Machine, s *Subject) (fine string, out []Result) {
	all := flows(m, s)
	if len(all) == 0 || !m.Root() {
		return "", nil
	}
	f, err := readFilter(ctx, m, all[0].Local)
	if err != nil {
		return "", unknown(err.Error(), "")
	}
	var passing []string
	for _, one := range all {
		obstacles, err := f.obstacles(&one.Packet)
		if err != nil {
			return "", unknown(err.Error(), "")
		}
		text := fmt.Sprintf("%s %d", strings.ToUpper(one.Protocol), one.Port)
		if len(obstacles) == 0 {
			if one.Outgoing {
				passing = append(passing, text+" out")
			} else {
				passing = append(passing, text+" in")
			}
		}
		for _, o := range obstacles {
			r := Result{State: Error, Summary: fmt.Sprintf("%s (%s) are dropped by %q in %s", one.what, text, o.Rule, o.Chain), Remedy: f.remedy(&one, &o)}
			if !o.Certain {
				r.State, r.Summary = Unknown, fmt.Sprintf("%s (%s) may be dropped by %q in %s: that depends on more than the port", one.what, text, o.Rule, o.Chain)
			}
			out = append(out, r)
		}
	}
	return "passes " + strings.Join(passing, ", "), out
}

// Dropped describes what the machine's packet filter drops of tunnels' packets, with the remedies; "": nothing that is known.
func Dropped(ctx context.Context, m Machine, s *Subject) string {
	var texts []string
	_, results := packetFilter(ctx, m, &Subject{VTEP: s.VTEP, VXLAN: true, Switch: s.Switch})
	for _, r := range results {
		if r.State == Error {
			texts = append(texts, r.Summary+": "+r.Remedy)
		}
	}
	return strings.Join(texts, "; ")
}

// filter has the rules of a machine.
type filter struct {
	saved            []byte // of iptables
	rules, listing   []byte // of nftables
	iptables, family string
	firewalld, ufw   bool // is in force
}

// readFilter reads the rules for the family of an address.
func readFilter(ctx context.Context, m Machine, at netip.Addr) (*filter, error) {
	f := &filter{iptables: "iptables", family: "ip"}
	if at.Is6() {
		f.iptables, f.family = "ip6tables", "ip6"
	}
	var err, none, other error
	f.saved, none = m.Output(ctx, f.iptables+"-save")
	if none != nil && !errors.Is(none, exec.ErrNotFound) {
		return nil, fmt.Errorf("the rules of iptables were not read: %w", none)
	}
	if f.rules, other = m.Output(ctx, "nft", "-j", "list", "ruleset"); other == nil {
		f.listing, err = m.Output(ctx, "nft", "-a", "-s", "list", "ruleset")
	}
	switch {
	case err == nil && other != nil && !errors.Is(other, exec.ErrNotFound):
		err = other
	case none != nil && other != nil:
		return nil, errors.New("neither nft nor iptables-save is installed, so the rules of the packet filter are not known: apt-get install nftables")
	}
	if err != nil {
		return nil, fmt.Errorf("the rules of nftables were not read: %w", err)
	}
	state, err := m.Output(ctx, "firewall-cmd", "--state")
	f.firewalld = err == nil && strings.TrimSpace(string(state)) == "running"
	state, err = m.Output(ctx, "ufw", "status")
	f.ufw = err == nil && strings.Contains(string(state), "Status: active")
	return f, nil
}

// obstacles returns what drops a packet.
func (f *filter) obstacles(p *packetfilter.Packet) ([]packetfilter.Obstacle, error) {
	out := packetfilter.Iptables(f.saved, f.iptables, p)
	if f.rules == nil {
		return out, nil
	}
	more, err := packetfilter.Nftables(f.rules, f.listing, packetfilter.Managed(f.saved, f.family), p)
	return append(out, more...), err
}

// remedy returns the command that accepts the packet, of the program that manages the rule.
func (f *filter) remedy(p *flow, o *packetfilter.Obstacle) string {
	port := fmt.Sprintf("%d/%s", p.Port, p.Protocol)
	switch {
	case f.firewalld && strings.HasPrefix(o.Chain, "inet firewalld ") && !p.Outgoing:
		return fmt.Sprintf("firewall-cmd --permanent --add-port=%s && firewall-cmd --reload", port)
	case f.ufw && strings.HasPrefix(o.Chain, "filter ") && p.Outgoing:
		return "ufw allow out " + port
	case f.ufw && strings.HasPrefix(o.Chain, "filter "):
		return "ufw allow " + port
	}
	return o.Remedy
}
