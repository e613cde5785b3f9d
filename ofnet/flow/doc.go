// SPDX-License-Identifier: Apache-2.0

// Package flow holds OpenFlow 1.3 forwarding state as comparable values: matches, actions, flows, groups, meters, sets of them and the
// difference between two sets.
//
// A Match and an action list are kept as their canonical wire bytes inside a string. Two equal values are therefore equal with ==, can be
// map keys, cost one allocation, and are copied to and from a switch. The text form is the one that ovs-ofctl(8) prints and reads, with
// table numbers or names. The package only computes: it has no sockets, files, clocks or goroutines.
package flow
