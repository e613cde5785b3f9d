// SPDX-License-Identifier: Apache-2.0

// Command startcontiv is process 1 of the managed Docker plugin: it runs netplugin, and netmaster on hosts that have that role,
// starts them again when they end, and keeps their logs. Open vSwitch is the host's: the data plane does not die with the plugin.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/contiv/contiv/build"
	"github.com/contiv/contiv/daemon/flags"
	"github.com/contiv/contiv/daemon/logging"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	os.Exit(run(ctx, os.Getenv, "/bin", os.Stderr))
}

// settings are the plugin's own settings in its environment, beside those of the programs.
type settings struct {
	role   string // "netplugin", or "netmaster": both programs
	logDir string
	proxy  bool // netplugin has a plugin proxy for the engine
}

// The plugin's roles.
const (
	roleAgent  = "netplugin"
	roleMaster = "netmaster"
)

// proxyProgram is the program that serves the engine while netplugin is away, which is netplugin with proxyFlag. It runs if netplugin's
// socket for it is set.
const (
	proxyProgram        = "docker-door"
	proxyFlag           = "--docker-door"
	agentSocketVariable = "CONTIV_NETPLUGIN_DOCKER_AGENT_SOCKET"
)

func read(getenv func(string) string) (*settings, error) {
	s := &settings{role: getenv("CONTIV_ROLE"), logDir: getenv("CONTIV_LOG_DIR"), proxy: getenv(agentSocketVariable) != ""}
	if s.role == "" {
		s.role = roleAgent
	}
	if s.logDir == "" {
		s.logDir = "/var/log/contiv"
	}
	if s.role != roleAgent && s.role != roleMaster {
		return nil, fmt.Errorf("CONTIV_ROLE %s: it is %s, or %s for both programs", s.role, roleAgent, roleMaster)
	}
	if !filepath.IsAbs(s.logDir) {
		return nil, fmt.Errorf("CONTIV_LOG_DIR: got %q, want an absolute path", s.logDir)
	}
	return s, nil
}

// run runs the plugin until ctx ends. It returns the exit code.
func run(ctx context.Context, getenv func(string) string, bin string, stderr io.Writer) int {
	s, err := read(getenv)
	if err != nil {
		fmt.Fprintln(stderr, "startcontiv:", err)
		return flags.ExitConfig
	}
	files := &logs{dir: s.logDir, stderr: stderr}
	own := files.open("plugin_bootup")
	log, err := logging.New(logging.Config{Level: "INFO"}, "startcontiv", io.MultiWriter(stderr, own), nil)
	if err != nil {
		fmt.Fprintln(stderr, "startcontiv:", err)
		return flags.ExitConfig
	}
	log.Info("starting the plugin", "version", build.Info().Version, "role", s.role, "path", s.logDir)
	if err := openSettings(); err != nil {
		log.Warn("the plugin cannot change the kernel's network settings: set them on the host", "error", err)
	}
	supervise(ctx, s, func(name string) *program {
		p := &program{name: name, path: filepath.Join(bin, name), out: files.open(name), log: log}
		if name == proxyProgram {
			p.path, p.args = filepath.Join(bin, roleAgent), []string{proxyFlag}
		}
		return p
	})
	log.Info("the plugin has ended")
	return 0
}

// supervise runs the programs until ctx ends. Then the agent ends first, so that a netmaster is available for its last requests, and the
// proxy last, so that the engine gets answers until then.
func supervise(ctx context.Context, s *settings, program func(name string) *program) {
	var ends []func()
	for _, outlives := range []struct {
		name string
		is   bool
	}{{proxyProgram, s.proxy}, {roleMaster, s.role == roleMaster}} {
		if !outlives.is {
			continue
		}
		own, cancel := context.WithCancel(context.WithoutCancel(ctx))
		ended := make(chan struct{})
		go func() { defer close(ended); program(outlives.name).run(own) }()
		ends = append(ends, func() { cancel(); <-ended })
	}
	program(roleAgent).run(ctx)
	for _, end := range slices.Backward(ends) {
		end()
	}
}

// openSettings makes /proc/sys writable, which engines put under a read-only mount in every container: the agent must set forwarding and
// other settings. Existing writable mounts stay as they are.
func openSettings() error {
	const dir = "/proc/sys"
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	if fs.Flags&syscall.MS_RDONLY == 0 {
		return nil
	}
	if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil && !errors.Is(err, syscall.EINVAL) {
		return fmt.Errorf("unmount what covers %s: %w", dir, err)
	}
	return nil
}
