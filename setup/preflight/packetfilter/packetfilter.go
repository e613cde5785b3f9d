// SPDX-License-Identifier: Apache-2.0

// Package packetfilter computes which rule of a host's packet filter drops a packet. It reads the rules of nftables and of iptables as
// their programs print them.
package packetfilter

import (
	"net/netip"
	"slices"
	"strconv"
)

// Packet is the first packet of a connection.
type Packet struct {
	Protocol  string // "udp" or "tcp"
	Port      int    // destination
	Interface string // of this host
	Local     netip.Addr
	Remote    netip.Addr // the zero Addr: unknown
	Outgoing  bool
}

// Obstacle is a rule that drops a packet, or the policy of a chain.
type Obstacle struct {
	Rule    string // as its program prints it
	Chain   string // family, table and chain of nftables; table and chain of iptables
	Remedy  string // a command that accepts the packet before the rule
	Certain bool   // false: conditions of the rules depend on more than the packet
}

// answer is the outcome of a condition.
type answer int

const (
	no answer = iota
	maybe
	yes
)

// whether returns yes or no.
func whether(is bool) answer {
	if is {
		return yes
	}
	return no
}

// not returns the opposite.
func not(a answer) answer { return yes - a }

// kind is what a rule does with a packet that it matches.
type kind int

const (
	next kind = iota
	accept
	drop
	jump
	jumpFinal // goto: the calling chain does not continue
	back
)

// rule is a rule of a chain.
type rule struct {
	text    string
	matches []func(p *Packet) answer
	verdict kind
	target  string // of jumps
}

// applies reports whether the rule matches the packet.
func (r *rule) applies(p *Packet) answer {
	out := yes
	for _, m := range r.matches {
		out = min(out, m(p))
	}
	return out
}

// chain is a list of rules. A base chain has a hook.
type chain struct {
	name     string
	hook     string
	priority int
	device   string // of the hook ingress
	policy   kind
	rules    []rule
}

// table has the chains between which rules may jump.
type table struct {
	id     string // family and name, or the name
	chains map[string]*chain
	// insert returns the command that inserts a rule that accepts the packet at the start of a chain.
	insert func(chain string, p *Packet) string
}

// Limits of a walk. The kernel refuses deeper jumps, and loops.
const (
	maxDepth = 16
	maxRules = 100_000 // rules that a walk reads
)

// walk is the way of one packet through a base chain.
type walk struct {
	table *table
	p     *Packet
	found []Obstacle
	rules int // read so far
}

// hooks returns the hooks that a packet passes.
func (p *Packet) hooks() []string {
	if p.Outgoing {
		return []string{"output", "postrouting"}
	}
	return []string{"ingress", "prerouting", "input"}
}

// pass returns what drops a packet in the tables: certain obstacles before others, at most one of each chain.
func pass(tables []*table, p *Packet) (out []Obstacle) {
	for _, t := range tables {
		for _, c := range t.base(p) {
			w := walk{table: t, p: p}
			verdict, certain := w.through(c, yes, 0)
			if verdict == next && c.policy == drop {
				w.add(c, "policy drop", certain)
			}
			if at := slices.IndexFunc(w.found, func(o Obstacle) bool { return o.Certain }); at >= 0 {
				w.found = w.found[at:]
			}
			if len(w.found) > 0 {
				out = append(out, w.found[0])
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Obstacle) int {
		return int(whether(b.Certain)) - int(whether(a.Certain))
	})
	return out
}

// base returns the base chains of a table that the packet passes, in their order.
func (t *table) base(p *Packet) (out []*chain) {
	for _, hook := range p.hooks() {
		var here []*chain
		for _, c := range t.chains {
			if c.hook == hook && (c.device == "" || c.device == p.Interface) {
				here = append(here, c)
			}
		}
		slices.SortFunc(here, func(a, b *chain) int { return a.priority - b.priority })
		out = append(out, here...)
	}
	return out
}

// add records an obstacle.
func (w *walk) add(c *chain, text string, certain answer) {
	w.found = append(w.found, Obstacle{Rule: text, Chain: w.table.id + " " + c.name, Remedy: w.table.insert(c.name, w.p), Certain: certain == yes})
}

// through sends the packet through a chain. reached is how certainly the packet reaches it. The verdict is next if the chain decides
// nothing; certain is how certainly the packet leaves the chain then.
func (w *walk) through(c *chain, reached answer, depth int) (verdict kind, certain answer) {
	for i := range c.rules {
		r := &c.rules[i]
		w.rules++
		a := r.applies(w.p)
		if a == no || w.rules > maxRules {
			continue
		}
		switch r.verdict {
		case accept, back:
			if a == yes {
				return map[kind]kind{accept: accept, back: next}[r.verdict], reached
			}
			reached = maybe
		case drop:
			w.add(c, r.text, min(a, reached))
			if a == yes {
				return drop, reached
			}
		case jump, jumpFinal:
			to := w.table.chains[r.target]
			if to == nil || depth == maxDepth {
				reached = maybe
				continue
			}
			verdict, after := w.through(to, min(a, reached), depth+1)
			if a == yes && (verdict != next || r.verdict == jumpFinal) {
				return verdict, after
			}
			if verdict == accept || after == maybe || r.verdict == jumpFinal {
				reached = maybe
			}
		}
	}
	return next, reached
}

// port returns the text of the packet's port.
func (p *Packet) port() string { return strconv.Itoa(p.Port) }
