// SPDX-License-Identifier: Apache-2.0

package classify

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/netpolicy"
	"github.com/contiv/contiv/ofnet"
)

// question is a question of policies about pods: whether a selector selects a pod, or the number of a named port. Policies share questions.
type question struct {
	text string // two questions of one text are one
	id   uint64 // in the order in which they were asked
	hash uint64 // of the text
	// subjects means only pods of this host: the subjects of a policy, or a named port of them.
	subjects   bool
	isolates   ofnet.Direction // the consequence of being selected, in addition to the rules
	own        string          // the namespace of the pods; "" if namespaces decides
	namespaces netpolicy.Selector
	pods       netpolicy.Selector
	port       string // a name; "": the question is not about a port
	protocol   uint8

	users   map[*policy]struct{}
	selects int               // pods that are selected
	classes map[*class]uint16 // with an answer
}

// selecting returns the question whether pods are selected.
func selecting(subjects bool, isolates ofnet.Direction, own string, namespaces, pods netpolicy.Selector) *question {
	q := &question{subjects: subjects, isolates: isolates, own: own, namespaces: namespaces, pods: pods}
	q.text = fmt.Sprintf("%t %d %q %q %q", subjects, isolates, own, namespaces, pods)
	return q
}

// naming returns the question for the number of a pod's named port of a protocol.
func naming(subjects bool, protocol uint8, port string) *question {
	q := &question{subjects: subjects, port: port, protocol: protocol}
	q.text = fmt.Sprintf("%t %d port %q", subjects, protocol, port)
	return q
}

// answer is 0 for no; 1 for yes, or a port.
func (q *question) answer(p *pod, namespace map[string]string) uint16 {
	switch {
	case q.subjects && !p.Here:
		return 0
	case q.port != "":
		for _, n := range p.Ports {
			if n.Name == q.port && n.Protocol == q.protocol {
				return n.Port
			}
		}
		return 0
	case q.own != "" && q.own != p.Namespace, q.own == "" && !q.namespaces.Selects(namespace), !q.pods.Selects(p.Labels):
		return 0
	}
	return 1
}

// place is the index key by which the pods that a question may apply to find it: those of a namespace, or any, with a label, or any, or
// with a port's name.
type place struct{ namespace, key, value, port string }

// places are the index keys of a question. A pod looks up those of its own labels.
func (q *question) places() (out []place) {
	if q.port != "" {
		return []place{{port: q.port}}
	}
	for _, r := range q.pods {
		if r.Operator == netpolicy.In {
			for _, v := range r.Values {
				out = append(out, place{namespace: q.own, key: r.Key, value: v})
			}
			return out
		}
	}
	return []place{{namespace: q.own}}
}

// places are the index keys of questions that may apply to a pod.
func (p *pod) places(yield func(place) bool) {
	for _, namespace := range []string{"", p.Namespace} {
		if !yield(place{namespace: namespace}) {
			return
		}
		for k, v := range p.Labels {
			if !yield(place{namespace: namespace, key: k, value: v}) {
				return
			}
		}
	}
	for i, n := range p.Ports {
		if !slices.ContainsFunc(p.Ports[:i], func(o record.NamedPort) bool { return o.Name == n.Name }) && !yield(place{port: n.Name}) {
			return
		}
	}
}

// ask adds a policy to the users of a question, and evaluates a new question for all pods.
func (c *Classes) ask(q *question, by *policy) *question {
	if known := c.questions[q.text]; known != nil {
		known.users[by] = struct{}{}
		return known
	}
	c.asked++
	q.id, q.hash, q.users, q.classes = c.asked, hash(q.text), map[*policy]struct{}{by: {}}, map[*class]uint16{}
	c.questions[q.text] = q
	for _, at := range q.places() {
		c.index[at] = append(c.index[at], q)
	}
	for p := range c.mayAnswer(q) {
		if a := q.answer(p, c.namespaces[p.Namespace]); a != 0 {
			c.assign(p, append(slices.Clone(p.answers), answer{q, a}))
		}
	}
	return q
}

// withdraw removes a policy from the users of a question. Unused questions are deleted.
func (c *Classes) withdraw(q *question, by *policy) {
	delete(q.users, by)
	if len(q.users) > 0 || c.questions[q.text] != q {
		return
	}
	delete(c.questions, q.text)
	for _, at := range q.places() {
		c.index[at] = slices.DeleteFunc(c.index[at], func(o *question) bool { return o == q })
		if len(c.index[at]) == 0 {
			delete(c.index, at)
		}
	}
	for p := range c.mayAnswer(q) {
		if slices.ContainsFunc(p.answers, func(a answer) bool { return a.question == q }) {
			c.assign(p, slices.DeleteFunc(slices.Clone(p.answers), func(a answer) bool { return a.question == q }))
		}
	}
}

// mayAnswer yields the pods that a question may apply to.
func (c *Classes) mayAnswer(q *question) func(yield func(*pod) bool) {
	return func(yield func(*pod) bool) {
		for name, pods := range c.inside {
			if q.own != "" && q.own != name || q.own == "" && q.port == "" && !q.namespaces.Selects(c.namespaces[name]) {
				continue
			}
			for _, p := range pods {
				if (p.Here || !q.subjects) && !yield(p) {
					return
				}
			}
		}
	}
}

// hash is a hash of the content, the same after a restart.
func hash(of ...string) uint64 {
	h := sha256.New()
	for _, text := range of {
		h.Write([]byte(strconv.Itoa(len(text)) + ":" + text))
	}
	return binary.BigEndian.Uint64(h.Sum(nil))
}
