// SPDX-License-Identifier: Apache-2.0

package model

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Format is a named shape of a string.
type Format struct {
	Description string // the accepted values, to follow "takes"
	Accepts     func(string) bool
}

// Formats returns the named formats that schema fields refer to.
func Formats() map[string]Format { return formats }

const (
	octet  = `(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])`
	ip4    = octet + `(\.` + octet + `){3}`
	len4   = `(3[0-1]|2[0-9]|1[0-9]|[1-9])`
	labels = `(([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9\-]*[a-zA-Z0-9])\.)*([A-Za-z0-9]|[A-Za-z0-9][A-Za-z0-9\-]*[A-Za-z0-9])`
)

// formats is effectively a constant: nothing changes it. Each expression is compiled at its first use, since most programs need none.
var formats = map[string]Format{
	"name":         match(`letters, digits, dots and inner dashes, such as web-1`, `^`+labels+`$`),
	"optionalName": match(`a name of letters, digits, dots and inner dashes, or nothing`, `^(`+labels+`\.?)?$`),
	"tag":          match(`letters, digits, dots and inner dashes, or nothing`, `^(`+labels+`)?$`),
	"ipv4":         match(`an IPv4 address, or nothing`, `^(`+ip4+`)?$`),
	"subnet":       match(`an IPv4 subnet or a range with its ends in full, length 1 to 31`, `^`+ip4+`(\-`+ip4+`)?/`+len4+`$`),
	"pool":         match(`an IPv4 range, or nothing`, `^$|^`+ip4+`(\-`+ip4+`)?$`),
	"ruleIP":       either(`an IPv4 or IPv6 address, a subnet, or nothing`, `^(`+ip4+`(\-`+octet+`)?(/`+len4+`)?)?$`, isIPv6, isSubnet6),
	"routerIP":     match(`an IPv4 address with its length, such as 50.1.1.2/24`, `^`+ip4+`(\-`+octet+`)?/`+len4+`$`),
	"routerIP6":    {`an IPv6 address with its length, such as fd50::2/64, or nothing`, func(s string) bool { return s == "" || isSubnet6(s) }},
	"neighbors":    {`IPv4 or IPv6 addresses, separated by commas, or nothing`, areAddresses},
	"ipv6":         {`an IPv6 address, or nothing`, func(s string) bool { return s == "" || isIPv6(s) }},
	"subnet6":      {`an IPv6 subnet of length 1 to 127, or nothing`, func(s string) bool { return s == "" || isSubnet6(s) }},
	"vlanRange":    match(`one range of VLAN ids`, `^[0-9]{1,4}-[0-9]{1,4}$`),
	"vxlanRange":   match(`one range of VNIs`, `^[0-9]{1,8}-[0-9]{1,8}$`),
	"pvtSubnet":    match(`an IPv4 subnet of length 16`, `^`+ip4+`/16$`),
	"rest":         {`a duration of 0s to 24h, such as 30s, or nothing`, isRest},
	"protocol":     match(`tcp, udp, icmp, a number, or nothing`, `^(tcp|udp|icmp|[0-9]{1,3})?$`),
	"bandwidth":    match(`a whole number and a unit, such as 10Mbps, or nothing`, `^([1-9][0-9]* ?([kmgKMG]bps|[kmgKMG]|kb|Kb|Gb|gb|Mb|mb))?$`),
	"nodeBindings": match(`a comma list of topology/pod-N/node-N, or nothing`, `^(topology/pod-[0-9]{1,4}/node-[0-9]{1,4}(,topology/pod-[0-9]{1,4}/node-[0-9]{1,4})*)?$`),
	"pathBindings": match(`a comma list of topology/pod-N/paths-N/pathep-[ethA/B], or nothing`, `^(topology/pod-[0-9]{1,4}/paths-[0-9]{1,4}/pathep-\[eth[0-9]{1,2}/[0-9]{1,2}\](,topology/pod-[0-9]{1,4}/paths-[0-9]{1,4}/pathep-\[eth[0-9]{1,2}/[0-9]{1,2}\])*)?$`),
}

func match(says, expression string) Format {
	compiled := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
	return Format{says, func(s string) bool { return compiled().MatchString(s) }}
}

// either accepts what matches the expression or one of the others accepts.
func either(says, expression string, others ...func(string) bool) Format {
	first := match(says, expression).Accepts
	return Format{says, func(s string) bool {
		return first(s) || slices.ContainsFunc(others, func(takes func(string) bool) bool { return takes(s) })
	}}
}

func isIPv6(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Is6() && a.Zone() == "" && !strings.Contains(s, ".")
}

// areAddresses reports whether s is a list of addresses. Spaces around them are permitted.
func areAddresses(s string) bool {
	if s == "" {
		return true
	}
	for word := range strings.SplitSeq(s, ",") {
		word = strings.TrimSpace(word)
		if a, err := netip.ParseAddr(word); err != nil || !a.Is4() && !isIPv6(word) {
			return false
		}
	}
	return true
}

func isSubnet6(s string) bool {
	p, err := netip.ParsePrefix(s)
	return err == nil && p.Addr().Is6() && !strings.Contains(s, ".") && p.Bits() >= 1 && p.Bits() <= 127
}

// isRest reports whether s is a valid duration of the quarantine of addresses.
func isRest(s string) bool {
	if s == "" {
		return true
	}
	d, err := time.ParseDuration(s)
	return err == nil && d >= 0 && d <= 24*time.Hour
}
