// SPDX-License-Identifier: Apache-2.0

package dockerhost

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/contiv/contiv/daemon/agent/docker"
	"github.com/contiv/contiv/daemon/agent/dockerd"
	"github.com/contiv/contiv/daemon/flags"
)

// Settings configure the Docker engine of this host.
type Settings struct {
	Name   string
	Dir    string
	Scope  string
	Engine string
	Agent  string // socket of the agent behind a proxy; "": there is none
	Proxy  bool   // this process is that proxy
	Kept   string // file with the networks that the agent keeps
}

// Driver describes the registration of the network driver, and the engine to use.
type Driver struct {
	Plugin string // unix socket of the driver; "": no driver and no engine are used
	Name   string // as Docker knows it
	Global bool   // networks belong to a whole swarm
	Engine string // unix socket of the engine
	Keep   bool   // the engine's networks are kept equal to the cluster's
	Kept   string // file in which the agent saves what these networks stand for; "": it saves nothing
	Sought bool   // all this applies from when the host has the engine's socket
}

// Scopes of Docker networks.
const (
	ScopeLocal  = "local"
	ScopeGlobal = "global"
)

// Register adds the flags.
func (o *Settings) Register(s *flags.Set) {
	s.String(&o.Name, "plugin-name", "PLUGIN_NAME", docker.DefaultName, "name of this network driver in Docker, with --mode docker, swarm-mode or auto")
	s.String(&o.Dir, "docker-plugins", "DOCKER_PLUGINS", docker.DefaultDir, "directory of Docker plugins, for the driver's socket")
	s.String(&o.Engine, "docker-socket", "DOCKER_SOCKET", "/var/run/docker.sock", "unix socket of this host's Docker engine, used with --mode docker and swarm-mode, and with auto as soon as it exists")
	s.String(&o.Agent, "docker-agent-socket", "DOCKER_AGENT_SOCKET", "", "unix socket for requests of netplugin --docker-door, such as "+docker.DefaultAgentSocket+" (default: the agent itself serves in --docker-plugins, and Docker waits for it while it is away)")
	s.Bool(&o.Proxy, "docker-door", "DOCKER_DOOR", "run as a proxy instead of an agent: serve Docker in --docker-plugins, forward its requests to the agent at --docker-agent-socket, and refuse them at once while the agent is away")
	s.WithoutKeys("docker-door")
	s.String(&o.Kept, "docker-networks-file", "DOCKER_NETWORKS_FILE", dockerd.DefaultKeptFile, "file with the networks that the agent keeps in this host's Docker engine; required for containers that start with the host")
	s.String(&o.Scope, "docker-scope", "DOCKER_SCOPE", "", "scope of Docker networks: local (of one engine) or global (of a swarm) (default: global with --mode swarm-mode, else local)")
}

// pluginName matches names of a driver, which are a file's name and a host's in a URL; a managed plugin's is like an image's.
var pluginName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$|^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,254}$`)

// Check checks the settings, and sets what follows from the mode.
func (o *Settings) Check(mode string) error {
	if !pluginName.MatchString(o.Name) {
		return fmt.Errorf("--plugin-name %q: it is a name of letters, digits, dots and dashes, such as %s, or a managed plugin's, such as contiv/v2plugin:latest", o.Name, docker.DefaultName)
	}
	if !filepath.IsAbs(o.Dir) {
		return fmt.Errorf("--docker-plugins %q: it is the whole path of a directory, such as %s", o.Dir, docker.DefaultDir)
	}
	if o.Agent != "" && !filepath.IsAbs(o.Agent) {
		return fmt.Errorf("--docker-agent-socket %q: it is the whole path of a socket, such as %s", o.Agent, docker.DefaultAgentSocket)
	}
	if o.Kept != "" && !filepath.IsAbs(o.Kept) {
		return fmt.Errorf("--docker-networks-file %q: it is the whole path of a file, such as %s", o.Kept, dockerd.DefaultKeptFile)
	}
	if o.Scope == "" {
		o.Scope = ScopeLocal
		if mode == flags.ModeSwarm {
			o.Scope = ScopeGlobal
		}
	}
	return flags.OneOf("docker-scope", o.Scope, ScopeLocal, ScopeGlobal)
}

// Driver returns the agent's role for Docker: none unless the mode is one of Docker's, or auto. In a swarm, its managers create the
// networks.
func (o *Settings) Driver(mode string) Driver {
	if mode != flags.ModeDocker && mode != flags.ModeSwarm && mode != flags.ModeAuto {
		return Driver{}
	}
	return Driver{Plugin: cmp.Or(o.Agent, o.Socket()), Name: o.Name, Global: o.Scope == ScopeGlobal, Engine: o.Engine, Keep: mode != flags.ModeSwarm, Kept: o.Kept,
		Sought: mode == flags.ModeAuto}
}

// Socket returns the driver's socket. A managed plugin uses that of its config.json, regardless of its name.
func (o *Settings) Socket() string {
	name := o.Name
	if strings.ContainsAny(name, "/:") {
		name = docker.DefaultName
	}
	return filepath.Join(o.Dir, name+".sock")
}
