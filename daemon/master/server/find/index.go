// SPDX-License-Identifier: Apache-2.0

package find

import (
	"bytes"
	"net/netip"
	"strings"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/table"
)

// field is a value of an endpoint in the index. The byte stands before the value.
type field byte

const (
	end field = iota // of an endpoint
	name
	drawnName // a random id of a runtime: only its begin is searched, since any short text is somewhere in it
	container
	containerID
	drawnContainer
	alias
	pod // namespace/name
	address
	mac
	label // not in the text: endpoints share labels
	fields
)

// String is the name of the field in an answer.
func (f field) String() string {
	return [...]string{"", "endpointID", "endpointID", "containerName", "containerID", "containerID", "alias", "pod", "ipAddress", "macAddress", fieldLabels}[f]
}

// inside reports whether the middle of a word of the field is searched.
func (f field) inside() bool {
	return f != drawnName && f != drawnContainer && f != address && f != mac
}

// index has the names and addresses of endpoints in one text, in lower case: to search that takes a small part of the time that it takes to
// visit all endpoints in the catalog.
type index struct {
	of      *table.Table[identity.Endpoint, *catalog.Member] // what it was made from
	text    []byte
	starts  []int             // of the endpoints in text
	members []*catalog.Member // by number; nil: deleted or replaced
	network []int             // of the endpoints, a number of networks
	numbers map[*catalog.Member]int
	dead    int // number of nil members

	networks  []string // in lower case
	networkNo map[identity.Network]int
	labels    labels
}

// garbage is the number of deleted endpoints up to which an index is kept however few it has.
const garbage = 1000

// updated returns an index of endpoints: x with the changes since, or a new one.
func (x *index) updated(now *table.Table[identity.Endpoint, *catalog.Member]) *index {
	if x == nil || x.dead > garbage+len(x.numbers) {
		x = &index{numbers: make(map[*catalog.Member]int, now.Len()), networkNo: map[identity.Network]int{}, labels: newLabels()}
		for m := range catalog.InOrder(now) {
			x.add(m)
		}
		x.of = now
		return x
	}
	for c := range table.Changes(x.of, now) {
		if n, known := x.numbers[c.Before]; c.Had && known {
			x.members[n] = nil
			delete(x.numbers, c.Before)
			x.dead++
		}
		if c.Has {
			x.add(c.After)
		}
	}
	x.of = now
	return x
}

// add adds an endpoint.
func (x *index) add(m *catalog.Member) {
	x.numbers[m] = len(x.members)
	x.members, x.starts = append(x.members, m), append(x.starts, len(x.text))
	e := m.Endpoint
	n, known := x.networkNo[e.ID.Network]
	if !known {
		n = len(x.networks)
		x.networkNo[e.ID.Network], x.networks = n, append(x.networks, lower(e.ID.Network.String()))
	}
	x.network = append(x.network, n)
	x.value(kindOfName(e.ID.Endpoint, name, drawnName), e.ID.Endpoint)
	x.value(container, e.CommonName)
	for _, id := range []string{e.ContainerID, e.RuntimeID} {
		if id != e.ID.Endpoint {
			x.value(kindOfName(id, containerID, drawnContainer), id)
		}
	}
	for _, a := range e.Aliases {
		x.value(alias, a)
	}
	if path := e.Pod.ID.Path(); (e.Pod.ID != identity.Pod{}) {
		x.value(pod, path)
	}
	for _, a := range []netip.Addr{e.IP, e.IP6} {
		if a.IsValid() {
			x.text = a.AppendTo(append(x.text, byte(address)))
		}
	}
	if (e.MAC != record.MAC{}) {
		x.value(mac, e.MAC.String())
	}
	x.text = append(x.text, byte(end))
	x.labels.add(e.Labels)
}

// value adds a value of an endpoint, unless it is empty.
func (x *index) value(f field, value string) {
	if value == "" {
		return
	}
	x.text = append(x.text, byte(f))
	for i := range len(value) {
		c := value[i]
		switch {
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		case c < byte(' '):
			c = '?' // smaller bytes are fields
		}
		x.text = append(x.text, c)
	}
}

