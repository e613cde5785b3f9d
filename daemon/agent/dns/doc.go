// SPDX-License-Identifier: Apache-2.0

// Package dns answers the DNS queries of containers about the names of their tenant, and about those of their Kubernetes cluster.
//
// A Zone answers from snapshots of the agent's records; it only computes. It has the names of the cluster too: of its services, their
// backends and its pods (DNS-Based Service Discovery, schema version 1.1.0). A Responder catches the queries in the switch, answers those
// about names of the Zone, and lets all others continue to their destination. Queries to a gateway that is the switch itself have no
// destination; a Forwarder sends those to the host's own name servers.
package dns
