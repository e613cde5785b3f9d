// SPDX-License-Identifier: Apache-2.0

package packetfilter

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Iptables returns the rules that drop a packet in the output of iptables-save or ip6tables-save. program is the command for changes:
// iptables or ip6tables.
func Iptables(saved []byte, program string, p *Packet) []Obstacle {
	var tables []*table
	var t *table
	for line := range strings.Lines(string(saved)) {
		words := split(strings.TrimSpace(line))
		switch {
		case len(words) == 0:
		case strings.HasPrefix(words[0], "*"):
			name := words[0][1:]
			t = &table{id: name, chains: map[string]*chain{}, insert: func(chain string, p *Packet) string {
				return fmt.Sprintf("%s -t %s -I %s -p %s --dport %s -j ACCEPT", program, name, chain, p.Protocol, p.port())
			}}
			if name != "nat" {
				tables = append(tables, t)
			}
		case t == nil:
		case strings.HasPrefix(words[0], ":") && len(words) > 1:
			c := t.chain(words[0][1:])
			if words[1] != "-" {
				c.hook = strings.ToLower(c.name)
			}
			if words[1] == "DROP" {
				c.policy = drop
			}
		case words[0] == "-A" && len(words) > 1:
			c := t.chain(words[1])
			r := translate(words[2:])
			r.text = strings.TrimSpace(line)
			c.rules = append(c.rules, r)
		}
	}
	return pass(tables, p)
}

// Managed returns the tables of nftables that iptables-save has printed: iptables manages them.
func Managed(saved []byte, family string) (out []string) {
	if !strings.Contains(string(saved), "(nf_tables)") {
		return nil
	}
	for line := range strings.Lines(string(saved)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "*"); ok {
			out = append(out, family+" "+name)
		}
	}
	return out
}

// split cuts a line into words; quotes keep a word together.
func split(line string) (out []string) {
	var word strings.Builder
	quoted, begun := false, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && quoted && i+1 < len(line):
			i++
			_ = word.WriteByte(line[i])
		case c == '"':
			quoted, begun = !quoted, true
		case c == ' ' && !quoted:
			if begun {
				out = append(out, word.String())
				word.Reset()
				begun = false
			}
		default:
			_ = word.WriteByte(c)
			begun = true
		}
	}
	if begun {
		out = append(out, word.String())
	}
	return out
}

// translate reads the options of a rule. A condition that is not known here counts as undecided.
func translate(words []string) (r rule) {
	negated := false
	add := func(m func(*Packet) answer) {
		if negated {
			plain := m
			m = func(p *Packet) answer { return not(plain(p)) }
		}
		r.matches, negated = append(r.matches, m), false
	}
	for len(words) > 0 {
		option := words[0]
		words = words[1:]
		switch {
		case option == "!":
			negated = true
			continue
		case len(words) == 0 || strings.HasPrefix(words[0], "-"): // an option without a value
			if !strings.HasPrefix(option, "--log") {
				add(func(*Packet) answer { return maybe })
			}
			continue
		}
		value := words[0]
		words = words[1:]
		switch option {
		case "-m", "--comment", "--reject-with", "--log-prefix", "--log-level", "--set-xmark", "--nfmask", "--ctmask":
		case "-j", "-g":
			r.verdict, r.target = target(option, value)
		default:
			add(func(p *Packet) answer { return compare(option, value, p) })
		}
	}
	return r
}

// target translates the target of a rule.
func target(option, value string) (kind, string) {
	switch value {
	case "ACCEPT":
		return accept, ""
	case "DROP", "REJECT":
		return drop, ""
	case "RETURN":
		return back, ""
	}
	if strings.ToUpper(value) == value && slices.Contains([]string{"LOG", "MARK", "CONNMARK", "NFLOG", "CT", "TCPMSS", "CHECKSUM", "TRACE", "NOTRACK", "TOS", "DSCP", "SET", "CLASSIFY", "AUDIT", "NFQUEUE"}, value) {
		return next, ""
	}
	if option == "-g" {
		return jumpFinal, value
	}
	return jump, value
}

// compare compares the packet with a condition of iptables.
func compare(option, value string, p *Packet) answer {
	switch option {
	case "-p":
		return whether(value == p.Protocol || value == "all")
	case "--dport", "--dports":
		return ports(value, p.Port)
	case "-i", "-o":
		if (option == "-o") != p.Outgoing {
			return no
		}
		if prefix, wild := strings.CutSuffix(value, "+"); wild {
			return whether(strings.HasPrefix(p.Interface, prefix))
		}
		return whether(value == p.Interface)
	case "-s", "-d":
		a := p.Remote
		if p.Outgoing == (option == "-s") {
			a = p.Local
		}
		prefix, err := netip.ParsePrefix(value)
		if !a.IsValid() || err != nil {
			return maybe
		}
		return whether(prefix.Contains(a))
	case "--ctstate", "--state":
		return whether(slices.Contains(strings.Split(value, ","), "NEW"))
	case "--dst-type":
		return whether(value == "LOCAL" && !p.Outgoing)
	case "--icmp-type", "--icmpv6-type":
		return no
	}
	return maybe
}

// ports compares a port with a list of ports and ranges.
func ports(list string, port int) answer {
	for one := range strings.SplitSeq(list, ",") {
		low, high, ok := strings.Cut(one, ":")
		if !ok {
			high = low
		}
		from, err := strconv.Atoi(low)
		to, bad := strconv.Atoi(high)
		if err != nil || bad != nil {
			return maybe
		}
		if port >= from && port <= to {
			return yes
		}
	}
	return no
}
