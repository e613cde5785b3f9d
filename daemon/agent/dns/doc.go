// Package dns answers what containers ask name servers: who in their tenant has a name.
//
// A Zone is what there is to say; it computes only. A Responder catches the questions in the switch, answers those that
// the Zone knows, and lets all others go where they are addressed to. Questions to a gateway that is the switch itself
// lead nowhere; a Forwarder asks the host's own name servers for those.
package dns
