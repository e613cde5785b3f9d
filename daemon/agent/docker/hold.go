package docker

import (
	"net/netip"
	"sync"
	"time"

	"github.com/contiv/contiv/identity"
)

// retries is for how long an engine may repeat a request whose answer it has not heard, since its driver has ended meanwhile.
const retries = 35 * time.Second

// settling is how long the release of an address may come after the deletion of the endpoint that had it.
const settling = time.Minute

// place is an address of a tenant, whose networks share none.
type place struct {
	tenant  string
	address netip.Addr
}

// holds remembers which addresses are held for endpoints to come, and by which tokens. An engine releases the address of every endpoint that it
// deletes, and of every one that it could not make, and says nothing but the address. The former has gone with its endpoint, and may by
// then be held for the next one; only the latter is given back. What is forgotten, such as with the agent, ends by itself soon.
type holds struct {
	now   func() time.Time
	since time.Time

	mu     sync.Mutex
	tokens map[place]held
	gone   map[place]time.Time  // of deleted endpoints
	blind  map[string]time.Time // tenants with deleted endpoints of which no address was known
}

type held struct {
	pool, token string
	at          time.Time
}

func newHolds(now func() time.Time) *holds {
	return &holds{now: now, since: now(), tokens: map[place]held{}, gone: map[place]time.Time{}, blind: map[string]time.Time{}}
}

// placeOf reads "address" or "address/length".
func placeOf(tenant, text string) place {
	if p, err := netip.ParsePrefix(text); err == nil {
		return place{tenant, p.Addr()}
	}
	a, _ := netip.ParseAddr(text)
	return place{tenant, a}
}

// asked notes that an address is held.
func (h *holds) asked(pool identity.Pool, address, token string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.expire()
	h.tokens[placeOf(pool.Network.Tenant, address)] = held{pool.String(), token, h.now()}
}

// taken notes that the endpoint has come, or cannot come, and returns how its address was held.
func (h *holds) taken(tenant, address string) (held, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	p := placeOf(tenant, address)
	one, ok := h.tokens[p]
	delete(h.tokens, p)
	return one, ok
}

// deleted notes that an endpoint with these addresses is deleted, whose release will come; no address: they are not known.
func (h *holds) deleted(tenant string, addresses ...netip.Addr) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.expire()
	for _, a := range addresses {
		h.gone[place{tenant, a}] = h.now()
	}
	if len(addresses) == 0 {
		h.blind[tenant] = h.now()
	}
}

// released tells by which token an address is to be given back, "" when it is not.
func (h *holds) released(tenant, address string) (token string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.expire()
	p := placeOf(tenant, address)
	if _, ok := h.gone[p]; ok {
		delete(h.gone, p)
		return ""
	}
	_, blind := h.blind[tenant]
	if _, all := h.blind[""]; blind || all || h.now().Sub(h.since) < retries {
		return ""
	}
	token = h.tokens[p].token
	delete(h.tokens, p)
	return token
}

// expire forgets what has become of no use. h.mu is held.
func (h *holds) expire() {
	now := h.now()
	for p, one := range h.tokens {
		if now.Sub(one.at) > holdSeconds*time.Second {
			delete(h.tokens, p)
		}
	}
	for p, at := range h.gone {
		if now.Sub(at) > settling {
			delete(h.gone, p)
		}
	}
	for tenant, at := range h.blind {
		if now.Sub(at) > settling {
			delete(h.blind, tenant)
		}
	}
}
