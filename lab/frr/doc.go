// Package frr runs FRR's zebra and bgpd as a router of a lab.
//
// FRR is what many operators have at the other end of their sessions. The two programs are those of the package frr of
// Debian or Ubuntu; everything that they write is in one folder of the lab.
package frr
