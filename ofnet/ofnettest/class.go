// SPDX-License-Identifier: Apache-2.0

package ofnettest

import (
	"slices"
	"strings"

	"github.com/contiv/contiv/ofnet"
)

// addClassRule adds a class policy if it is missing and, if requested, a rule of it.
func addClassRule(s *ofnet.State, rule bool, name string, l *line) {
	p := &ofnet.ClassPolicy{Name: name, Direction: ofnet.Out, Stage: ofnet.StageNamespace, Priority: uint16(l.number("priority"))}
	if l.has("in") {
		p.Direction = ofnet.In
	}
	switch l.words["stage"] {
	case ofnet.StageAdmin.String():
		p.Stage = ofnet.StageAdmin
	case ofnet.StageBaseline.String():
		p.Stage = ofnet.StageBaseline
	}
	if known := s.ClassPolicies.Get(p.ID()); known != nil {
		p.Stage, p.Priority, p.Rules = known.Stage, known.Priority, slices.Clone(known.Rules)
	}
	if rule {
		r := ofnet.ClassRule{Place: uint8(l.number("place")), Action: ofnet.Accept, Anyone: l.has("anyone"), Subjects: l.numbers("subjects"),
			Peers: l.numbers("peers"), Prefixes: l.prefixes("prefixes"), Ports: l.protocolPorts("ports")}
		switch {
		case l.has("deny"):
			r.Action = ofnet.Deny
		case l.has("pass"):
			r.Action = ofnet.Pass
		}
		p.Rules = append(p.Rules, r)
	}
	s.SetClassPolicy(p)
}

// numbers reads NUMBER,...
func (l *line) numbers(k string) (out []uint32) {
	l.get(k, func(v string) error {
		for word := range strings.SplitSeq(v, ",") {
			part := line{words: map[string]string{"n": word}}
			out = append(out, part.number("n"))
			if part.err != nil {
				return part.err
			}
		}
		return nil
	})
	return out
}

// protocolPorts reads PROTOCOL:PORT,... where PORT is a port, FIRST-LAST, or missing for all.
func (l *line) protocolPorts(k string) (out []ofnet.ProtocolPorts) {
	l.get(k, func(v string) error {
		for word := range strings.SplitSeq(v, ",") {
			protocol, ports, some := strings.Cut(word, ":")
			part := line{words: map[string]string{"protocol": protocol}}
			if some {
				part.words["ports"] = ports
			}
			list := []ofnet.PortRange{ofnet.AllPorts(0).PortRange}
			if some {
				list = part.ports("ports")
			}
			for _, r := range list {
				out = append(out, ofnet.ProtocolPorts{Protocol: part.protocol("protocol"), PortRange: r})
			}
			if part.err != nil {
				return part.err
			}
		}
		return nil
	})
	return out
}

// isolated reads the directions in which an endpoint is isolated.
func (l *line) isolated() (d ofnet.Direction) {
	for word := range strings.SplitSeq(l.words["isolated"], ",") {
		switch word {
		case "in":
			d |= ofnet.In
		case "out":
			d |= ofnet.Out
		}
	}
	return d
}
