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

// markInterval is how often a member notes how far it has been.
const markInterval = 5 * time.Second

// position is how far a member has carried out its log.
func position(s *etcdserver.EtcdServer) member.Position {
	return member.Position{Term: s.Term(), Index: s.AppliedIndex()}
}

// marker notes how far a member has been.
type marker struct {
	file string // "": nothing is noted
	own  member.Mark
	log  *slog.Logger

	mu     sync.Mutex
	at     member.Position // seen last
	failed string          // why the mark was not written last; "": it was
}

// marked returns what notes how far a member is, which is at a position now. It begins the mark, unless there is one of the member that its directory has come up to.
func (c *Config) marked(own member.Mark, at member.Position) *marker {
	m := &marker{file: c.Mark, own: own, at: at, log: c.Log}
	if was := c.mark(); was.Member != own.Member || c.Restored || c.Alone {
		m.record(member.Position{})
	}
	return m
}

// run notes now and then how far the member has been, until ctx ends. A member may carry out an entry while it still writes it to its disk, but never the one after
// that, so what is noted is what was seen before it continued.
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

// see notes what was seen last, if the member has gone on since.
func (m *marker) see(now member.Position) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if now.Index > m.at.Index {
		m.record(m.at)
	}
	m.at = now
}

// stopped notes where a member has ended, which has written all of it.
func (m *marker) stopped(end member.Position) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.record(end)
}

func (m *marker) record(at member.Position) {
	mark := m.own
	mark.Position = at
	said := ""
	if err := mark.Write(m.file); err != nil {
		said = err.Error()
	}
	if said != "" && said != m.failed && m.log != nil {
		m.log.Warn("how far this member of the store has been is not noted: an old copy of its folder would not be recognised", "path", m.file, "error", said)
	}
	m.failed = said
}

// mark is the mark of the directory; the zero value where there is none that can be read.
func (c *Config) mark() member.Mark {
	out, err := member.ReadMark(c.Mark)
	if err != nil && c.Log != nil {
		c.Log.Warn("whether the folder of the store is an old copy is not known", "error", err)
	}
	if err != nil || out.Dir != filepath.Clean(c.Dir) {
		return member.Mark{}
	}
	return out
}

// newest refuses a directory that is behind its mark: a member that votes without what it has acknowledged loses changes. The only member of a store may continue with it, as a successor, where
// NewStore says so; and any that Alone makes one.
func (c Config) newest(held string, mark member.Mark) (Config, error) {
	if mark.Member != held || c.Alone {
		return c, nil
	}
	ends, err := member.Last(c.Dir)
	if err != nil || !ends.Behind(mark.Position) {
		return c, nil // etcd reports a damaged log with the position
	}
	why := fmt.Sprintf("%s ends at %s, and this host's member was at %s (%s): the folder is an old copy, or lacks the end of its log", c.Dir, ends, mark.Position, c.Mark)
	only := c.only()
	switch {
	case only && c.NewStore:
		c.Restored = true
		return c, nil
	case only:
		return c, fmt.Errorf("%w: %s: put the folder back that the host had; or restore a newer snapshot with contiv snapshot restore --replace; or, to continue with this copy as a successor, start "+
			"netmaster once with --new-store", ErrLost, why)
	}
	return c, fmt.Errorf("%w: %s: %s; when the folders of all members are old copies, start netmaster on one with --embedded-alone, and have the others join again", ErrLost, why, c.replaced())
}

// damaged is why a member does not start with a database that is damaged.
func (c *Config) damaged(why error) error {
	remedy := c.replaced() + "; when the data of all members are damaged, restore a snapshot with contiv snapshot restore --replace"
	if len(c.others()) == 0 {
		remedy = "restore a snapshot with contiv snapshot restore --replace; of a store with other members, " + c.replaced()
	}
	return fmt.Errorf("%w: the database is damaged: %w: %s", ErrLost, why, remedy)
}

// replaced is how a member is replaced.
func (c *Config) replaced() string {
	return fmt.Sprintf("replace the member: run contiv replace %s on another host, and on this one the command that it prints", c.Name)
}

// only reports whether the member is the only one of its store, by its data.
func (c *Config) only() bool {
	n, err := member.Members(c.Dir)
	return err == nil && n == 1
}
