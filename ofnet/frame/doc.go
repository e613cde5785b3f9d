// Package frame reads and writes the packets that the agent answers itself: UDP in IPv4 or IPv6 in Ethernet, and messages
// about packets that were not passed on; the probes that agents send one another; and who says to have an address.
//
// It computes only. Whatever it is not sure of - tags, options of IP, fragments, wrong lengths or checksums - it does
// not read; the caller then lets the packet go its way.
package frame
