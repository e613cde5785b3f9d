// SPDX-License-Identifier: Apache-2.0

// Package link creates, configures, checks and removes the veth pairs that connect containers to a switch, using only netlink.
//
// Two facts of Linux shape it. Every change of a link in the switch's namespace makes ovs-vswitchd read all its ports, so a pair is made by
// one message: the host end named, grouped and up, the peer already in the container's namespace (moving it later would wait for an RCU
// grace period of about 20 ms). And deleting a link waits for such a period too, once per request, so deletes are collected and done by
// link group in the background.
package link
