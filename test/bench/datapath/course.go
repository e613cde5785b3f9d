package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/contiv/contiv/test/bench/report"
	"github.com/contiv/contiv/test/bench/stand"
)

// course is a way of packets that is measured: from one container to another.
type course struct {
	name     string
	from, to *container
	client   *worker
}

// newCourse starts server and client.
func newCourse(tb *stand.Stand, name string, from, to *container) *course {
	meet(tb, from, to)
	newWorker(tb, to.netns, "-serve")
	return &course{name, from, to, newWorker(tb, from.netns, "-ask", to.at.IP4.String())}
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
	first     float64 // nanoseconds
	passes    float64 // of a bulk packet through the datapath of the client's host
	megaflows float64 // in the client's host after bulk and connections
	tracked   float64 // how many of these use the connection tracker
}

// each are the figures' fields.
func (f *figures) each() []*float64 {
	return []*float64{&f.bulk, &f.cpu, &f.brief, &f.briefCPU, &f.first, &f.passes, &f.megaflows, &f.tracked}
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
func (c *course) run(tb *stand.Stand, list []variant, e effort) results {
	byVariant := make([][]figures, len(list))
	for round := range e.rounds {
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
		var ratios []figures
		for round := range byVariant[v] {
			ratios = append(ratios, byVariant[v][round].over(byVariant[0][round]))
		}
		out.ratio = append(out.ratio, combine(ratios))
	}
	var observed []figures
	for round, f := range byVariant[len(list)-1] {
		observed = append(observed, f.over(byVariant[len(list)-2][round]))
	}
	out.observed = combine(observed)
	return out
}

// once measures one variant.
func (c *course) once(tb *stand.Stand, v variant, e effort) (f figures) {
	for _, h := range c.hosts() {
		h.program(tb, v.flows(c, h))
	}
	if v.observed {
		defer c.observe(tb)()
	}
	c.client.measure("first") // tunnels find their neighbours
	for _, h := range c.hosts() {
		h.control.Do("dpif-netdev/pmd-stats-clear")
	}
	before := c.cpu(tb)
	f.bulk = c.client.measure(fmt.Sprintf("bulk %s", e.slice))
	middle := c.cpu(tb)
	f.cpu = (middle - before).Seconds() / (f.bulk * e.slice.Seconds() / 1e9)
	f.passes = number(tb, passes, c.from.host.control.Do("dpif-netdev/pmd-stats-show"))
	f.brief = c.client.measure(fmt.Sprintf("brief %s", e.slice))
	f.briefCPU = (c.cpu(tb) - middle).Seconds() / (f.brief * e.slice.Seconds() / 1e3)
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
			h.control.Do("revalidator/purge")
		}
		firsts = append(firsts, c.client.measure("first"))
	}
	f.first = report.Median(firsts)
	return f
}

// show prints what one second's bulk makes each switch on the way hold and count.
func (c *course) show(tb *stand.Stand, v variant) {
	for _, h := range c.hosts() {
		h.control.Do("dpif-netdev/pmd-stats-clear")
	}
	c.client.measure("bulk 1s")
	for _, h := range c.hosts() {
		tb.Logf("%s, %s, %s:\n%s%s", c.name, v.name, h.label, h.control.Do("dpctl/dump-flows"), h.control.Do("dpif-netdev/pmd-stats-show"))
	}
}

// passes is how often a packet went through the datapath's tables, in the words of pmd-stats-show.
var passes = regexp.MustCompile(`(?s).*avg\. datapath passes per packet: ([\d.]+)`)

func number(tb *stand.Stand, re *regexp.Regexp, text string) float64 {
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
func (c *course) cpu(tb *stand.Stand) (total time.Duration) {
	for _, h := range c.hosts() {
		used, err := stand.CPU(h.SwitchPID())
		if err != nil {
			tb.Fatal(err)
		}
		total += used
	}
	return total
}
