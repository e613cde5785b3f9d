package node

import (
	"context"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/contiv/contiv/daemon/agent/hostaccess"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// portBGP is where a router listens (RFC 4271 section 8.2.1).
const portBGP = 179

// How often names of machines are looked up, and for how long that may take.
const (
	resolveEvery = time.Minute
	resolveLimit = 10 * time.Second
)

// closed says what is closed to containers.
func (n *Node) closed() hostaccess.Closed {
	c := hostaccess.Closed{Open: n.HostPorts, Prefixes: n.Protected, Doors: []link.Door{{Name: outsideName, Port: portBGP}}, Members: n.cluster, Reported: n.desired.Reported}
	c.Shut = append(slices.Clone(n.Shut), link.Ports{Protocol: unix.IPPROTO_UDP, First: uint16(n.VXLANPort), Last: uint16(n.VXLANPort)})
	if !n.DNS.Off {
		c.Names = pipeline.NamesPort
	}
	return c
}

// cluster lists all parts of the cluster: hosts, netmasters, and the store's machines, as netmasters name them.
func (n *Node) cluster() []hostaccess.Member {
	return members(n.desired.Machines(), places(n.desired.Masters()), *n.named.Load())
}

// members are machines that are hosts, and who serves at places, with the addresses of those that are named.
func members(machines []*record.Host, at map[place]struct{}, named map[string][]netip.Addr) (out []hostaccess.Member) {
	for _, h := range machines {
		for _, a := range []netip.Addr{h.VTEP, h.Node4, h.Node6} {
			if a.IsValid() {
				out = append(out, hostaccess.Member{Addr: a, Host: h.Label})
			}
		}
		if h.Control.IsValid() {
			out = append(out, hostaccess.Member{Addr: h.Control.Addr(), Port: h.Control.Port(), Host: h.Label})
		}
	}
	for at := range at {
		port, err := strconv.ParseUint(at.port, 10, 16)
		if err != nil {
			continue
		}
		for _, a := range append(addressOf(at.host), named[at.host]...) {
			out = append(out, hostaccess.Member{Addr: a, Port: uint16(port)})
		}
	}
	return out
}

// place is where a netmaster or a store serves.
type place struct{ host, port string }

// places are those of netmasters and of their stores.
func places(masters []record.Service) map[place]struct{} {
	out := map[place]struct{}{}
	for _, m := range masters {
		out[place{m.HostAddr, strconv.Itoa(m.Port)}] = struct{}{}
		for text := range strings.SplitSeq(m.Store, ",") {
			if u, err := url.Parse(text); err == nil && u.Hostname() != "" {
				out[place{u.Hostname(), u.Port()}] = struct{}{}
			}
		}
	}
	return out
}

// addressOf is a host as an address, nothing when it is a name.
func addressOf(host string) []netip.Addr {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}
	}
	return nil
}

// followNames looks names of netmasters and stores up until ctx ends. An address that a name had stays.
func (n *Node) followNames(ctx context.Context, ready func()) error {
	ready()
	tick := time.NewTicker(resolveEvery)
	defer tick.Stop()
	for {
		joined := n.desired.Joined()
		now := resolve(ctx, places(n.desired.Masters()), *n.named.Load(), net.DefaultResolver.LookupNetIP)
		n.named.Store(&now)
		select {
		case <-joined:
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// resolve looks all names up once, and adds what is found to what is known.
func resolve(ctx context.Context, at map[place]struct{}, known map[string][]netip.Addr,
	lookup func(ctx context.Context, network, host string) ([]netip.Addr, error)) map[string][]netip.Addr {
	ctx, cancel := context.WithTimeout(ctx, resolveLimit)
	defer cancel()
	now := maps.Clone(known)
	for at := range at {
		if addressOf(at.host) != nil {
			continue
		}
		found, err := lookup(ctx, "ip", at.host)
		if err != nil {
			continue
		}
		for _, a := range found {
			if !slices.Contains(now[at.host], a) {
				now[at.host] = append(slices.Clone(now[at.host]), a)
			}
		}
	}
	return now
}
