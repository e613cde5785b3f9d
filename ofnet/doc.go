// Package ofnet holds the words in which forwarding is described: hosts, segments, endpoints, groups.
//
// The words carry decisions that are already made - numbered, addressed, placed - and nothing about how a switch
// carries them out. The agent translates store records into a State; ofnet/pipeline compiles a State into flows.
// The package computes: it has no sockets, files, clocks or goroutines, and imports nothing of this module
// but its tables.
package ofnet
