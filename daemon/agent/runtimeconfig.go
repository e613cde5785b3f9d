package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/containernetworking/cni/libcni"

	"github.com/contiv/contiv/daemon/agent/node"
	"github.com/contiv/contiv/daemon/flags"
)

// runtimeOptions say where the container runtime looks for CNI plugins.
type runtimeOptions struct {
	Conf, Bin, Cache string
	Stays            bool
}

func (o *runtimeOptions) register(s *flags.Set) {
	s.String(&o.Conf, "cni-conf-dir", "CNI_CONF_DIR", "", "folder in which the container runtime looks for network configurations, such as /etc/cni/net.d: one is kept there from when this agent serves until it ends (default: that is left to others)")
	s.String(&o.Bin, "cni-bin-dir", "CNI_BIN_DIR", "", "folder in which the container runtime looks for plugins, such as /opt/cni/bin: the contivk8s beside netplugin is kept there (default: that is left to others)")
	s.String(&o.Cache, "cni-cache-dir", "CNI_CACHE_DIR", libcni.CacheDir, "folder of the container runtime's CNI library: a result of ours that a runtime was killed at writing is removed from it, since no pod with one can be deleted; empty: that is left to others")
	s.Bool(&o.Stays, "cni-conf-stays", "CNI_CONF_STAYS", "leave that configuration when this agent ends, as in a pod, whose end another follows: without one the node is not ready, and neither are its pods")
}

func (o *runtimeOptions) check() error {
	if o.Bin != "" && o.Conf == "" {
		return fmt.Errorf("--cni-bin-dir %s: --cni-conf-dir is required with it: name the folder of network configurations, such as /etc/cni/net.d", o.Bin)
	}
	if o.Stays && o.Conf == "" {
		return errors.New("--cni-conf-stays: --cni-conf-dir is required with it: name the folder of network configurations, such as /etc/cni/net.d")
	}
	for flag, dir := range map[string]string{"cni-conf-dir": o.Conf, "cni-bin-dir": o.Bin, "cni-cache-dir": o.Cache} {
		if dir != "" && !filepath.IsAbs(dir) {
			return fmt.Errorf("--%s %s: it begins with /", flag, dir)
		}
	}
	return nil
}

// part is what the agent is told.
func (o *runtimeOptions) part() (out node.RuntimeConf, err error) {
	out.Cache = o.Cache
	if o.Conf == "" {
		return out, nil
	}
	own, err := os.Executable()
	if err != nil {
		return out, fmt.Errorf("--cni-bin-dir: where this program is, is not known: %w", err)
	}
	out.Program, out.Bin, out.Conf, out.Stays = filepath.Join(filepath.Dir(own), "contivk8s"), o.Bin, o.Conf, o.Stays
	return out, nil
}
