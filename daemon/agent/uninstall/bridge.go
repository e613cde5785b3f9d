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

// removeBridge removes the bridge with its ports. Without a folder of Open vSwitch there is none.
func (h *Host) removeBridge(ctx context.Context) error {
	socket := filepath.Join(h.OVSRunDir, "db.sock")
	if _, err := os.Stat(socket); errors.Is(err, fs.ErrNotExist) {
		h.Log.Warn("Open vSwitch does not run; a bridge that its database has comes back with it", "socket", socket)
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
	if err := ovsdb.NewSwitch(db, h.Bridge).Remove(ctx); err != nil {
		return err
	}
	return h.awaitSwitch(ctx)
}

// awaitSwitch waits until ovs-vswitchd has let go of the bridge.
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
