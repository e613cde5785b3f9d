// SPDX-License-Identifier: Apache-2.0

package why

import (
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/identity"
)

// origin describes where the packet came from.
func (r *route) origin() string {
	from, _ := identity.ParseRef(r.ask.From)
	switch name := from.Name; from.Kind {
	case "host":
		return "the tunnel of host " + name
	case "uplink":
		return "the VLAN trunk"
	case "router":
		return "a router outside"
	}
	return r.ask.From
}

// changes lists the modifications of the packet in a switch.
func (r *route) changes(t *model.Trace) (out []string) {
	was, is := r.ask.Packet, t.After
	if s := r.through; s.spread > 0 && !s.answered && strings.HasPrefix(r.ask.From, "endpoint/") {
		out = append(out, "service "+s.service+" leads each connection to one of "+strconv.Itoa(s.spread)+", as to "+r.provider(was.Dst),
			"translates "+written(s.address, s.port)+" to "+written(was.Dst, was.DstPort))
	}
	if was.Dst != is.Dst || was.DstPort != is.DstPort {
		if s := r.through.service; s != "" && was.Dst == r.through.address && len(t.Outputs) > 0 {
			out = append(out, "service "+s+" leads it to "+r.provider(is.Dst))
		}
		out = append(out, "translates "+written(was.Dst, was.DstPort)+" to "+written(is.Dst, is.DstPort))
	}
	if was.Src != is.Src || was.SrcPort != is.SrcPort {
		out = append(out, "lets it appear to come from "+written(is.Src, is.SrcPort))
	}
	if r.through.answered && r.through.service != "" && r.host == r.through.client && len(t.Outputs) > 0 {
		out = append(out, "lets it come from service "+r.through.service+" again, "+written(r.through.address, r.through.port))
	}
	if rule := admitted(t.Steps); rule != "" && len(t.Outputs) > 0 {
		out = append(out, "rule "+rule+" admits it")
	}
	return out
}

// provider names the owner of an address behind a service.
func (r *route) provider(addr string) string {
	for _, e := range r.targets {
		if hasText(e, addr) {
			return "its provider " + e.ID.String()
		}
	}
	if len(r.targets) == 0 { // none of its providers is a container
		return addr
	}
	return addr + ", which is no provider"
}

func written(addr string, port int) string {
	if port == 0 {
		return addr
	}
	return net.JoinHostPort(addr, strconv.Itoa(port))
}

// ruleOf returns the rule of an owner, "tenant:policy:rule"; "" if it is none.
func ruleOf(owner string) string {
	if rule, ok := strings.CutPrefix(owner, "rule/"); ok {
		return rule
	}
	return ""
}

// admitted returns the last rule that permitted the packet.
func admitted(steps []model.TraceStep) (rule string) {
	for i := range steps {
		if r := ruleOf(steps[i].Owner); r != "" {
			rule = r
		}
	}
	return rule
}

// netPolicyOf returns the network policy of Kubernetes of an owner, as kubectl writes it; "" if it is none.
func netPolicyOf(owner string) string {
	name, ok := strings.CutPrefix(owner, "classpolicy/")
	if !ok {
		return ""
	}
	if id, err := identity.ParseNetworkPolicy(name); err == nil {
		return "networkpolicy " + id.Path()
	}
	return "clusternetworkpolicy " + name
}

// isolated names the end that a table has found isolated; "" if it has not.
func isolated(s *model.TraceStep) string {
	switch {
	case !strings.HasPrefix(s.Owner, "switch/"):
	case s.Table == "netpol_in":
		return "network policies of Kubernetes isolate the receiver, and none lets it receive this"
	case s.Table == "netpol_out":
		return "network policies of Kubernetes isolate the sender, and none lets it send this"
	}
	return ""
}

// crowded describes a priority whose rules do not fit into the switch; "" if that is not why a table has refused.
func crowded(s *model.TraceStep) string {
	level, ok := strings.CutPrefix(s.Owner, "level/")
	if !ok {
		return ""
	}
	return "network policies of tier and priority " + level + " that select the same pods have more rules than the switch has room for, and those beyond deny everything: give the policies different priorities"
}

// isClosed reports whether a packet ended because its destination is closed to containers, which no object changes.
func isClosed(steps []model.TraceStep) bool {
	return len(steps) > 0 && steps[len(steps)-1].Table == "shut" && !steps[len(steps)-1].Foreign
}

// dropped returns why a packet was dropped, and the object that caused it.
func dropped(steps []model.TraceStep) (why, owner string) {
	i := len(steps) - 1
	refused := i > 0 && steps[i].Table == "refuse" && !steps[i].Foreign
	if refused {
		i-- // the previous step has refused it
	}
	if i < 0 {
		return "no table took it", ""
	}
	s := &steps[i]
	where := " (table " + s.Table + ")"
	rule := ruleOf(s.Owner)
	switch {
	case s.Foreign:
		return "a flow added or changed outside Contiv does not let it pass: " + s.Flow, ""
	case s.Means != "":
		return s.Means + where, s.Owner
	case rule != "":
		return "rule " + rule + " denies it", "rule/" + rule
	case netPolicyOf(s.Owner) != "":
		return netPolicyOf(s.Owner) + " of Kubernetes denies it", s.Owner
	case refused && crowded(s) != "":
		return crowded(s), s.Owner
	case refused && isolated(s) != "":
		return isolated(s), s.Owner
	case s.Does != "drop" && !refused:
		return "table " + s.Table + " sends it nowhere", s.Owner
	}
	switch by := s.Owner; {
	case strings.HasPrefix(by, "switch/"):
		return "no switch lets such packets pass: " + s.Match + where, by
	case by != "":
		return by + " does not let it pass: " + s.Match + where, by
	}
	return "a flow that no object caused does not let it pass: " + s.Match + where, ""
}

// foreign lists the flows on the path that are not Contiv's, as ovs-ofctl writes them.
func foreign(steps []model.TraceStep) (out []string) {
	for i := range steps {
		if steps[i].Foreign {
			out = append(out, steps[i].Flow)
		}
	}
	return out
}

// remedy returns the remedy for flows on the path that are not Contiv's, with those that w.Text does not name yet; "" if there are none.
func remedy(w *model.Why) string {
	var out, remedies []string
	for _, way := range []*model.WhyPath{&w.Forward, &w.Reverse} {
		for i := range way.Hops {
			h := &way.Hops[i]
			for _, f := range h.Foreign {
				if !strings.Contains(w.Text, f) {
					out = append(out, "On "+h.Host+" it meets a flow added or changed outside Contiv: "+f+".")
				}
				remedies = append(remedies, "netctl drift "+h.Host+" --repair")
			}
		}
	}
	if len(remedies) == 0 {
		return ""
	}
	slices.Sort(out)
	slices.Sort(remedies)
	out = append(slices.Compact(out), strings.Join(slices.Compact(remedies), ", ")+" puts that right.")
	return strings.Join(out, " ")
}
