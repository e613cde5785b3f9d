// Package uninstall takes off a host what an agent has put there: the CNI configuration first, so that no pod is sent there for nothing,
// then its bridge, its interfaces, its rules in nftables and its files.
package uninstall
