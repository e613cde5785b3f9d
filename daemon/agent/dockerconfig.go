package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/contiv/contiv/daemon/agent/docker"
	"github.com/contiv/contiv/daemon/agent/node"
	"github.com/contiv/contiv/daemon/flags"
)

// dockerOptions are what netplugin is told of the Docker engine of its host.
type dockerOptions struct {
	Name   string
	Folder string
	Scope  string
	Engine string
	Agent  string // socket of the agent behind a door; "": there is none
	Door   bool   // be that door
}

// Scopes of Docker networks.
const (
	scopeLocal  = "local"
	scopeGlobal = "global"
)

// orchestrator is who runs containers as far as the command line says: ModeAuto is left for a host that may have a Docker engine, now or later.
func (o *options) orchestrator() string {
	if o.Mode == flags.ModeAuto && (o.InCluster || o.Kube != "") {
		return flags.ModeKubernetes
	}
	return o.Mode
}

func (o *dockerOptions) register(s *flags.Set) {
	s.String(&o.Name, "plugin-name", "PLUGIN_NAME", docker.DefaultName, "with --mode docker, swarm-mode or auto: how Docker calls this network driver")
	s.String(&o.Folder, "docker-plugins", "DOCKER_PLUGINS", docker.DefaultFolder, "folder in which Docker looks for the driver's socket")
	s.String(&o.Engine, "docker-socket", "DOCKER_SOCKET", "/var/run/docker.sock", "unix socket of this host's Docker engine, which is asked with --mode docker and swarm-mode, and with auto from when it is there")
	s.String(&o.Agent, "docker-agent-socket", "DOCKER_AGENT_SOCKET", "", "unix socket at which netplugin --docker-door finds this agent, such as "+docker.DefaultAgentSocket+" (default: the agent itself serves in --docker-plugins, and Docker waits for it while it is away)")
	s.Bool(&o.Door, "docker-door", "DOCKER_DOOR", "instead of an agent's work, serve in --docker-plugins, pass what Docker asks on to the agent at --docker-agent-socket, and refuse it at once while that is away")
	s.String(&o.Scope, "docker-scope", "DOCKER_SCOPE", "", "whose networks Docker's are: local (each engine's own) or global (a swarm's) (default: global with --mode swarm-mode, else local)")
}

// pluginName is how a driver may be called: it is a file's name and a host's in a URL; a managed plugin's is like an image's.
var pluginName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$|^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,254}$`)

// check checks the options, and fills in what follows from the mode.
func (o *dockerOptions) check(mode string) error {
	if !pluginName.MatchString(o.Name) {
		return fmt.Errorf("--plugin-name %q: it is a name of letters, digits, dots and dashes, such as %s, or a managed plugin's, such as contiv/v2plugin:latest", o.Name, docker.DefaultName)
	}
	if !filepath.IsAbs(o.Folder) {
		return fmt.Errorf("--docker-plugins %q: it is the whole path of a folder, such as %s", o.Folder, docker.DefaultFolder)
	}
	if o.Agent != "" && !filepath.IsAbs(o.Agent) {
		return fmt.Errorf("--docker-agent-socket %q: it is the whole path of a socket, such as %s", o.Agent, docker.DefaultAgentSocket)
	}
	if o.Scope == "" {
		o.Scope = scopeLocal
		if mode == flags.ModeSwarm {
			o.Scope = scopeGlobal
		}
	}
	return flags.OneOf("docker-scope", o.Scope, scopeLocal, scopeGlobal)
}

// part is what the agent has to do with Docker: nothing unless the mode is one of Docker's, or auto. In a swarm, its managers make the networks.
func (o *dockerOptions) part(mode string) node.Docker {
	if mode != flags.ModeDocker && mode != flags.ModeSwarm && mode != flags.ModeAuto {
		return node.Docker{}
	}
	return node.Docker{Plugin: cmp.Or(o.Agent, o.socket()), Driver: o.Name, Global: o.Scope == scopeGlobal, Engine: o.Engine, Keep: mode != flags.ModeSwarm,
		Sought: mode == flags.ModeAuto}
}

// socket is where the driver is served. A managed plugin serves where its config.json says, however it is called.
func (o *dockerOptions) socket() string {
	name := o.Name
	if strings.ContainsAny(name, "/:") {
		name = docker.DefaultName
	}
	return filepath.Join(o.Folder, name+".sock")
}
