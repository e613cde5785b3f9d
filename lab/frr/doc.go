// SPDX-License-Identifier: Apache-2.0

// Package frr runs FRR's zebra and bgpd as a router of a lab.
//
// Many operators have FRR at the other end of their sessions. The two programs are those of the package frr of Debian or Ubuntu; everything
// that they write is in one directory of the lab.
package frr
