// SPDX-License-Identifier: Apache-2.0

package uninstall

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/ovsdb"
)

// removeBridge removes the bridge with its ports, and the row of table Datapath that the agent created. A database without a server stays,
// which done reports.
func (h *Host) removeBridge(ctx context.Context, done *Done) error {
	socket := filepath.Join(h.OVSRunDir, "db.sock")
	if _, err := os.Stat(socket); errors.Is(err, fs.ErrNotExist) {
		done.Remains = append(done.Remains, Remains{"bridge " + h.Bridge + " in Open vSwitch's database, if it was there",
			"Open vSwitch does not run (" + socket + " is not there): when it runs, ovs-vsctl --if-exists del-br " + h.Bridge})
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	db, ended := ovsdb.NewClient(socket, h.Log), make(chan error, 1)
	go func() { ended <- db.Run(ctx) }()
	defer func() { cancel(); <-ended }()
	select {
	case <-db.Ready():
	case <-ctx.Done():
		return fmt.Errorf("ovsdb-server at %s does not answer: %w", socket, ctx.Err())
	}
	sw := ovsdb.NewSwitch(db, h.Bridge)
	if err := sw.Remove(ctx); err != nil {
		return err
	}
	stays, err := sw.RemoveDatapath(ctx)
	if err != nil {
		return err
	}
	if stays != "" {
		done.Remains = append(done.Remains, Remains{"a row of table Datapath in Open vSwitch's database", stays})
	}
	return h.awaitSwitch(ctx)
}

// awaitSwitch waits until ovs-vswitchd has released the bridge.
func (h *Host) awaitSwitch(ctx context.Context) error {
	links, err := link.Open(h.Namespace)
	if err != nil {
		return err
	}
	defer links.Close()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if there, err := links.Taken(h.Bridge); err != nil || !there {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("interface %s is still there, though Open vSwitch's database has no such bridge: is ovs-vswitchd running?", h.Bridge)
		}
	}
}
