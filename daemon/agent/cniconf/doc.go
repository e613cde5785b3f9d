// Package cniconf installs the CNI plugin, and the configuration that names it, in the directories of the host's container runtime. The
// configuration is written last, when the agent serves, and removed first: without one a node is not ready, and no pod is scheduled there.
package cniconf
