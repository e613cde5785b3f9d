// SPDX-License-Identifier: Apache-2.0

// Package registration registers this machine at netmasters as the host of its label, with its identity and the instance id of its agent.
// It also holds the lock by which one agent at a time works with an Open vSwitch. Of two machines with one label or address the second is
// refused, with the reason.
package registration
