// SPDX-License-Identifier: Apache-2.0

package bridge

import "hash/maphash"

// places finds entries by their keys. It is a hash table whose chains link the entries themselves: for hundreds of thousands of entries a
// map would double their memory.
type places[K, V comparable] struct {
	seed   maphash.Seed
	chains []*entry[K, V] // a power of two
	n      int
}

// fewChains is the initial number of chains.
const fewChains = 16

func newPlaces[K, V comparable]() places[K, V] {
	return places[K, V]{seed: maphash.MakeSeed(), chains: make([]*entry[K, V], fewChains)}
}

// hash selects the chain of a key.
func (p *places[K, V]) hash(k K) uint32 { return uint32(maphash.Comparable(p.seed, k)) }

// chain returns the start of the chain of a hash.
func (p *places[K, V]) chain(hash uint32) **entry[K, V] {
	return &p.chains[int(hash)&(len(p.chains)-1)]
}

// find returns the entry of a key, or nil.
func (p *places[K, V]) find(k K) *entry[K, V] { return p.in(p.hash(k), k) }

func (p *places[K, V]) in(hash uint32, k K) *entry[K, V] {
	c := *p.chain(hash)
	for c != nil && (c.hash != hash || c.key != k) {
		c = c.next
	}
	return c
}

// add adds an entry whose hash is set. Its key must not be in the table.
func (p *places[K, V]) add(c *entry[K, V]) {
	if p.n >= len(p.chains) {
		p.grow()
	}
	at := p.chain(c.hash)
	c.next, *at = *at, c
	p.n++
}

func (p *places[K, V]) grow() {
	old := p.chains
	p.chains = make([]*entry[K, V], 2*len(old))
	for _, c := range old {
		for c != nil {
			next, at := c.next, p.chain(c.hash)
			c.next, *at = *at, c
			c = next
		}
	}
}

// remove removes an entry if the table has it.
func (p *places[K, V]) remove(c *entry[K, V]) {
	at := p.chain(c.hash)
	for *at != nil && *at != c {
		at = &(*at).next
	}
	if *at == c {
		*at, c.next = c.next, nil
		p.n--
	}
}

// all yields all entries. The caller may remove the current one and must not add any.
func (p *places[K, V]) all(yield func(*entry[K, V]) bool) {
	for _, c := range p.chains {
		for c != nil {
			next := c.next
			if !yield(c) {
				return
			}
			c = next
		}
	}
}
