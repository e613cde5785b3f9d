package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/contiv/contiv/daemon/agent/node"
	"github.com/contiv/contiv/daemon/flags"
)

// inspectPort is where every agent's inspection is served.
const inspectPort = 9090

// options are those of netplugin.
type options struct {
	flags.Agent
	node.Settings
	Uninstall uninstallOptions
	Kube      string
	InCluster bool // this is a pod of Kubernetes
}

func (o *options) register(s *flags.Set) {
	o.Agent.Register(s)
	o.Settings.Register(s)
	o.Uninstall.register(s)
	s.String(&o.Kube, "kubeconfig", "KUBECONFIG", "", "without effect, accepted for old scripts: netmaster reads Kubernetes")
}

// parse reads and checks the command line and the environment. Errors name the flag and the remedy.
func parse(args []string, getenv func(string) string, out io.Writer) (*options, error) {
	o := &options{}
	s := flags.New("netplugin", "CONTIV_NETPLUGIN_", out)
	o.register(s)
	if err := s.Parse(args, getenv); err != nil {
		return nil, err
	}
	o.InCluster = getenv("KUBERNETES_SERVICE_HOST") != "" // which the kubelet gives every container
	switch {
	case o.Version:
		return o, nil
	case o.Uninstall.Wanted():
		return o, errors.Join(o.Uninstall.check(), o.CNI.Check(), o.Docker.Check(o.Mode), o.Log.Check())
	case o.Docker.Proxy:
		return o, o.checkProxy()
	}
	return o, o.check()
}

func (o *options) check() error {
	if err := o.Agent.Check(); err != nil {
		return err
	}
	if o.NetMode == "vlan" && len(o.Uplinks.NICs) == 0 {
		return fmt.Errorf("--vlan-uplinks is required with --netmode vlan: name the NICs that carry VLANs")
	}
	return o.Settings.Check(o.Mode)
}

// orchestrator returns who runs containers as far as the command line says: ModeAuto is left for a host that may have a Docker engine,
// now or later.
func (o *options) orchestrator() string {
	if o.Mode == flags.ModeAuto && (o.InCluster || o.Kube != "") {
		return flags.ModeKubernetes
	}
	return o.Mode
}
