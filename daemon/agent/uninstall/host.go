// SPDX-License-Identifier: Apache-2.0

package uninstall

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/contiv/contiv/checksum"
	"github.com/contiv/contiv/daemon/agent/cniconf"
	"github.com/contiv/contiv/daemon/agent/registration"
	"github.com/contiv/contiv/daemon/agent/tracker"
	"github.com/contiv/contiv/ofnet/link"
)

// limit bounds one request to Open vSwitch.
const limit = 20 * time.Second

// Host describes the agent's resources on its host.
type Host struct {
	Bridge    string         // name of its bridge
	OVSRunDir string         // directory of Open vSwitch's sockets
	Namespace string         // path of the network namespace of Open vSwitch; "" is the process's own
	Conf      string         // directory of CNI configurations; "": the agent has none
	Bin       string         // directory of CNI plugins; "": likewise
	Program   string         // name of the plugin
	Sockets   []string       // of the agent; their directory is removed with them if it is empty
	Further   []string       // further files and directories to remove
	Ledger    link.Ledger    // kernel settings that agents have changed; removed when they are restored
	Limits    tracker.Ledger // limits of the connection tracker that agents have set; removed with them
	Log       *slog.Logger
}

// Remains is something of an agent that an uninstall leaves on the host.
type Remains struct {
	What string
	Why  string // reason, with a remedy if one is necessary
}

// Done has the results of an uninstall.
type Done struct {
	Restored []string // restored kernel settings, in the form of sysctl(8)
	Remains  []Remains
}

// Run removes everything. It continues after an error and returns all errors; absent resources are success, so it may be repeated. It is
// refused while an agent works with the switch. It blocks for some seconds. Interfaces in network namespaces of containers are removed with
// their peers: running containers lose their network.
func (h *Host) Run(ctx context.Context) (Done, error) {
	var done Done
	seat, err := registration.Acquire(h.agentLock())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return done, err
	}
	if seat != nil {
		defer seat.Leave()
	}
	return done, errors.Join(cniconf.Remove(h.Conf, h.Bin, h.Program), h.removeLimits(ctx, &done), h.removeBridge(ctx, &done), h.removeLinks(&done), h.removeFiles())
}

// agentLock returns the lock file of the agent that works with the switch.
func (h *Host) agentLock() string { return filepath.Join(h.OVSRunDir, h.Bridge+".agent") }

// removeLinks deletes the host's ends of containers' interfaces and the tables of nftables, and restores kernel settings.
func (h *Host) removeLinks(done *Done) error {
	links, err := link.Open(h.Namespace)
	if err != nil {
		return err
	}
	defer links.Close()
	names, err := links.Names()
	for _, name := range names {
		h.Log.Warn("running container loses its network", "interface", name)
		err = errors.Join(err, links.Delete(name))
	}
	return errors.Join(err, links.RemoveTables(), h.restoreSettings(links, done))
}

// restoreSettings restores the kernel settings in the ledger, and removes the ledger.
func (h *Host) restoreSettings(links *link.Host, done *Done) error {
	if h.Ledger == "" {
		return nil
	}
	all, err := h.Ledger.Settings()
	damaged := h.Ledger.Damaged()
	if errors.Is(err, checksum.ErrDamaged) || errors.Is(err, checksum.ErrFormat) {
		damaged, err = string(h.Ledger), nil
	}
	if err != nil {
		return err
	}
	if damaged != "" {
		done.Remains = append(done.Remains, Remains{"kernel settings noted in " + damaged, "the file is damaged, so their values before are not known: a restart of the machine resets those that no file of sysctl.d sets"})
		if damaged == string(h.Ledger) {
			return nil
		}
	}
	restored, err := links.RestoreSettings(all)
	for _, r := range restored {
		if r.Stays == "" {
			done.Restored = append(done.Restored, r.Name()+"="+r.Was)
			continue
		}
		done.Remains = append(done.Remains, Remains{"kernel setting " + r.Name(), fmt.Sprintf("%s; it was %s: sysctl -w %s=%s restores it", r.Stays, r.Was, r.Name(), r.Was)})
	}
	if err != nil {
		return err
	}
	if err := os.Remove(string(h.Ledger)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// removeFiles removes sockets, the agent's state files, and further files.
func (h *Host) removeFiles() error {
	paths := h.Further
	for _, remembered := range []string{".routes*", ".records*"} {
		found, err := filepath.Glob(filepath.Join(h.OVSRunDir, h.Bridge+remembered))
		if err != nil {
			return err
		}
		paths = append(paths, found...)
	}
	var errs []error
	for _, path := range paths {
		errs = append(errs, os.RemoveAll(path))
	}
	for _, path := range append(h.Sockets, h.agentLock()) {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	for _, path := range h.Sockets {
		_ = os.Remove(filepath.Dir(path)) // a directory that is not empty stays
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("files of the agent: %w", err)
	}
	return nil
}
