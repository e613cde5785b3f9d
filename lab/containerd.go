package lab

import (
	"os"
	"path/filepath"

	"github.com/contiv/contiv/lab/hostinit"
)

// PartContainerd is the containerd of a host whose engine does not start one itself.
const PartContainerd = "containerd"

// containerdSocket is where it serves on its host.
const containerdSocket = "/run/containerd/containerd.sock"

// containerdConfig is the file that it reads, in the host's folder. Kubernetes' interface is off, and what would make folders
// outside of the host's.
const containerdConfig = `version = 3
root = "` + hostinit.Inside + `/containerd"
state = "/run/containerd/state"
disabled_plugins = ["io.containerd.cri.v1.images", "io.containerd.cri.v1.runtime", "io.containerd.grpc.v1.cri",
	"io.containerd.internal.v1.opt", "io.containerd.nri.v1.nri"]

[grpc]
address = "` + containerdSocket + `"
`

// hasContainerd says whether containerd is a part of its own: it is when the engine is not the machine's.
func (p *Plan) hasContainerd() bool { return p.Docker && p.DockerBin != "" }

// containerdArgs is the command line of containerd.
func (p *Plan) containerdArgs() []string {
	return []string{"containerd", "--config", hostinit.Inside + "/containerd.toml"}
}

// configureContainerd writes what a host's containerd reads.
func (l *Lab) configureContainerd(host int) error {
	return os.WriteFile(filepath.Join(l.hostDir(hostName(host)), "containerd.toml"), []byte(containerdConfig), 0o644)
}
