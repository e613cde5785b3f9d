// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"os"
	"path/filepath"

	"github.com/contiv/contiv/lab/hostinit"
)

// PartContainerd is the containerd of a host with Kubernetes, or with an engine that does not start one itself.
const PartContainerd = "containerd"

// containerdSocket is its socket on the host.
const containerdSocket = "/run/containerd/containerd.sock"

// engineConfig is its configuration file, in the host's directory, if only an engine uses it. Kubernetes' interface is off, and everything
// that would create directories outside of the host's.
const engineConfig = `version = 3
root = "` + hostinit.Inside + `/containerd"
state = "/run/containerd/state"
disabled_plugins = ["io.containerd.cri.v1.images", "io.containerd.cri.v1.runtime", "io.containerd.grpc.v1.cri",
	"io.containerd.internal.v1.opt", "io.containerd.nri.v1.nri"]

[grpc]
address = "` + containerdSocket + `"
`

// podConfig is that file if Kubernetes uses it. Both generations read this version. The score by which the kernel ends processes is not
// lowered: that needs a capability that a container's root does not have.
const podConfig = `version = 2
root = "` + hostinit.Inside + `/containerd"
state = "/run/containerd/state"
disabled_plugins = ["io.containerd.internal.v1.opt", "io.containerd.nri.v1.nri"]

[grpc]
address = "` + containerdSocket + `"

[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "` + PauseImage + `"
disable_apparmor = true
restrict_oom_score_adj = true
`

// hasContainerd reports whether containerd is a part of its own: it is with Kubernetes, and if the engine is not the machine's.
func (p *Plan) hasContainerd() bool { return p.Kubernetes != nil || p.ownEngine() }

// ownEngine reports whether the Docker engine is not the machine's.
func (p *Plan) ownEngine() bool { return p.Docker && p.DockerBin != "" }

// containerdArgs is the command line of containerd.
func (p *Plan) containerdArgs() []string {
	return []string{"containerd", "--config", hostinit.Inside + "/containerd.toml"}
}

// configureContainerd writes the configuration of a host's containerd.
func (l *Lab) configureContainerd(host int) error {
	text := engineConfig
	if l.Kubernetes != nil {
		text = podConfig
	}
	return os.WriteFile(filepath.Join(l.hostDir(hostName(host)), "containerd.toml"), []byte(text), 0o644)
}
