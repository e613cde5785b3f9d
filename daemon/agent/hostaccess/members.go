// SPDX-License-Identifier: Apache-2.0

package hostaccess

import (
	"context"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/contiv/contiv/daemon/record"
)

// How often names of machines are looked up, and for how long that may take.
const (
	resolveInterval = time.Minute
	resolveTimeout  = 10 * time.Second
)

// Records is the part of *desired.Engine that Names needs.
type Records interface {
	Machines() []*record.Host
	Masters() []record.Service
	Joined() <-chan struct{}
}

// Names looks up the names of netmasters and of their stores. It is safe for concurrent use.
type Names struct {
	records Records
	known   atomic.Pointer[map[string][]netip.Addr] // never nil
}

// NewNames returns Names, which knows no name yet.
func NewNames(r Records) *Names {
	n := &Names{records: r}
	n.known.Store(&map[string][]netip.Addr{})
	return n
}

// Members lists all parts of the cluster: hosts, netmasters, and the store's machines, as netmasters name them.
func (n *Names) Members() []Member {
	return members(n.records.Machines(), places(n.records.Masters()), *n.known.Load())
}

// members returns machines that are hosts, and those that serve at places, with the addresses of names.
func members(machines []*record.Host, at map[place]struct{}, named map[string][]netip.Addr) (out []Member) {
	for _, h := range machines {
		for _, a := range []netip.Addr{h.VTEP, h.Node4, h.Node6} {
			if a.IsValid() {
				out = append(out, Member{Addr: a, Host: h.Label})
			}
		}
		if h.Control.IsValid() {
			out = append(out, Member{Addr: h.Control.Addr(), Port: h.Control.Port(), Host: h.Label})
		}
	}
	for at := range at {
		port, err := strconv.ParseUint(at.port, 10, 16)
		if err != nil {
			continue
		}
		for _, a := range append(addressOf(at.host), named[at.host]...) {
			out = append(out, Member{Addr: a, Port: uint16(port)})
		}
	}
	return out
}

// place is the location of a netmaster or a store.
type place struct{ host, port string }

// places returns those of netmasters and of their stores.
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

// addressOf returns a host as an address, or nothing if it is a name.
func addressOf(host string) []netip.Addr {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}
	}
	return nil
}

// Run looks the names up, and again when netmasters change, until ctx ends. An address that a name had before stays.
func (n *Names) Run(ctx context.Context) error {
	tick := time.NewTicker(resolveInterval)
	defer tick.Stop()
	for {
		joined := n.records.Joined()
		now := resolve(ctx, places(n.records.Masters()), *n.known.Load(), net.DefaultResolver.LookupNetIP)
		n.known.Store(&now)
		select {
		case <-joined:
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// resolve looks all names up once, and adds the results.
func resolve(ctx context.Context, at map[place]struct{}, known map[string][]netip.Addr,
	lookup func(ctx context.Context, network, host string) ([]netip.Addr, error)) map[string][]netip.Addr {
	ctx, cancel := context.WithTimeout(ctx, resolveTimeout)
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
