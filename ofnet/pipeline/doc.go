// SPDX-License-Identifier: Apache-2.0

// Package pipeline compiles the State of a host into the flows, groups and meters of its switch.
//
// The pipeline is one ordered list of named tables. A Feature declares tables, each with the fate of packets that match no flow, and
// contributes the flows that one owner causes. The pipeline drops packets of unknown ports, VNIs, VLANs, tunnel peers and destinations.
package pipeline
