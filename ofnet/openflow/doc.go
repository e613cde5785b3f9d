// SPDX-License-Identifier: Apache-2.0

// Package openflow implements OpenFlow 1.3 between a controller and a switch, as far as this project needs it: about 25 messages, including
// the bundle extension in Open vSwitch's form for 1.3.
//
// Messages are values; Append writes one, Decode reads one. Decoding never panics and never loops: every length is checked, and parts of
// unknown types are kept as raw bytes. A Conn decodes in its one reader goroutine, so the order of messages is kept and an error for an xid
// belongs to that message.
package openflow
