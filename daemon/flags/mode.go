// SPDX-License-Identifier: Apache-2.0

package flags

// Modes name the runtime of a host's containers. The CNI plugin works in each of them.
const (
	ModeAuto       = "auto"       // Kubernetes where the daemon is configured for it, else Docker where its engine's socket is, else CNI
	ModeCNI        = "cni"        // runtimes that call the CNI plugin, and no one else
	ModeDocker     = "docker"     // Docker engines, each with networks of its own
	ModeKubernetes = "kubernetes" // Kubernetes
	ModeSwarm      = "swarm-mode" // Docker engines with the networks of a swarm
	ModeTest       = "test"       // no one; the original has it
)

// ModeUsage is what a flag for a mode says.
const ModeUsage = "who runs containers: cni, docker, kubernetes, swarm-mode or auto (kubernetes where this is configured for it, docker where a Docker engine's socket is, else cni)"
