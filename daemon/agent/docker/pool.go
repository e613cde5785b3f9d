// SPDX-License-Identifier: Apache-2.0

package docker

import (
	"slices"
	"sync"
	"time"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// poolMemory is the maximum time between the request for a network's pool and the creation of the network.
const poolMemory = time.Minute

// pools records which pools an engine has requested a moment ago. The request that creates the network names the subnet, but not the pool.
// Users who create networks also name it in the driver's options, or create one at a time, and nothing else is lost with these records.
type pools struct {
	now func() time.Time

	mu   sync.Mutex
	seen map[identity.Pool]time.Time
}

func newPools(now func() time.Time) *pools {
	return &pools{now: now, seen: map[identity.Pool]time.Time{}}
}

// add records a pool.
func (p *pools) add(text string) {
	pool, err := identity.ParsePool(text)
	if err != nil {
		return
	}
	now := p.now()
	p.mu.Lock()
	defer p.mu.Unlock()
	for old, at := range p.seen {
		if now.Sub(at) > poolMemory {
			delete(p.seen, old)
		}
	}
	p.seen[pool] = now
}

// requested returns the requested pools of a subnet, ordered.
func (p *pools) requested(subnet string) (out []string) {
	now := p.now()
	p.mu.Lock()
	defer p.mu.Unlock()
	for pool, at := range p.seen {
		if pool.Subnet.String() == subnet && now.Sub(at) <= poolMemory {
			out = append(out, pool.String())
		}
	}
	slices.Sort(out)
	return out
}

// made deletes the pools of a network that was created.
func (p *pools) made(d record.DockerNetwork) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, subnet := range d.Pools {
		delete(p.seen, identity.Pool{Network: d.Network, Group: d.Group, Subnet: subnet})
		delete(p.seen, identity.Pool{Network: identity.Network{Tenant: d.Network.Tenant}, Subnet: subnet}) // its name was unknown
	}
}
