// SPDX-License-Identifier: Apache-2.0

package describe

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rates"
)

// sampleInterval is the time between two samples of the counters.
const sampleInterval = time.Second

// sampled takes two samples of the counters, unless no host has any.
func sampled(ctx context.Context, c *client.Client, tenant string) (Rates, error) {
	var m rates.Meter
	out := Rates{Lines: map[rates.Level][]rates.Line{}, Silent: map[string]string{}}
	for round := range 2 {
		if round > 0 {
			select {
			case <-ctx.Done():
				return out, ctx.Err()
			case <-time.After(sampleInterval):
			}
		}
		counters, err := c.Counters(ctx, tenant)
		if err != nil {
			return out, err
		}
		m.Add(&counters)
		for _, h := range counters.Hosts {
			if h.Unknown != "" {
				out.Silent[h.Host] = h.Unknown
			}
		}
		if len(out.Silent) == len(counters.Hosts) {
			return out, nil
		}
	}
	out.Known = m.Known()
	for _, l := range rates.Levels() {
		out.Lines[l] = m.Lines(l)
	}
	return out, nil
}

// level is the level of the rates that the page shows; "": none.
func (f *facts) level() rates.Level {
	switch {
	case f.is(model.KindEndpoint()):
		return rates.Endpoints
	case f.is(model.KindEndpointGroup()):
		return rates.Groups
	case f.is(model.KindRule()):
		return rates.Rules
	case f.kind == nil && !f.isMaster():
		return rates.Hosts
	}
	return ""
}

// traffic is the section of rates and counters.
func (f *facts) traffic() *Section {
	if f.level() == "" {
		return nil
	}
	s := &Section{Title: "Traffic", None: "no traffic is counted", Unknown: f.rates.unknown()}
	if f.rates.err == nil {
		f.rateRows(s)
	}
	if e := f.endpoint; e != nil {
		if strings.HasPrefix(e.Counted, "since") {
			s.Rows = append(s.Rows, row("counted", plain("sent %s, %s; received %s, %s; %s", amount(e.PacketsSent, "packet"), amount(e.BytesSent, "byte"),
				amount(e.PacketsReceived, "packet"), amount(e.BytesReceived, "byte"), e.Counted)))
		} else if e.Counted != "" {
			s.Unknown = append(s.Unknown, "counters: "+strings.TrimPrefix(e.Counted, "unknown: "))
		}
	}
	return s
}

// rateRows adds what passes per second.
func (f *facts) rateRows(s *Section) {
	on := f.hosts()
	for _, h := range sortedKeys(f.rates.value.Silent) {
		if on[h] || f.is(model.KindRule()) {
			s.Unknown = append(s.Unknown, "rates of host "+h+": "+f.rates.value.Silent[h])
		}
	}
	if len(s.Unknown) == 0 {
		s.Unknown = f.silent()
	}
	if !f.rates.value.Known && len(s.Unknown) == 0 {
		s.Unknown = append(s.Unknown, "rates are not measured yet")
		return
	}
	for _, l := range f.rates.value.Lines[f.level()] {
		if l.Name != f.key {
			continue
		}
		if f.level() == rates.Rules {
			s.Rows = append(s.Rows, row("decides", plain("%s, %s", quantity(l.Sent.Packets, "packets/s"), quantity(8*l.Sent.Bytes, "bit/s"))))
			continue
		}
		s.Rows = append(s.Rows, row("sends", plain("%s, %s", quantity(8*l.Sent.Bytes, "bit/s"), quantity(l.Sent.Packets, "packets/s"))),
			row("receives", plain("%s, %s", quantity(8*l.Received.Bytes, "bit/s"), quantity(l.Received.Packets, "packets/s"))))
	}
}

// load is the section of a service's connections, and of the packets of a rule or policy, as hosts report them.
func (f *facts) load() *Section {
	var title string
	var fields []string
	switch {
	case f.is(model.KindServiceLB()):
		title, fields = "Load", []string{"load", "hosts"}
	case f.is(model.KindRule()):
		title, fields = "Packets", []string{"hosts"}
	case f.is(model.KindPolicy()):
		title, fields = "Packets", []string{"hits"}
	default:
		return nil
	}
	s := &Section{Title: title, None: "no host reports any"}
	s.Unknown = f.silent()
	if f.operErr != nil {
		s.Unknown = append(s.Unknown, reason(f.operErr))
	}
	for _, field := range fields {
		var lines []string
		if json.Unmarshal(f.oper[field], &lines) != nil {
			continue
		}
		for _, line := range lines {
			s.Rows = append(s.Rows, row("", plain("%s", line)))
		}
	}
	return s
}

// quantity formats a number with an SI prefix above 1.
func quantity(v float64, unit string) string {
	for _, prefix := range []string{"", "k", "M", "G"} {
		if math.Round(v) < 1000 {
			return strconv.FormatFloat(math.Round(10*v)/10, 'f', -1, 64) + " " + prefix + unit
		}
		v /= 1000
	}
	return strconv.FormatFloat(math.Round(v), 'f', -1, 64) + " T" + unit
}

// amount is a number of things in words.
func amount(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
