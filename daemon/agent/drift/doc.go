// Package drift finds what others have changed on a host outside of the flow tables - ports of the switch, addresses of the
// host's own interfaces - tells which object it belongs to, and has it put right.
package drift
