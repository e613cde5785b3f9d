// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"go.etcd.io/etcd/etcdutl/v3/snapshot"

	"github.com/contiv/contiv/daemon/store"
)

// Contents describes a snapshot of an etcd.
type Contents struct {
	Revision uint64
	Keys     int
}

// Inspect opens a snapshot in etcd's format and checks its pages. It blocks while it reads all of them.
func Inspect(path string) (out Contents, err error) {
	defer func() {
		if r := recover(); r != nil { // bbolt panics at impossible pages
			err = fmt.Errorf("%s is not a snapshot of an etcd: %v", path, r)
		}
	}()
	status, err := snapshot.NewV3(bridge(nil, nil)).Status(path)
	if err != nil {
		return out, fmt.Errorf("%s is not a snapshot of an etcd: %w", path, err)
	}
	return Contents{Revision: uint64(status.Revision), Keys: status.TotalKey}, nil
}

// Directory is the state of a member's directory.
type Directory int

// The states of a directory.
const (
	Free  Directory = iota // it has no data of a member
	Held                   // it has data of a member
	InUse                  // a process uses it
)

// memberDir is the subdirectory with a member's data.
const memberDir = "member"

// Aside moves the data of a member's directory, which no process may use, to another place in it. It returns that place and a function that
// moves the data back.
func Aside(dir, name string) (to string, back func() error, err error) {
	from := filepath.Join(dir, memberDir)
	to = filepath.Join(dir, name)
	return to, func() error { return os.Rename(to, from) }, os.Rename(from, to)
}

// Look returns the state of a member's directory.
func Look(dir string) (Directory, error) {
	f, err := os.Open(filepath.Join(dir, memberDir, "snap", "db"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Stat(filepath.Join(dir, memberDir)); err == nil {
			return Held, nil
		}
		return Free, nil
	case err != nil:
		return Held, err
	}
	defer func() { _ = f.Close() }()
	// A server holds this lock on its database (flock(2)).
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		return InUse, nil
	} else if err != nil {
		return Held, err
	}
	return Held, nil
}

// revisionBump is the distance of a restored store's revisions from its snapshot, so that no revision of the lost store gets another
// meaning. etcd's documentation of disaster recovery recommends it.
const revisionBump = 1_000_000_000

// startTimeout bounds the time until a restored member serves.
const startTimeout = time.Minute

// Restore makes c.Dir, which must be free, the directory of the only member of a new store with the contents of a snapshot in etcd's
// format. c.Name and c.PeerURL are the member's; token is unique, so that members of earlier stores are refused. Before anyone else can
// reach the store, Restore calls mark with it. After an error the directory is unchanged.
func Restore(ctx context.Context, c Config, path, token string, mark func(ctx context.Context, s store.Store) error) (err error) {
	conf, err := configure(c, nil)
	if err != nil {
		return err
	}
	if is, err := Look(conf.Dir); err != nil || is != Free {
		return errors.Join(err, fmt.Errorf("restore to %s: it has data of a member", conf.Dir))
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("restore to %s: %w", conf.Dir, err), os.RemoveAll(filepath.Join(conf.Dir, memberDir)))
		}
	}()
	peer := conf.AdvertisePeerUrls[0].String()
	if err := os.MkdirAll(conf.Dir, 0o700); err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(conf.Dir, "restoring-") // beside other files: etcd accepts only an empty directory
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(fresh)) }()
	err = snapshot.NewV3(bridge(c.Log, nil)).Restore(snapshot.RestoreConfig{SnapshotPath: path, Name: conf.Name, OutputDataDir: fresh, PeerURLs: []string{peer},
		InitialCluster: conf.Name + "=" + peer, InitialClusterToken: token, RevisionBump: revisionBump, MarkCompacted: true})
	if err == nil {
		err = os.Rename(filepath.Join(fresh, memberDir), filepath.Join(conf.Dir, memberDir))
	}
	if err != nil {
		return err
	}
	// A server on free ports of loopback, with the cluster's certificates if they exist: it accepts no other clients.
	own := Config{Dir: c.Dir, Name: c.Name, Trust: c.Trust, Log: c.Log, Quota: c.Quota, Mark: c.Mark}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	s, err := start(ctx, own)
	if err != nil {
		return err
	}
	return errors.Join(mark(ctx, s), s.Close())
}
