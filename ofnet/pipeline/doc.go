// Package pipeline turns the State of a host into the flows, groups and meters of its switch.
//
// The pipeline is one ordered list of named tables. A Feature declares tables, each with what happens to packets
// that nothing takes, and contributes the flows that one owner causes. Whatever the pipeline does not know - a port,
// a VNI, a VLAN, a tunnel peer, a destination - it drops.
package pipeline
