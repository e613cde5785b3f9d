// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

func parseCT(arg string, names Tables) (Action, error) {
	var c CT
	var err error
	for _, item := range splitTop(arg) {
		key, value := item, ""
		if n := strings.IndexAny(item, "=("); n >= 0 {
			key, value = item[:n], item[n+1:]
			if item[n] == '(' {
				if !strings.HasSuffix(value, ")") {
					return Action{}, fmt.Errorf("a parenthesis is open")
				}
				value = value[:len(value)-1]
			}
		}
		switch key {
		case "":
		case "commit":
			c.Commit = true
		case "force":
			c.Force = true
		case "table":
			c.Recirc = true
			c.Table, err = parseTable(value, names)
		case "zone":
			if strings.Contains(value, "[") {
				c.ZoneFrom, err = parseBits(value)
				if err == nil && c.ZoneFrom.N > 16 {
					err = fmt.Errorf("a zone has 16 bits")
				}
				break
			}
			var v uint64
			v, err = strconv.ParseUint(value, 0, 16)
			c.Zone = uint16(v)
		case "nat":
			c.NAT, err = parseNAT(value)
		case "exec":
			c.Exec, err = parseSteps(splitTop(value), names)
			for _, a := range c.Exec {
				if a.instruction != insApply {
					err = fmt.Errorf("exec takes no instructions")
				}
			}
		default:
			err = fmt.Errorf("ct has the unknown part %q", item)
		}
		if err != nil {
			return Action{}, err
		}
	}
	return Track(c), nil
}

func parseNAT(s string) (*NAT, error) {
	n := &NAT{}
	for _, item := range splitTop(s) {
		key, value, has := strings.Cut(item, "=")
		switch key {
		case "":
			continue
		case "persistent":
			n.Persistent = true
			continue
		case "hash":
			n.Hash = true
			continue
		case "random":
			n.Random = true
			continue
		case "src":
			n.Src = true
		case "dst":
			n.Dst = true
		default:
			return nil, fmt.Errorf("nat has the unknown part %q", item)
		}
		if !has {
			continue
		}
		if err := n.parseRange(value); err != nil {
			return nil, err
		}
	}
	if n.Src && n.Dst {
		return nil, fmt.Errorf("nat has src and dst")
	}
	return n, nil
}

// parseRange reads ADDR[-ADDR][:PORT[-PORT]], an IPv6 address with ports in brackets.
func (n *NAT) parseRange(s string) (err error) {
	addrs, ports := s, ""
	if inner, ok := strings.CutPrefix(s, "["); ok {
		addrs, ports, _ = strings.Cut(inner, "]")
		ports = strings.TrimPrefix(ports, ":")
	} else if strings.Count(s, ":") == 1 {
		addrs, ports, _ = strings.Cut(s, ":")
	}
	first, last, both := strings.Cut(addrs, "-")
	if n.First, err = netip.ParseAddr(first); err != nil || n.First.Zone() != "" {
		return fmt.Errorf("nat: %q is no address", first)
	}
	if both {
		if n.Last, err = netip.ParseAddr(last); err != nil || n.Last.Is4() != n.First.Is4() || n.Last.Zone() != "" {
			return fmt.Errorf("nat: %q is no address of the first one's family", last)
		}
	}
	if ports == "" {
		return nil
	}
	low, top, both := strings.Cut(ports, "-")
	v, err := strconv.ParseUint(low, 10, 16)
	if err != nil {
		return fmt.Errorf("nat: %q is no port", low)
	}
	n.PortLow = uint16(v)
	if both {
		if v, err = strconv.ParseUint(top, 10, 16); err != nil {
			return fmt.Errorf("nat: %q is no port", top)
		}
		n.PortTop = uint16(v)
	}
	return nil
}
