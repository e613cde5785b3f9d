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
	"sync"
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

// settings are what the plugin is told by its environment, besides what the programs read themselves.
type settings struct {
	role   string // "netplugin", or "netmaster": both programs
	logDir string
}

// The plugin's roles.
const (
	roleAgent  = "netplugin"
	roleMaster = "netmaster"
)

func read(getenv func(string) string) (*settings, error) {
	s := &settings{role: getenv("CONTIV_ROLE"), logDir: getenv("CONTIV_LOG_DIR")}
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
		return nil, fmt.Errorf("CONTIV_LOG_DIR %s: it begins with /", s.logDir)
	}
	return s, nil
}

// run is the plugin until ctx ends. It returns the exit code.
func run(ctx context.Context, getenv func(string) string, bin string, stderr io.Writer) int {
	s, err := read(getenv)
	if err != nil {
		fmt.Fprintln(stderr, "startcontiv:", err)
		return flags.ExitConfig
	}
	files := &logs{dir: s.logDir, stderr: stderr}
	own := files.open("plugin_bootup")
	log, err := logging.New(logging.Config{Level: "INFO"}, "startcontiv", io.MultiWriter(stderr, own))
	if err != nil {
		fmt.Fprintln(stderr, "startcontiv:", err)
		return flags.ExitConfig
	}
	log.Info("the plugin starts", "version", build.Info().Version, "role", s.role, "path", s.logDir)
	if err := openSettings(); err != nil {
		log.Warn("the kernel's network settings cannot be changed in the plugin: make them on the host", "error", err)
	}
	supervise(ctx, s.role, func(name string) *program {
		return &program{name: name, path: filepath.Join(bin, name), out: files.open(name), log: log}
	})
	log.Info("the plugin has ended")
	return 0
}

// supervise runs the programs of a role until ctx ends. Then the agent ends first, so that a netmaster is there for what it still asks.
func supervise(ctx context.Context, role string, program func(name string) *program) {
	masters, end := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	if role == roleMaster {
		running.Go(func() { program(roleMaster).run(masters) })
	}
	program(roleAgent).run(ctx)
	end()
	running.Wait()
}

// openSettings makes /proc/sys writable, which engines put under a read-only mount in every container: forwarding and the like are
// the agent's to set. What is there already writable stays as it is.
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
