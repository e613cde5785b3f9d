// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"

	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap/zapcore"

	"github.com/contiv/contiv/daemon/store/member"
)

// missingEntry matches Raft's message when the leader counts on an entry that the member has acknowledged, and the log ends before it. The end of
// the log was lost: etcd takes a record that is cut for one whose write was interrupted.
var missingEntry = regexp.MustCompile(`^tocommit\((\d+)\) is out of range \[lastIndex\((\d+)\)\]`)

// cut is what a log lacks: it ends at an index, and an entry at a later one was acknowledged.
type cut struct{ ends, acknowledged uint64 }

// cutHook replaces the panic of Raft about a log that is cut: it ends Raft's goroutine and reports the cut. The member can do nothing from
// then on, not even stop. Every other panic stays one.
type cutHook struct{ found chan cut }

func newCutHook() *cutHook { return &cutHook{found: make(chan cut, 1)} }

// OnWrite implements zapcore.CheckWriteHook.
func (h *cutHook) OnWrite(e *zapcore.CheckedEntry, _ []zapcore.Field) {
	m := missingEntry.FindStringSubmatch(e.Message)
	if m == nil {
		panic(e.Message)
	}
	var found cut
	found.acknowledged, _ = strconv.ParseUint(m[1], 10, 64)
	found.ends, _ = strconv.ParseUint(m[2], 10, 64)
	select {
	case h.found <- found:
	default:
	}
	runtime.Goexit()
}

// abandon ends what a server without Raft still runs, until it would wait for Raft, which it does until the process ends.
func abandon(e *embed.Etcd) {
	go e.Server.Stop()
	<-e.Server.StoppingNotify()
	go e.Close()
}

// recordLoss records in the mark that the directory lacks entries, so that the next start refuses the directory at once, and returns the error.
func (c *Config) recordLoss(own member.Mark, found cut) error {
	why := fmt.Sprintf("%s ends at index %d, and this member has acknowledged index %d: the end of its log in %s is lost", c.Dir, found.ends, found.acknowledged,
		filepath.Join(c.Dir, "member", "wal"))
	own.Position = member.Position{Index: found.acknowledged}
	if err := own.Write(c.Mark); err != nil && c.Log != nil {
		c.Log.Warn("position of this store member not recorded: an old copy of its directory would not be recognised", "path", c.Mark, "error", err.Error())
	}
	return fmt.Errorf("%w: %s: %s", ErrLost, why, c.replaced())
}
