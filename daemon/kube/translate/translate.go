// SPDX-License-Identifier: Apache-2.0

// Package translate converts objects of Kubernetes to records of ours: the fields of each that agents and netmaster need, and nothing else,
// so that an object whose status has changed gives an equal record. It only computes.
package translate

import (
	"fmt"
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// addresses returns the valid addresses of texts, each once, in order. Others are left out, since no packet can be sent to them.
func addresses(texts ...string) []netip.Addr {
	var out []netip.Addr
	for _, t := range texts {
		a, err := netip.ParseAddr(t)
		if err == nil && a.Zone() == "" {
			out = append(out, a.Unmap())
		}
	}
	slices.SortFunc(out, netip.Addr.Compare)
	return slices.Compact(out)
}

// prefix parses the prefix of a network, and clears its host bits.
func prefix(text string) (netip.Prefix, error) {
	p, err := netip.ParsePrefix(text)
	if err != nil || p.Addr().Is4In6() {
		return netip.Prefix{}, fmt.Errorf("%q is not the prefix of a network", text)
	}
	return p.Masked(), nil
}

// protocol is IP's number of a protocol of Kubernetes, whose default is TCP.
func protocol(p corev1.Protocol) (uint8, error) {
	const tcp, udp, sctp = 6, 17, 132
	switch p {
	case corev1.ProtocolTCP, "":
		return tcp, nil
	case corev1.ProtocolUDP:
		return udp, nil
	case corev1.ProtocolSCTP:
		return sctp, nil
	}
	return 0, fmt.Errorf("protocol %q is none of TCP, UDP and SCTP", p)
}

// number is a port's number, 0 for an invalid one.
func number(n int32) uint16 {
	if n < 1 || n > 65535 {
		return 0
	}
	return uint16(n)
}
