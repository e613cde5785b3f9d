// SPDX-License-Identifier: Apache-2.0

// Package vswitchd runs commands of ovs-vswitchd and parses their answers.
//
// A Control sends commands to the control socket, as ovs-appctl does: JSON-RPC 1.0 over a unix socket (ovs-vswitchd(8), "Runtime
// Management Commands"). The parsers read what ovs-vswitchd prints for people: the path of a packet (ofproto/trace), tracked connections
// and their limits (dpctl/dump-conntrack, dpctl/ct-get-limits), and link aggregation (lacp/show).
package vswitchd
