// Package dns answers the DNS queries of containers about the names of their tenant.
//
// A Zone holds the names; it only computes. A Responder catches the queries in the switch, answers those about names of the Zone, and lets
// all others continue to their destination. Queries to a gateway that is the switch itself have no destination; a Forwarder sends those to
// the host's own name servers.
package dns
