// Package bridge brings a switch to the flows that it should have and keeps it there.
//
// A Reconciler owns the desired State of one host. Every change of it recompiles the owners it touches, and the
// difference goes to the switch in one bundle with one barrier. When the switch connects, and slowly for ever after,
// the Reconciler compares what the switch holds with what it should hold and sends only the difference.
package bridge
