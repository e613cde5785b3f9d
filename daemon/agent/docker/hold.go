// SPDX-License-Identifier: Apache-2.0

package docker

import (
	"net/netip"
	"sync"
	"time"

	"github.com/contiv/contiv/identity"
)

// releaseGrace is the maximum time between the deletion of an endpoint and the release of its address: at once, or when the engine finds
// its driver again, whose answer it has not received. It repeats a request for half a minute.
const releaseGrace = time.Minute

// place is an address of a tenant, whose networks share none.
type place struct {
	tenant  string
	address netip.Addr
}

// holds records which addresses are held for future endpoints, and by which tokens. An engine releases the address of every endpoint that
// it deletes, and of every one that it could not create, and sends only the address. The former was deleted with its endpoint, and may by
// then be held for the next one; only the latter is released. Entries lost with the agent end by themselves soon.
type holds struct {
	now   func() time.Time
	since time.Time

	mu     sync.Mutex
	tokens map[place]held
	gone   map[place][]time.Time // when endpoints were deleted whose address is yet to be released
	blind  map[string]time.Time  // tenants with deleted endpoints whose address was unknown
}

type held struct {
	pool, token string
	at          time.Time
}

func newHolds(now func() time.Time) *holds {
	return &holds{now: now, since: now(), tokens: map[place]held{}, gone: map[place][]time.Time{}, blind: map[string]time.Time{}}
}

// placeOf parses "address" or "address/length".
func placeOf(tenant, text string) place {
	if p, err := netip.ParsePrefix(text); err == nil {
		return place{tenant, p.Addr()}
	}
	a, _ := netip.ParseAddr(text)
	return place{tenant, a}
}

// asked records that an address is held.
func (h *holds) asked(pool identity.Pool, address, token string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.expire()
	h.tokens[placeOf(pool.Network.Tenant, address)] = held{pool.String(), token, h.now()}
}

// tokensOf returns those of an endpoint's addresses. If they should be known and are not, they have expired, and the addresses may be held
// for another endpoint by now: then no token is valid.
func (h *holds) tokensOf(tenant string, addresses ...string) (out []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.expire()
	for _, a := range addresses {
		if one, ok := h.tokens[placeOf(tenant, a)]; ok {
			out = append(out, one.token)
		}
	}
	if len(out) == 0 && h.now().Sub(h.since) >= releaseGrace {
		out = []string{over}
	}
	return out
}

// over is no token.
const over = "-"

// taken records that the endpoint exists, or cannot, and returns how its address was held.
func (h *holds) taken(tenant, address string) (held, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	p := placeOf(tenant, address)
	one, ok := h.tokens[p]
	delete(h.tokens, p)
	return one, ok
}

// deleted records that an endpoint with these addresses is deleted, whose release will follow; no address: they are unknown.
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

// released returns the token by which an address is to be released, "" if it is not known to be held. ended reports whether the release is
// about an endpoint that had it.
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
	if _, all := h.blind[""]; blind || all || h.now().Sub(h.since) < releaseGrace {
		return "", false
	}
	token = h.tokens[p].token
	delete(h.tokens, p)
	return token, false
}

// expire deletes obsolete entries. The caller holds h.mu.
func (h *holds) expire() {
	now := h.now()
	for p, one := range h.tokens {
		if now.Sub(one.at) > holdSeconds*time.Second {
			delete(h.tokens, p)
		}
	}
	for p, list := range h.gone {
		if now.Sub(list[len(list)-1]) > releaseGrace {
			delete(h.gone, p)
		}
	}
	for tenant, at := range h.blind {
		if now.Sub(at) > releaseGrace {
			delete(h.blind, tenant)
		}
	}
}
