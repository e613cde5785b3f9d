// SPDX-License-Identifier: Apache-2.0

package classify

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/contiv/contiv/ofnet"
)

// pod is a Pod with its answers.
type pod struct {
	Pod
	answers []answer // in the order of the questions
	class   *class   // nil without answers
}

// answer is a pod's answer to a question, other than no.
type answer struct {
	*question
	value uint16
}

// class is all pods with the same answers.
type class struct {
	key      string
	answers  []answer
	pods     map[*pod]struct{}
	sum      uint64 // of the questions' hashes and the answers: the same after a restart
	number   uint32
	salt     uint32 // how many numbers it had to leave to others
	isolated ofnet.Direction
}

// answersOf evaluates all questions that may apply to a pod.
func (c *Classes) answersOf(p *pod) (out []answer) {
	labels := c.namespaces[p.Namespace]
	for at := range p.places {
		for _, q := range c.index[at] {
			if a := q.answer(p, labels); a != 0 {
				out = append(out, answer{q, a})
			}
		}
	}
	slices.SortFunc(out, func(a, b answer) int { return cmp.Compare(a.id, b.id) })
	return out
}

// signature is the key of ordered answers.
func signature(answers []answer) string {
	b := make([]byte, 0, 10*len(answers))
	for _, a := range answers {
		b = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint64(b, a.id), a.value)
	}
	return string(b)
}

// assign puts a pod into the class of its answers, and reports whether its class has changed.
func (c *Classes) assign(p *pod, answers []answer) bool {
	key := signature(answers)
	old := p.class
	if old == nil && key == "" || old != nil && old.key == key {
		return false
	}
	was := p.answers
	p.answers, p.class = answers, nil
	if key != "" {
		now := c.classes[key]
		if now == nil {
			now = c.appear(key, answers)
		}
		p.class = now
		now.pods[p] = struct{}{}
	}
	if old != nil {
		delete(old.pods, p)
		if len(old.pods) == 0 {
			c.vanish(old)
		}
	}
	c.changes.Pods[p.ID] = struct{}{}
	c.count(p, was, -1)
	c.count(p, answers, 1)
	return true
}

// appear adds a class.
func (c *Classes) appear(key string, answers []answer) *class {
	x := &class{key: key, answers: answers, pods: map[*pod]struct{}{}}
	for _, a := range answers {
		x.sum += mix(a.hash + uint64(a.value))
		x.isolated |= a.isolates
		a.classes[x] = a.value
	}
	c.classes[key] = x
	c.renumbered(c.numbers.add(x))
	c.touch(x)
	return x
}

func (c *Classes) vanish(x *class) {
	delete(c.classes, x.key)
	for _, a := range x.answers {
		delete(a.classes, x)
	}
	c.renumbered(c.numbers.remove(x))
	c.touch(x)
}

// renumbered records that classes have other numbers.
func (c *Classes) renumbered(list []*class) {
	for _, x := range list {
		for p := range x.pods {
			c.changes.Pods[p.ID] = struct{}{}
		}
		c.touch(x)
	}
}

// touch records that the rules of all policies that name a class may have changed.
func (c *Classes) touch(x *class) {
	for _, a := range x.answers {
		for p := range a.users {
			c.changes.Policies[p.name] = struct{}{}
		}
	}
}

// mix spreads a number over 64 bits (the finalizer of splitmix64).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// numbering gives classes numbers from 1 that derive from their content, whatever the order in which they came: if two prefer one number,
// the one with the lesser sum has it, and the other takes its next preference.
type numbering struct {
	max   uint32
	taken map[uint32]*class
	moved map[*class]struct{} // without their preferred number
}

func newNumbering(most uint32) numbering {
	return numbering{max: most, taken: map[uint32]*class{}, moved: map[*class]struct{}{}}
}

// liked is the number that a class prefers, after as many others as its salt says.
func (n *numbering) liked(x *class) uint32 {
	return 1 + uint32(mix(x.sum+bits.RotateLeft64(uint64(x.salt), 32))%uint64(n.max))
}

// add gives a class a number, and lists others that had to take another one for it.
func (n *numbering) add(x *class) (others []*class) {
	x.salt = 0
	for first := x; x != nil; {
		at := n.liked(x)
		holder := n.taken[at]
		if holder != nil && (holder.sum < x.sum || holder.sum == x.sum && holder.key < x.key) {
			x.salt++
			continue
		}
		x.number, n.taken[at] = at, x
		delete(n.moved, x)
		if x.salt > 0 {
			n.moved[x] = struct{}{}
		}
		if x != first {
			others = append(others, x)
		}
		if x = holder; x != nil {
			x.salt++
		}
	}
	return others
}

// remove removes a class's number, and lists those that have another one since.
func (n *numbering) remove(x *class) (others []*class) {
	delete(n.taken, x.number)
	delete(n.moved, x)
	was := map[*class]uint32{}
	for m := range n.moved {
		was[m] = m.number
		delete(n.taken, m.number)
	}
	clear(n.moved)
	for m := range was {
		for _, o := range n.add(m) {
			if _, known := was[o]; !known {
				was[o] = 0
			}
		}
	}
	for m, number := range was {
		if m.number != number {
			others = append(others, m)
		}
	}
	return others
}
