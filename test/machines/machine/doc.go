// SPDX-License-Identifier: Apache-2.0

// Package machine makes Debian machines under User-Mode Linux, which needs no KVM: a root file system and a kernel of a release, kept
// in a cache, and stands of booted machines, joined by bridges in a network namespace of their own. It needs root.
//
// A machine has three interfaces: mgmt0, by which commands reach it; eth0, with an address in the stand's network; and eth1, without
// an address, in the trunk. The stand sets its MAC addresses and its machine id, because machines without entropy draw equal ones.
package machine
