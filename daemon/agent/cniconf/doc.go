// Package cniconf puts the CNI plugin, and the configuration that names it, where the host's container runtime looks for them. The
// configuration is written last, when the agent serves, and removed first: without one a node is not ready, and no pod is sent there for nothing.
package cniconf
