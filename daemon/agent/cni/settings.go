// SPDX-License-Identifier: Apache-2.0

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
	f.String(&s.Socket, "cni-socket", "CNI_SOCKET", wire.DefaultSocket, "unix socket for requests of the CNI plugin")
	f.String(&s.mesos, "mesos-socket", "MESOS_SOCKET", "", "unix socket for requests of netcontiv, the CNI plugin of Mesos, or off (default: contiv-mesos.sock beside --cni-socket)")
	f.String(&s.Conf, "cni-conf-dir", "CNI_CONF_DIR", "", "directory of the container runtime's network configurations, such as /etc/cni/net.d; the agent keeps one there while it serves (default: the agent writes none)")
	f.String(&s.Bin, "cni-bin-dir", "CNI_BIN_DIR", "", "directory of the container runtime's plugins, such as /opt/cni/bin; the agent installs the contivk8s beside netplugin there (default: the agent installs none)")
	f.String(&s.Cache, "cni-cache-dir", "CNI_CACHE_DIR", libcni.CacheDir, "cache directory of the container runtime's CNI library; the agent removes incomplete results of Contiv from it, with which pods cannot be deleted (empty: the agent removes none)")
	f.Bool(&s.Stays, "cni-conf-stays", "CNI_CONF_STAYS", "keep the network configuration when this agent ends, as in a pod that another one replaces: without it the node is not ready")
}

// Check returns an error for invalid settings.
func (s *Settings) Check() error {
	if s.Bin != "" && s.Conf == "" {
		return fmt.Errorf("--cni-bin-dir %s requires --cni-conf-dir: set it to the directory of network configurations, such as /etc/cni/net.d", s.Bin)
	}
	if s.Stays && s.Conf == "" {
		return errors.New("--cni-conf-stays requires --cni-conf-dir: set it to the directory of network configurations, such as /etc/cni/net.d")
	}
	for _, folder := range []struct{ flag, path string }{{"cni-conf-dir", s.Conf}, {"cni-bin-dir", s.Bin}, {"cni-cache-dir", s.Cache}} {
		if folder.path != "" && !filepath.IsAbs(folder.path) {
			return fmt.Errorf("--%s: got %s, want an absolute path", folder.flag, folder.path)
		}
	}
	switch s.Mesos = s.mesos; s.mesos {
	case s.Socket:
		return fmt.Errorf("--mesos-socket: got %s, which is --cni-socket: use another path", s.mesos)
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
		return "", fmt.Errorf("--cni-bin-dir: the path of this program is unknown: %w", err)
	}
	return filepath.Join(filepath.Dir(own), "contivk8s"), nil
}
