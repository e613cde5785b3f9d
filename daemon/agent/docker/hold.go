package docker

import (
	"net/netip"
	"sync"
	"time"

	"github.com/contiv/contiv/identity"
)

// settling is how long the release of an address may come after the deletion of the endpoint that had it: at once, or when the engine finds its
// driver again, whose answer it has not heard. It repeats a request for half a minute.
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
	gone   map[place][]time.Time // when endpoints with an address were deleted whose release is to come
	blind  map[string]time.Time  // tenants with deleted endpoints of which no address was known
}

type held struct {
	pool, token string
	at          time.Time
}

func newHolds(now func() time.Time) *holds {
	return &holds{now: now, since: now(), tokens: map[place]held{}, gone: map[place][]time.Time{}, blind: map[string]time.Time{}}
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

// tokensOf are those of an endpoint's addresses. When they should be known and are not, their time is over, and the addresses may be held for
// another endpoint by now: then the answer fits none.
func (h *holds) tokensOf(tenant string, addresses ...string) (out []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.expire()
	for _, a := range addresses {
		if one, ok := h.tokens[placeOf(tenant, a)]; ok {
			out = append(out, one.token)
		}
	}
	if len(out) == 0 && h.now().Sub(h.since) >= settling {
		out = []string{over}
	}
	return out
}

// over is no token.
const over = "-"

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
		p := place{tenant, a}
		h.gone[p] = append(h.gone[p], h.now())
	}
	if len(addresses) == 0 {
		h.blind[tenant] = h.now()
	}
}

// released tells by which token an address is to be given back, "" when it is not known to be held. ended says that the release is about an
// endpoint that had it.
func (h *holds) released(tenant, address string) (token string, ended bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.expire()
	p := placeOf(tenant, address)
	if left := h.gone[p]; len(left) > 0 {
		if h.gone[p] = left[1:]; len(left) == 1 {
			delete(h.gone, p)
		}
		return "", true
	}
	_, blind := h.blind[tenant]
	if _, all := h.blind[""]; blind || all || h.now().Sub(h.since) < settling {
		return "", false
	}
	token = h.tokens[p].token
	delete(h.tokens, p)
	return token, false
}

// expire forgets what has become of no use. h.mu is held.
func (h *holds) expire() {
	now := h.now()
	for p, one := range h.tokens {
		if now.Sub(one.at) > holdSeconds*time.Second {
			delete(h.tokens, p)
		}
	}
	for p, list := range h.gone {
		if now.Sub(list[len(list)-1]) > settling {
			delete(h.gone, p)
		}
	}
	for tenant, at := range h.blind {
		if now.Sub(at) > settling {
			delete(h.blind, tenant)
		}
	}
}
