package node

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/contiv/contiv/daemon/agent/hostaccess"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// portBGP is where a router listens (RFC 4271 section 8.2.1).
const portBGP = 179

// How often names of the store's machines are looked up, and for how long that may take.
const (
	resolveEvery = time.Minute
	resolveLimit = 10 * time.Second
)

// closed says what is closed to containers.
func (n *Node) closed() hostaccess.Closed {
	c := hostaccess.Closed{Open: n.HostPorts, Prefixes: n.Protected, Doors: []link.Door{{Name: outsideName, Port: portBGP}},
		Members: n.cluster, Changed: n.members.Changed, Addresses: func() []netip.Addr { return *n.stores.Load() }}
	c.Shut = append(slices.Clone(n.Shut), link.Ports{Protocol: unix.IPPROTO_UDP, First: uint16(n.VXLANPort), Last: uint16(n.VXLANPort)})
	for _, text := range n.StoreURLs {
		if u, err := url.Parse(text); err == nil {
			if p, err := strconv.ParseUint(u.Port(), 10, 16); err == nil {
				c.Shut = append(c.Shut, link.Ports{Protocol: unix.IPPROTO_TCP, First: uint16(p), Last: uint16(p)})
			}
		}
	}
	if !n.DNS.Off {
		c.Names = pipeline.NamesPort
	}
	return c
}

// cluster lists everyone who is registered.
func (n *Node) cluster() (out []record.Service) {
	for _, name := range []string{record.ServiceMaster, record.ServiceAgent, record.ServiceAgentVTEP} {
		out = append(out, n.members.List(name)...)
	}
	return out
}

// followStores keeps the addresses of the store's machines until ctx ends: those of its URLs, looked up when they are names.
func (n *Node) followStores(ctx context.Context, ready func()) error {
	ready()
	tick := time.NewTicker(resolveEvery)
	defer tick.Stop()
	seen := map[netip.Addr]bool{}
	for {
		limited, cancel := context.WithTimeout(ctx, resolveLimit)
		for _, a := range addressesOf(limited, n.StoreURLs, net.DefaultResolver.LookupNetIP) {
			seen[a] = true
		}
		cancel()
		var all []netip.Addr
		for a := range seen {
			all = append(all, a)
		}
		n.stores.Store(&all)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// addressesOf are the addresses of the machines in URLs; what cannot be looked up now is left out, and so are all names with a
// lookup of nil.
func addressesOf(ctx context.Context, urls []string, lookup func(ctx context.Context, network, host string) ([]netip.Addr, error)) (out []netip.Addr) {
	for _, text := range urls {
		u, err := url.Parse(text)
		if err != nil {
			continue // the store's client has said so
		}
		if a, err := netip.ParseAddr(u.Hostname()); err == nil {
			out = append(out, a)
		} else if lookup == nil {
			continue
		} else if found, err := lookup(ctx, "ip", u.Hostname()); err == nil {
			out = append(out, found...)
		}
	}
	return out
}