// kindOfName returns plain, or random for 32 hexadecimal digits or more, optionally with dashes.
func kindOfName(value string, plain, random field) field {
	const least = 32
	if len(value) >= least && strings.Trim(value, "0123456789abcdef-") == "" {
		return random
	}
	return plain
}

// hit is where a query was found in an endpoint.
type hit struct {
	rank
	field
	value []byte     // in lower case
	label *labelText // of which value is none; nil: it is in no label
}

// text is the value.
func (h hit) text() string {
	if h.label != nil {
		return h.label.text
	}
	return string(h.value)
}

// match is the match of the endpoint: names come before labels.
func (h hit) match() match {
	if h.label != nil {
		return match{h.rank, labelled, len(h.label.text)}
	}
	return match{h.rank, endpoints, len(h.value)}
}

// search calls found once for each endpoint in which a query is, with the best place: of equal ones, names come before keys, and keys before labels.
func (x *index) search(q *query, found func(m *catalog.Member, h hit)) {
	text := []byte(q.text)
	keyed, labelled := x.keyed(q.key), x.labels.ranked(q)
	every := keyed != nil || labelled != nil // endpoints without the text count
	at := x.next(0, text)
	for n := 0; n < len(x.members); n++ {
		for !every && n < len(x.members) && x.stop(n) <= at {
			n++
		}
		if n == len(x.members) {
			return
		}
		best, stop := hit{rank: none}, x.stop(n)
		if at < stop {
			if x.members[n] != nil {
				best = x.bestIn(at, stop, text)
			}
			at = x.next(stop, text)
		}
		if x.members[n] == nil {
			continue
		}
		if keyed != nil {
			best = best.or(keyed.hit(x, n))
		}
		if labelled != nil {
			best = labelled.or(best, n)
		}
		if best.rank < none {
			found(x.members[n], best)
		}
	}
}

// or returns the better of two hits, the first of equal ones.
func (h hit) or(other hit) hit {
	if other.rank < h.rank {
		return other
	}
	return h
}

// stop is the end of an endpoint in the text.
func (x *index) stop(n int) int {
	if n+1 < len(x.starts) {
		return x.starts[n+1]
	}
	return len(x.text)
}

// next is the first place of a text at or behind one, or the end of all texts.
func (x *index) next(at int, text []byte) int {
	if i := bytes.Index(x.text[at:], text); i >= 0 {
		return at + i
	}
	return len(x.text)
}

// bestIn returns the best of the places of a text before stop, of which the first is at.
func (x *index) bestIn(at, stop int, text []byte) hit {
	best := hit{rank: none}
	for {
		h, valueEnd := x.judge(at, text)
		best = best.or(h)
		at++
		if h.field == drawnName || h.field == drawnContainer || h.rank <= word { // nothing better in this value
			at = valueEnd
		}
		next := bytes.Index(x.text[at:stop], text)
		if next < 0 || best.rank == exact {
			return best
		}
		at += next
	}
}

// valueEnd returns the end of the value in which a place is.
func (x *index) valueEnd(at int) int {
	for x.text[at] >= byte(fields) {
		at++
	}
	return at
}

// judge ranks the place of a text, and returns the end of the value in which it is.
func (x *index) judge(at int, text []byte) (h hit, stop int) {
	start := at
	for x.text[start-1] >= byte(fields) {
		start--
	}
	stop = x.valueEnd(at + len(text))
	h.field, h.value = field(x.text[start-1]), x.text[start:stop]
	first := start // where the name starts
	if h.field == pod && !bytes.ContainsRune(text, '/') {
		first += 1 + bytes.IndexByte(h.value, '/')
	}
	switch {
	case at < first:
		h.rank = none // a namespace is an object of its own
	case at == first && at+len(text) == stop:
		h.rank = exact
	case at == first:
		h.rank = prefix
	case h.inside() && !startsWord(x.text[at-1], text[0]):
		h.rank = part
	case startsWord(x.text[at-1], text[0]):
		h.rank = word
	default:
		h.rank = none
	}
	return h, stop
}
