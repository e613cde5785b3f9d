// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"go.etcd.io/etcd/server/v3/etcdserver"

	"github.com/contiv/contiv/daemon/store/member"
)

// markInterval is the time between two records of the member's position.
const markInterval = 5 * time.Second

// position returns the position up to which a member has applied its log.
func position(s *etcdserver.EtcdServer) member.Position {
	return member.Position{Term: s.Term(), Index: s.AppliedIndex()}
}

// marker records the position of a member in a file.
type marker struct {
	file string // "": nothing is recorded
	own  member.Mark
	log  *slog.Logger

	mu     sync.Mutex
	at     member.Position // last recorded
	failed string          // why the last write failed; "": it succeeded
}

// marked returns the marker of a member whose position is at. It starts a mark, unless the directory has reached the existing one.
func (c *Config) marked(own member.Mark, at member.Position) *marker {
	m := &marker{file: c.Mark, own: own, at: at, log: c.Log}
	if was := c.mark(); was.Member != own.Member || c.Restored || c.Alone {
		m.record(member.Position{})
	}
	return m
}

// run records the member's position regularly until ctx ends. A member may apply an entry while it still writes that entry to disk, but
// never the next one, so run records the position that it saw before the latest change.
func (m *marker) run(ctx context.Context, now func() member.Position) {
	tick := time.NewTicker(markInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			m.see(now())
		case <-ctx.Done():
			return
		}
	}
}

// see records the last seen position, if the member has continued since.
func (m *marker) see(now member.Position) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if now.Index > m.at.Index {
		m.record(m.at)
	}
	m.at = now
}

// stopped records the final position of a member that has written everything.
func (m *marker) stopped(end member.Position) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.record(end)
}

func (m *marker) record(at member.Position) {
	mark := m.own
	mark.Position = at
	failure := ""
	if err := mark.Write(m.file); err != nil {
		failure = err.Error()
	}
	if failure != "" && failure != m.failed && m.log != nil {
		m.log.Warn("position of this store member not recorded: an old copy of its directory would not be recognised", "path", m.file, "error", failure)
	}
	m.failed = failure
}

// mark returns the mark of the directory, the zero value if none can be read.
func (c *Config) mark() member.Mark {
	out, err := member.ReadMark(c.Mark)
	if err != nil && c.Log != nil {
		c.Log.Warn("cannot determine if the store's directory is an old copy", "error", err)
	}
	if err != nil || out.Dir != filepath.Clean(c.Dir) {
		return member.Mark{}
	}
	return out
}

// newest refuses a directory that is behind its mark, because a member that votes without what it has acknowledged loses changes. The only
// member of a store may continue with an old copy, as a successor, if NewStore permits it, and so may a member that Alone makes the only
// one.
func (c Config) newest(held string, mark member.Mark) (Config, error) {
	if mark.Member != held || c.Alone {
		return c, nil
	}
	ends, err := member.Last(c.Dir)
	if err != nil || !ends.Behind(mark.Position) {
		return c, nil // etcd reports a damaged log with the position
	}
	why := fmt.Sprintf("%s ends at %s, and this host's member was at %s (%s): the directory is an old copy, or lacks the end of its log", c.Dir, ends, mark.Position, c.Mark)
	only := c.only()
	switch {
	case only && c.NewStore:
		c.Restored = true
		return c, nil
	case only:
		return c, fmt.Errorf("%w: %s: restore the directory that the host had; or restore a newer snapshot with contiv snapshot restore --replace; or, to continue with this copy as a successor, start "+
			"netmaster once with --new-store", ErrLost, why)
	}
	return c, fmt.Errorf("%w: %s: %s; if the directories of all members are old copies, start netmaster on one with --embedded-alone, and have the others join again", ErrLost, why, c.replaced())
}

// damaged returns the error of a member whose database is damaged.
func (c *Config) damaged(why error) error {
	remedy := c.replaced() + "; when the data of all members are damaged, restore a snapshot with contiv snapshot restore --replace"
	if len(c.others()) == 0 {
		remedy = "restore a snapshot with contiv snapshot restore --replace; of a store with other members, " + c.replaced()
	}
	return fmt.Errorf("%w: the database is damaged: %w: %s", ErrLost, why, remedy)
}

// replaced returns the remedy: how to replace a member.
func (c *Config) replaced() string {
	return fmt.Sprintf("replace the member: run contiv replace %s on another host, and on this one the command that it prints", c.Name)
}

// only reports whether the data names this member as the only one of its store.
func (c *Config) only() bool {
	peers, err := member.Peers(c.Dir)
	return err == nil && len(peers) == 1
}
