// SPDX-License-Identifier: Apache-2.0

// Package bridge makes a switch hold the flows that it should have and keeps them there.
//
// A Reconciler owns the desired State of one host. Every change of the State recompiles the owners that it affects, and the difference goes
// to the switch in one bundle with one barrier. When the switch connects, and at long intervals afterwards, the Reconciler compares the
// flows of the switch with the desired ones and sends only the difference.
package bridge
