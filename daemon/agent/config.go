// SPDX-License-Identifier: Apache-2.0

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
	*flags.Set
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
func parse(args []string, env flags.Env, out io.Writer) (*options, error) {
	o := newOptions(out)
	if err := o.Set.Parse(args, env); err != nil {
		return nil, err
	}
	o.InCluster = env.Get("KUBERNETES_SERVICE_HOST") != "" // which the kubelet gives every container
	return o, o.Explain(o.checkAll())
}

// newOptions returns options without values. Help goes to out.
func newOptions(out io.Writer) *options {
	o := &options{Set: flags.New("netplugin", "CONTIV_NETPLUGIN_", out)}
	o.register(o.Set)
	return o
}

// checkAll checks the options for what the program is to be.
func (o *options) checkAll() error {
	switch {
	case o.Version:
		return nil
	case o.Uninstall.Wanted():
		return errors.Join(o.Uninstall.check(), o.CNI.Check(), o.Docker.Check(o.Mode), o.Log.Check())
	case o.Docker.Proxy:
		return o.checkProxy()
	}
	return o.check()
}

func (o *options) check() error {
	return flags.All(o.Agent.Check, o.checkUplinks, func() error { return o.Settings.Check(o.Mode) })
}

func (o *options) checkUplinks() error {
	if o.NetMode == "vlan" && len(o.Uplinks.NICs) == 0 {
		return fmt.Errorf("--vlan-uplinks is required with --netmode vlan: name the NICs that carry VLANs")
	}
	return nil
}

// orchestrator returns who runs containers as far as the command line says: ModeAuto is left for a host that may have a Docker engine,
// now or later.
func (o *options) orchestrator() string {
	if o.Mode == flags.ModeAuto && (o.InCluster || o.Kube != "") {
		return flags.ModeKubernetes
	}
	return o.Mode
}
