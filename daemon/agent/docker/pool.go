package docker

import (
	"slices"
	"sync"
	"time"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// poolMemory is how long a network may take to be made, from the request for its pool.
const poolMemory = time.Minute

// pools remembers which pools an engine has asked for a moment ago. The request that makes the network does not say of which pool it is, but
// of which subnet. Who makes networks says it with the driver's options too, or makes one at a time, and nothing is lost with this memory
// but that.
type pools struct {
	now func() time.Time

	mu   sync.Mutex
	seen map[identity.Pool]time.Time
}

func newPools(now func() time.Time) *pools {
	return &pools{now: now, seen: map[identity.Pool]time.Time{}}
}

// note remembers a pool.
func (p *pools) note(text string) {
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

// requested are the pools of a subnet that were asked for, ordered.
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

// made forgets the pools of a network that is made.
func (p *pools) made(d record.DockerNetwork) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, subnet := range d.Pools {
		delete(p.seen, identity.Pool{Network: d.Network, Group: d.Group, Subnet: subnet})
		delete(p.seen, identity.Pool{Network: identity.Network{Tenant: d.Network.Tenant}, Subnet: subnet}) // it had no name yet
	}
}
