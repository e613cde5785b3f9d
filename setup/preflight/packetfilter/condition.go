// SPDX-License-Identifier: Apache-2.0

package packetfilter

import (
	"net/netip"
	"strconv"
	"strings"
)

// condition translates an expression of a rule; nil: it is no condition.
func (r *reader) condition(id, name string, body any) func(*Packet) answer {
	switch name {
	case "match":
		m, _ := body.(map[string]any)
		op, _ := m["op"].(string)
		return r.match(id, m["left"], op, m["right"])
	case "counter", "log", "mangle", "notrack", "comment", "ct helper", "flow", "dnat", "snat", "masquerade", "redirect", "queue", "dup", "fwd", "set":
		return nil
	case "xt": // the rest of the rule is an extension of iptables
		if x, ok := body.(map[string]any); ok && x["type"] == "target" {
			return nil
		}
	}
	return func(*Packet) answer { return maybe }
}

// match compares a property of the packet.
func (r *reader) match(id string, left any, op string, right any) func(*Packet) answer {
	return func(p *Packet) answer {
		has, known := property(left, p)
		if has == "" {
			return known
		}
		out := r.equal(id, has, right)
		switch op {
		case "==", "in", "":
			return out
		case "!=":
			return not(out)
		}
		n, err := strconv.Atoi(has)
		limit, ok := right.(float64)
		if err != nil || !ok {
			return maybe
		}
		return whether(op == "<" && n < int(limit) || op == "<=" && n <= int(limit) || op == ">" && n > int(limit) || op == ">=" && n >= int(limit))
	}
}

// property returns the value of a property of the packet. If it is "", the answer is whether the packet has the property.
func property(left any, p *Packet) (value string, known answer) {
	m, _ := left.(map[string]any)
	if x, ok := m["payload"].(map[string]any); ok {
		protocol, _ := x["protocol"].(string)
		field, _ := x["field"].(string)
		return payload(protocol, field, p)
	}
	if x, ok := m["meta"].(map[string]any); ok {
		key, _ := x["key"].(string)
		return meta(key, p)
	}
	if x, ok := m["ct"].(map[string]any); ok {
		switch x["key"] {
		case "state":
			return "new", no
		case "status":
			return "", no // of a new connection: not yet confirmed, assured or translated
		}
	}
	if x, ok := m["fib"].(map[string]any); ok && x["result"] == "type" && !p.Outgoing {
		return "local", no
	}
	return "", maybe
}

// payload returns a field of the packet's headers.
func payload(protocol, field string, p *Packet) (string, answer) {
	four := p.Local.Is4()
	switch protocol {
	case "th", "udp", "tcp":
		switch {
		case protocol != "th" && protocol != p.Protocol:
			return "", no
		case field == "dport":
			return p.port(), no
		}
		return "", maybe
	case "ip", "ip6":
		if four != (protocol == "ip") {
			return "", no
		}
		switch field {
		case "protocol", "nexthdr":
			return p.Protocol, no
		case "saddr", "daddr":
			a := p.Remote
			if p.Outgoing == (field == "saddr") {
				a = p.Local
			}
			if a.IsValid() {
				return a.String(), no
			}
		}
		return "", maybe
	case "icmp", "icmpv6", "sctp", "udplite", "dccp", "esp", "ah", "arp", "igmp":
		return "", no
	}
	return "", maybe
}

// meta returns a property of the packet that is in no header.
func meta(key string, p *Packet) (string, answer) {
	switch key {
	case "l4proto":
		return p.Protocol, no
	case "nfproto", "protocol":
		if p.Local.Is4() {
			return map[string]string{"nfproto": "ipv4", "protocol": "ip"}[key], no
		}
		return map[string]string{"nfproto": "ipv6", "protocol": "ip6"}[key], no
	case "iif", "iifname":
		if p.Outgoing {
			return "", no
		}
		return p.Interface, no
	case "oif", "oifname":
		if !p.Outgoing {
			return "", no
		}
		return p.Interface, no
	case "pkttype":
		return "host", no
	}
	return "", maybe
}

// elements returns the elements of a set, which may be named.
func (r *reader) elements(id string, set any) []any {
	switch s := set.(type) {
	case string:
		if name, ok := strings.CutPrefix(s, "@"); ok {
			out, _ := r.sets[id+" "+name].([]any)
			return out
		}
	case map[string]any:
		out, _ := s["set"].([]any)
		return out
	case []any:
		return s
	}
	return nil
}

// equal compares a value with an operand of a rule.
func (r *reader) equal(id, has string, right any) answer {
	switch x := right.(type) {
	case float64:
		return whether(has == strconv.Itoa(int(x)))
	case bool:
		return maybe
	case string:
		if strings.HasPrefix(x, "@") {
			return r.member(id, has, x)
		}
		if prefix, wild := strings.CutSuffix(x, "*"); wild {
			return whether(strings.HasPrefix(has, prefix))
		}
		return whether(has == x)
	case []any:
		return r.member(id, has, x)
	case map[string]any:
		return r.structured(id, has, x)
	}
	return maybe
}

// structured compares a value with a set, a range, a prefix or an element with attributes.
func (r *reader) structured(id, has string, x map[string]any) answer {
	if _, ok := x["set"]; ok {
		return r.member(id, has, x)
	}
	if e, ok := x["elem"].(map[string]any); ok {
		return r.equal(id, has, e["val"])
	}
	if p, ok := x["prefix"].(map[string]any); ok {
		text, _ := p["addr"].(string)
		length, _ := p["len"].(float64)
		base, err := netip.ParseAddr(text)
		a, bad := netip.ParseAddr(has)
		if err != nil || bad != nil {
			return maybe
		}
		prefix, err := base.Prefix(int(length))
		if err != nil {
			return maybe
		}
		return whether(prefix.Contains(a))
	}
	if ends, ok := x["range"].([]any); ok && len(ends) == 2 {
		return within(has, ends[0], ends[1])
	}
	return maybe
}

// within compares a port or an address with a range.
func within(has string, low, high any) answer {
	from, isNumber := low.(float64)
	to, _ := high.(float64)
	if n, err := strconv.Atoi(has); err == nil && isNumber {
		return whether(n >= int(from) && n <= int(to))
	}
	first, _ := low.(string)
	last, _ := high.(string)
	a, err := netip.ParseAddr(has)
	f, bad := netip.ParseAddr(first)
	l, worse := netip.ParseAddr(last)
	if err != nil || bad != nil || worse != nil {
		return maybe
	}
	return whether(!a.Less(f) && !l.Less(a))
}

// member reports whether a set has a value.
func (r *reader) member(id, has string, set any) answer {
	out := no
	for _, e := range r.elements(id, set) {
		out = max(out, r.equal(id, has, e))
	}
	return out
}
