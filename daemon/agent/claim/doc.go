// Package claim lets one machine at a time be a host of the cluster: its label, its tunnel end and its control address belong to
// the machine that took them first, until an operator frees them. A second agent with one of them is refused and says why.
package claim
