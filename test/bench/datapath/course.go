// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/contiv/contiv/test/bench/harness"
	"github.com/contiv/contiv/test/bench/report"
)

// course is a way of packets that is measured: from one container to another.
type course struct {
	name     string
	from, to *container
	client   *worker
	bridged  *worker // the client of the same way between two containers of the peer
}

// newCourse starts server and client of both ways.
func newCourse(tb *harness.Stand, name string, ours, peer [2]*container) *course {
	return &course{name, ours[0], ours[1], newClient(tb, ours), newClient(tb, peer)}
}

// newClient starts a server in the second container, and its client in the first.
func newClient(tb *harness.Stand, pair [2]*container) *worker {
	meet(tb, pair[0], pair[1])
	newWorker(tb, pair[1].netns, "-serve")
	return newWorker(tb, pair[0].netns, "-ask", pair[1].at.IP4.String())
}

// hosts are the switches on the way.
func (c *course) hosts() []*host {
	if c.from.host == c.to.host {
		return []*host{c.from.host}
	}
	return []*host{c.from.host, c.to.host}
}

// figures are what one variant showed in one round, or the medians of several.
type figures struct {
	bulk      float64 // bytes a second
	cpu       float64 // seconds of the switches' processor time for each 10^9 bytes
	brief     float64 // connections a second
	briefCPU  float64 // seconds of the switches' processor time for each 1,000 connections
	small     float64 // UDP datagrams of 64 bytes a second that arrive
	first     float64 // nanoseconds
	passes    float64 // of a bulk packet through the datapath of the client's host
	megaflows float64 // in the client's host after bulk and connections
	tracked   float64 // how many of these use the connection tracker
}

// each are the figures' fields.
func (f *figures) each() []*float64 {
	return []*float64{&f.bulk, &f.cpu, &f.brief, &f.briefCPU, &f.small, &f.first, &f.passes, &f.megaflows, &f.tracked}
}

// combine makes the median of each field.
func combine(rounds []figures) (out figures) {
	for i, to := range out.each() {
		var values []float64
		for j := range rounds {
			values = append(values, *rounds[j].each()[i])
		}
		*to = report.Median(values)
	}
	return out
}

// over divides each field by that of the other.
func (f figures) over(other figures) figures {
	for i, v := range f.each() {
		if by := *other.each()[i]; by != 0 {
			*v /= by
		}
	}
	return f
}

// results are a course's figures, by variant, and those of all but the first as shares of the first's in the same round.
type results struct {
	course *course
	plain  []figures
	ratio  []figures
	// bridged are the peer's, and versus those of each variant as shares of them in the same round.
	bridged figures
	versus  []figures
	// observed are those of the last variant as shares of the one before, which is the same without.
	observed figures
}

// effort is how much is measured.
type effort struct {
	rounds, firsts int
	slice          time.Duration
	show           bool // print what the datapath holds, in the last round
}

// run measures all variants in turn. Each round begins with another one, so that what the machine does besides falls on all.
func (c *course) run(tb *harness.Stand, list []variant, e effort) results {
	byVariant := make([][]figures, len(list))
	var bridged []figures
	for round := range e.rounds {
		bridged = append(bridged, c.peer(e))
		for i := range list {
			v := (round + i) % len(list)
			byVariant[v] = append(byVariant[v], c.once(tb, list[v], e))
			if e.show && round == e.rounds-1 {
				c.show(tb, list[v])
			}
		}
	}
	out := results{course: c}
	for v := range list {
		out.plain = append(out.plain, combine(slices.Clone(byVariant[v])))
		var ratios, versus []figures
		for round := range byVariant[v] {
			ratios = append(ratios, byVariant[v][round].over(byVariant[0][round]))
			versus = append(versus, byVariant[v][round].over(bridged[round]))
		}
		out.ratio, out.versus = append(out.ratio, combine(ratios)), append(out.versus, combine(versus))
	}
	out.bridged = combine(bridged)
	var observed []figures
	for round, f := range byVariant[len(list)-1] {
		observed = append(observed, f.over(byVariant[len(list)-2][round]))
	}
	out.observed = combine(observed)
	return out
}

// peer measures the way between the peer's containers.
func (c *course) peer(e effort) (f figures) {
	c.bridged.measure("first")
	f.bulk = c.bridged.measure(fmt.Sprintf("bulk %s", e.slice))
	f.brief = c.bridged.measure(fmt.Sprintf("brief %s", e.slice))
	f.small = c.bridged.measure(fmt.Sprintf("small %s", e.slice))
	return f
}

// once measures one variant.
func (c *course) once(tb *harness.Stand, v variant, e effort) (f figures) {
	for _, h := range c.hosts() {
		h.program(tb, v.flows(c, h))
	}
	if v.observed {
		defer c.observe(tb)()
	}
	c.client.measure("first") // tunnels find their neighbours
	kernel := c.from.host.Kernel()
	if !kernel {
		c.clear()
	}
	before := c.cpu(tb)
	f.bulk = c.client.measure(fmt.Sprintf("bulk %s", e.slice))
	middle := c.cpu(tb)
	f.cpu = (middle - before).Seconds() / (f.bulk * e.slice.Seconds() / 1e9)
	if !kernel {
		f.passes = number(tb, passes, c.from.host.control.Do("dpif-netdev/pmd-stats-show"))
	}
	f.brief = c.client.measure(fmt.Sprintf("brief %s", e.slice))
	f.briefCPU = (c.cpu(tb) - middle).Seconds() / (f.brief * e.slice.Seconds() / 1e3)
	f.small = c.client.measure(fmt.Sprintf("small %s", e.slice))
	dump := c.from.host.control.Do("dpctl/dump-flows")
	for line := range strings.Lines(dump) {
		f.megaflows++
		if strings.Contains(line, "actions:ct(") || strings.Contains(line, ",ct(") {
			f.tracked++
		}
	}
	var firsts []float64
	for range e.firsts {
		for _, h := range c.hosts() {
			h.forget(tb)
		}
		firsts = append(firsts, c.client.measure("first"))
	}
	f.first = report.Median(firsts)
	return f
}

// clear sets the counters of the userspace datapaths on the way to 0.
func (c *course) clear() {
	for _, h := range c.hosts() {
		h.control.Do("dpif-netdev/pmd-stats-clear")
	}
}

// show prints what one second's bulk makes each switch on the way hold and count.
func (c *course) show(tb *harness.Stand, v variant) {
	stats := "dpctl/show"
	if !c.from.host.Kernel() {
		stats = "dpif-netdev/pmd-stats-show"
		c.clear()
	}
	c.client.measure("bulk 1s")
	for _, h := range c.hosts() {
		tb.Logf("%s, %s, %s:\n%s%s", c.name, v.name, h.label, h.control.Do("dpctl/dump-flows"), h.control.Do(stats))
	}
}

// passes is how often a packet went through the datapath's tables, in the words of pmd-stats-show.
var passes = regexp.MustCompile(`(?s).*avg\. datapath passes per packet: ([\d.]+)`)

func number(tb *harness.Stand, re *regexp.Regexp, text string) float64 {
	m := re.FindStringSubmatch(text)
	if m == nil {
		tb.Fatalf("no %s in:\n%s", re, text)
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

// cpu is the processor time of the switches on the way.
func (c *course) cpu(tb *harness.Stand) (total time.Duration) {
	for _, h := range c.hosts() {
		used, err := harness.CPU(h.SwitchPID())
		if err != nil {
			tb.Fatal(err)
		}
		total += used
	}
	return total
}
