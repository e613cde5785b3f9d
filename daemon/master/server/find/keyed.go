// SPDX-License-Identifier: Apache-2.0

package find

import (
	"bytes"

	"github.com/contiv/contiv/identity"
)

// keyed is a query with parts, such as "shop:front:web" or "front:web": the last part begins the name of the endpoint, and those before are its
// network, or the end of it.
type keyed struct {
	last  []byte
	ranks []rank // of the networks
}

// keyed prepares the search for a key; nil: the query has no parts, or no network has the first ones.
func (x *index) keyed(key string) *keyed {
	if key == "" {
		return nil
	}
	head := identity.Parent(key)
	k, best := &keyed{last: []byte(key[len(head)+1:]), ranks: make([]rank, len(x.networks))}, none
	for i, network := range x.networks {
		k.ranks[i] = networkRank(network, head)
		best = min(best, k.ranks[i])
	}
	if best == none {
		return nil
	}
	return k
}

// hit ranks the key of an endpoint.
func (k *keyed) hit(x *index, n int) hit {
	r, start := k.ranks[x.network[n]], x.starts[n]+1
	if r == none || !bytes.HasPrefix(x.text[start:], k.last) {
		return hit{rank: none}
	}
	stop := x.valueEnd(start)
	if r == exact && stop-start != len(k.last) {
		r = prefix
	}
	return hit{rank: r, field: field(x.text[start-1]), value: x.text[start:stop]}
}

// networkRank ranks the begin of a key of an endpoint as its network or the end of that.
func networkRank(network, head string) rank {
	switch {
	case network == head:
		return exact
	case identity.Ends(network, head):
		return word
	}
	return none
}
