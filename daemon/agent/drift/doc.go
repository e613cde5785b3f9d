// Package drift finds what others have changed on a host outside of the flow tables - the bridge and its ports, addresses of the
// host's own interfaces, tables of nftables, kernel settings, host ends of containers - says which object it belongs to, and has it put right.
package drift
