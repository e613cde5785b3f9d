package cniconf

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"
)

// Keeper keeps the plugin and its configuration on a host while it runs.
type Keeper struct {
	Program string          // path of the plugin to be installed; its name there is the same
	Bin     string          // folder in which the runtime looks for plugins; "" leaves that to others
	Conf    string          // folder in which it looks for configurations
	Stays   bool            // the configuration stays when the agent ends: another takes its place
	Waiting func() []string // what the agent lacks to serve; none: the configuration may be written
	Every   time.Duration   // how often it looks
	Log     *slog.Logger
}

// Modes of what is written.
const (
	programMode fs.FileMode = 0o755
	confMode    fs.FileMode = 0o644
)

// Run installs the plugin, writes the configuration as soon as the agent serves, and puts both back when they are changed, until ctx ends.
// Then it removes the configuration, unless that stays, and leaves the plugin: pods that end need it, whoever connects new ones. What
// cannot be written is logged and tried again.
func (k *Keeper) Run(ctx context.Context) error {
	conf, err := Conf(filepath.Base(k.Program))
	if err != nil {
		return err
	}
	at := filepath.Join(k.Conf, File)
	defer func() {
		if k.Stays {
			return
		}
		switch gone, err := withdraw(at, conf, confMode); {
		case err != nil:
			k.Log.Error("the configuration of CNI stays, though the agent ends", "error", err)
		case gone:
			k.Log.Info("removed the configuration of CNI: no pod is sent here while no agent is", "path", at)
		}
	}()
	tick := time.NewTicker(k.Every)
	defer tick.Stop()
	said := ""
	for serves := false; ; {
		err := k.install()
		if serves = serves || len(k.Waiting()) == 0; serves && err == nil {
			err = k.write(at, conf)
		}
		if err != nil && err.Error() != said {
			k.Log.Error("the CNI plugin is not installed, and is tried again", "error", err)
		}
		if said = ""; err != nil {
			said = err.Error()
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// install puts the plugin into Bin.
func (k *Keeper) install() error {
	if k.Bin == "" {
		return nil
	}
	to := filepath.Join(k.Bin, filepath.Base(k.Program))
	if from, err := os.Stat(k.Program); err == nil {
		if there, err := os.Stat(to); err == nil && os.SameFile(from, there) {
			return nil
		}
	}
	text, err := os.ReadFile(k.Program)
	if err != nil {
		return fmt.Errorf("--cni-bin-dir: the plugin is to be beside netplugin: %w", err)
	}
	return k.put("--cni-bin-dir", to, text, programMode)
}

func (k *Keeper) write(at string, conf []byte) error {
	return k.put("--cni-conf-dir", at, conf, confMode)
}

func (k *Keeper) put(flag, path string, text []byte, mode fs.FileMode) error {
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), tidy(path)); err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	changed, err := put(path, text, mode)
	if err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	if changed {
		k.Log.Info("installed", "path", path)
	}
	return nil
}
