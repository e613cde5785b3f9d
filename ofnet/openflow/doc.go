// Package openflow speaks OpenFlow 1.3 with a switch, as far as this project needs it: about 25 messages, among
// them the bundle extension in the form Open vSwitch has it for 1.3.
//
// Messages are values; Append writes one, Decode reads one. Decoding never panics and never loops: every length is
// checked, and parts with unknown types are kept as raw bytes. A Conn decodes in its one reader goroutine, so order
// is kept and "error for xid n" means what it says.
package openflow
