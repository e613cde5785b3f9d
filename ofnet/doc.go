// SPDX-License-Identifier: Apache-2.0

// Package ofnet has the types that describe forwarding: hosts, segments, endpoints, groups.
//
// The types hold decisions that are already made - numbered, addressed, placed - and nothing about how a switch implements them. The agent
// translates store records into a State; ofnet/pipeline compiles a State into flows. The package only computes: it has no sockets, files,
// clocks or goroutines, and imports nothing of this module but its tables.
package ofnet
