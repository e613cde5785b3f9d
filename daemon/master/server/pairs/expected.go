// SPDX-License-Identifier: Apache-2.0

package pairs

import (
	"maps"
	"net"
	"net/url"
	"slices"
	"sync"

	"github.com/contiv/contiv/daemon/master/server/peer"
)

// Expected returns the internal addresses of the other netmasters. A netmaster is expected as long as it is a member of the embedded store,
// even if its registration has expired.
type Expected struct {
	Own        string
	Registered func() []string          // internal addresses of those that are registered
	Members    func() map[string]string // peer URLs of the members of the embedded store, by name; nil: the store is none of netmasters

	mu    sync.Mutex
	known map[string]string // last registered address, by host
}

// List returns the addresses, sorted. It does not block.
func (e *Expected) List() []string {
	all := map[string]string{} // by host
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.known == nil {
		e.known = map[string]string{}
	}
	for _, address := range e.Registered() {
		all[peer.Host(address)], e.known[peer.Host(address)] = address, address
	}
	_, port, _ := net.SplitHostPort(e.Own)
	if e.Members != nil {
		for _, member := range e.Members() {
			u, err := url.Parse(member)
			if err != nil || u.Hostname() == "" {
				continue
			}
			host := u.Hostname()
			if _, registered := all[host]; registered {
				continue
			}
			if all[host] = e.known[host]; all[host] == "" {
				all[host] = net.JoinHostPort(host, port) // most have the same
			}
		}
	}
	delete(all, peer.Host(e.Own))
	return slices.Sorted(maps.Values(all))
}
