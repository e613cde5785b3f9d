// SPDX-License-Identifier: Apache-2.0

// Package observe keeps a log of a host's connections: first packets that rules refuse or that match no flow, which the switch sends to the
// agent, and connections that its tracker has started or stopped tracking. The log is a ring in memory, which clients read.
package observe
