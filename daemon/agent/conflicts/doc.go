// SPDX-License-Identifier: Apache-2.0

// Package conflicts finds address conflicts: a machine behind the uplinks that claims a container's address, and a container that sends
// with another's.
package conflicts
