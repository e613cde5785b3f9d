package cni

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/containernetworking/cni/libcni"

	"github.com/contiv/contiv/cni/wire"
	"github.com/contiv/contiv/daemon/flags"
)

// Settings are the paths of the CNI service and of the container runtime.
type Settings struct {
	Socket  string // "": CNI is not served
	Mesos   string // of CNI for Mesos; "": not served. Check sets it
	Program string // the plugin to install; "": contivk8s beside this program
	Conf    string // directory of configurations; "": another program writes one
	Bin     string // directory of plugins; "": another program installs them
	Stays   bool   // the configuration stays when the agent ends
	Cache   string // directory of the CNI library's cache; "": incomplete files there are left to others

	mesos string
}

// Register adds the flags.
func (s *Settings) Register(f *flags.Set) {
	f.String(&s.Socket, "cni-socket", "CNI_SOCKET", wire.DefaultSocket, "unix socket at which the CNI plugin asks")
	f.String(&s.mesos, "mesos-socket", "MESOS_SOCKET", "", "unix socket at which netcontiv, the CNI plugin of Mesos, asks, or off (default: contiv-mesos.sock beside --cni-socket)")
	f.String(&s.Conf, "cni-conf-dir", "CNI_CONF_DIR", "", "directory in which the container runtime looks for network configurations, such as /etc/cni/net.d: one is kept there from when this agent serves until it ends (default: that is left to others)")
	f.String(&s.Bin, "cni-bin-dir", "CNI_BIN_DIR", "", "directory in which the container runtime looks for plugins, such as /opt/cni/bin: the contivk8s beside netplugin is kept there (default: that is left to others)")
	f.String(&s.Cache, "cni-cache-dir", "CNI_CACHE_DIR", libcni.CacheDir, "directory of the container runtime's CNI library: a result of ours that a runtime was killed at writing is removed from it, since no pod with one can be deleted; empty: that is left to others")
	f.Bool(&s.Stays, "cni-conf-stays", "CNI_CONF_STAYS", "leave that configuration when this agent ends, as in a pod, whose end another follows: without one the node is not ready, and neither are its pods")
}

// Check returns an error for invalid settings.
func (s *Settings) Check() error {
	if s.Bin != "" && s.Conf == "" {
		return fmt.Errorf("--cni-bin-dir %s: --cni-conf-dir is required with it: name the directory of network configurations, such as /etc/cni/net.d", s.Bin)
	}
	if s.Stays && s.Conf == "" {
		return errors.New("--cni-conf-stays: --cni-conf-dir is required with it: name the directory of network configurations, such as /etc/cni/net.d")
	}
	for _, folder := range []struct{ flag, path string }{{"cni-conf-dir", s.Conf}, {"cni-bin-dir", s.Bin}, {"cni-cache-dir", s.Cache}} {
		if folder.path != "" && !filepath.IsAbs(folder.path) {
			return fmt.Errorf("--%s %s: it begins with /", folder.flag, folder.path)
		}
	}
	switch s.Mesos = s.mesos; s.mesos {
	case s.Socket:
		return fmt.Errorf("--mesos-socket %s: --cni-socket is there already; name another path", s.mesos)
	case "off":
		s.Mesos = ""
	case "":
		s.Mesos = filepath.Join(filepath.Dir(s.Socket), filepath.Base(wire.MesosSocket))
	}
	return nil
}

// program returns the path of the plugin to install.
func (s *Settings) program() (string, error) {
	if s.Program != "" {
		return s.Program, nil
	}
	own, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("--cni-bin-dir: where this program is, is not known: %w", err)
	}
	return filepath.Join(filepath.Dir(own), "contivk8s"), nil
}
