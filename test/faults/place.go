// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"

	"github.com/contiv/contiv/lab"
)

// place is the hosts of a lab that $A, $B and $C name.
type place struct{ hosts []lab.HostInfo }

// places returns every order of three hosts, beginning with those in which $A is the second.
func places(hosts []lab.HostInfo) (out []place) {
	for _, o := range [][3]int{{1, 2, 0}, {2, 0, 1}, {0, 1, 2}, {1, 0, 2}, {2, 1, 0}, {0, 2, 1}} {
		out = append(out, place{[]lab.HostInfo{hosts[o[0]], hosts[o[1]], hosts[o[2]]}})
	}
	return out
}

// vars are the variables of scripts and patterns: A is the label of a host, A_N its number, A_IP and A_VTEP its addresses.
func (p place) vars() map[string]string {
	out := map[string]string{}
	for i, h := range p.hosts {
		name := string(rune('A' + i))
		out[name], out[name+"_N"] = h.Name, strings.TrimPrefix(h.Name, "h")
		out[name+"_IP"], out[name+"_VTEP"] = h.IP, h.VTEP
	}
	return out
}

// pattern returns the regular expression of a whole finding, for the hosts of a place.
func (p place) pattern(text string) *regexp.Regexp {
	vars := p.vars()
	return regexp.MustCompile(`\A(?:` + os.Expand(text, func(name string) string { return regexp.QuoteMeta(vars[name]) }) + `)\z`)
}

// expectation is a fault at a place.
type expectation struct {
	fault *Fault
	at    place
}

// touched is what the fault breaks.
func (e expectation) touched() map[string]bool {
	vars, out := e.at.vars(), map[string]bool{}
	words := e.fault.Touches
	if len(words) == 0 {
		words = []string{"$A"}
	}
	for _, w := range words {
		out[os.Expand(w, func(name string) string { return vars[name] })] = true
	}
	return out
}

// apart reports whether two faults break nothing in common.
func apart(a, b expectation) bool {
	other := b.touched()
	for what := range a.touched() {
		if other[what] {
			return false
		}
	}
	return true
}

func (e expectation) String() string {
	return fmt.Sprintf("%s (%s)", e.fault.Name, e.at.hosts[0].Name)
}

// choosePairs chooses n pairs of faults that break nothing in common, each at random hosts. The same seed gives the same pairs of the same faults.
func choosePairs(faults []*Fault, hosts []lab.HostInfo, n int, seed uint64) (out [][2]expectation) {
	var able []*Fault
	for _, f := range faults {
		if !f.Unpaired && !f.quiet() {
			able = append(able, f)
		}
	}
	if len(able) < 2 {
		return nil
	}
	r := rand.New(rand.NewPCG(seed, 0))
	for tries := 0; len(out) < n && tries < 1000*n; tries++ {
		all := places(hosts)
		a := expectation{able[r.IntN(len(able))], all[r.IntN(len(all))]}
		b := expectation{able[r.IntN(len(able))], all[r.IntN(len(all))]}
		if a.fault != b.fault && apart(a, b) {
			out = append(out, [2]expectation{a, b})
		}
	}
	return out
}

// subnet is the management network without its last number.
func (p place) subnet() string {
	return p.hosts[0].IP[:strings.LastIndex(p.hosts[0].IP, ".")]
}

// placeOf returns the hosts at which a fault is tried by itself: they follow from the seed and its name, whatever other faults are tried.
func placeOf(f *Fault, all []place, seed uint64) place {
	h := fnv.New64a()
	_, _ = h.Write([]byte(f.Name)) // it never fails
	return all[rand.New(rand.NewPCG(seed, h.Sum64())).IntN(len(all))]
}
