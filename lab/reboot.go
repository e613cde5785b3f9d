// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"

	"github.com/contiv/contiv/lab/hostinit"
)

// Reboot ends a host as a loss of power does, and starts it again with the parts that ran. Its processes, namespaces and /run are gone; its
// directory is kept, with Open vSwitch's database, stores, logs and the engines' data on disk. It returns when all parts are ready.
func (l *Lab) Reboot(ctx context.Context, host string) error {
	parts, err := l.Parts(host)
	if err != nil {
		return err
	}
	ran := map[string]struct{}{}
	for _, p := range parts {
		if p.Running() {
			ran[p.Name] = struct{}{}
		}
	}
	n := l.hostNumber(host)
	if err := l.endHost(host); err != nil {
		return err
	}
	for _, s := range l.nics(host) { // the kernel deletes them with the namespace of their peers, but not at once
		_ = l.ip(ctx, []string{"-n", l.switches(), "link", "del", s.port})
	}
	if err := os.Remove(filepath.Join(l.hostDir(host), hostinit.Socket)); err != nil {
		return err
	}
	if err := l.power(ctx, n); err != nil {
		return fmt.Errorf("%s: %w", host, err)
	}
	var waits errgroup.Group
	for _, part := range PartNames {
		if _, is := ran[part]; !is || part == PartOVSDB || part == PartOVS {
			continue
		}
		if err := l.startPart(n, part); err != nil {
			return err
		}
		if part == PartContainerd { // its engine does not wait for it
			if err := l.awaitPart(ctx, n, part); err != nil {
				return err
			}
			continue
		}
		waits.Go(func() error { return l.awaitPart(ctx, n, part) })
	}
	return waits.Wait()
}
