// SPDX-License-Identifier: Apache-2.0

// Package frame reads and writes the packets that the agent handles itself: UDP in IPv4 or IPv6 in Ethernet, ICMP errors about packets that
// were not forwarded, probes between agents, and address announcements.
//
// It only computes. It rejects packets with tags, IP options, fragments, wrong lengths or wrong checksums; the caller then forwards them
// unchanged.
package frame
