// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/contiv/contiv/daemon/logging"
	"github.com/contiv/contiv/daemon/store/member"
	"github.com/contiv/contiv/fileowner"
)

// account is a user of the system.
type account struct {
	name     string
	uid, gid int
}

// lookup finds a user by its name.
func lookup(name string) (account, error) {
	u, err := user.Lookup(name)
	if err != nil {
		return account{}, fmt.Errorf("--owner: %w; create it: useradd --system %s", err, name)
	}
	uid, err := strconv.Atoi(u.Uid)
	gid, more := strconv.Atoi(u.Gid)
	return account{name, uid, gid}, errors.Join(err, more)
}

// giveFiles gives the files that netmaster writes to the user of --owner, and reports files that the user cannot read. Directories that
// others write too are shared with the user instead.
func (c *config) giveFiles() error {
	who, err := lookup(c.Owner)
	if err != nil {
		return err
	}
	if c.Audit.File != "" {
		f, err := os.OpenFile(c.Audit.File, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			return fmt.Errorf("--audit-file: %w", err)
		}
		_ = f.Close()
	}
	cluster := c.Storage.ClusterFile
	owned, shared := []string{c.Audit.File, c.Storage.Snapshots.Dir}, []string{}
	if !c.Trust.Insecure {
		owned = append(owned, c.Trust.Dir)
	}
	if cluster != "" {
		owned, shared = append(owned, string(cluster), cluster.HostsFile(), cluster.MemberFile()), append(shared, filepath.Dir(string(cluster)))
	}
	if c.Log.Dir != "" {
		owned, shared = append(owned, logging.TailFile(c.Log.Dir, "netmaster"), logging.TailFile(c.Log.Dir, "netmaster")+".1"), append(shared, c.Log.Dir)
	}
	if dir := c.Storage.Embedded.Dir; dir != "" {
		owned, shared = append(owned, dir, member.MarkerFile(dir)), append(shared, filepath.Dir(dir))
	}
	if dir := c.Storage.Snapshots.Dir; dir != "" {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("--snapshot-dir: %w", err)
		}
	}
	var all []error
	for _, dir := range shared {
		all = append(all, who.share(dir))
	}
	for _, path := range owned {
		if path != "" {
			all = append(all, fileowner.Give(path, who.uid, who.gid))
		}
	}
	all = append(all, who.mayRead(c.HostSettings()))
	for _, path := range []string{c.Store.CAFile, c.Store.CertFile, c.Store.KeyFile, c.Store.Secret.PasswordFile, c.Store.Secret.TokenFile, c.Kubernetes.API.Kubeconfig} {
		all = append(all, who.reads(path))
	}
	return errors.Join(all...)
}

// share lets the user create files in a directory, and not remove those of others. It creates a missing directory.
func (a account) share(dir string) error {
	if strings.Count(filepath.Clean(dir), "/") < 2 {
		return fmt.Errorf("%s is a directory of the system: want the file of --cluster-file and the directory of --embedded-store in a directory of their own", dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	const all = fs.ModeSticky | 0o775
	if s, ok := info.Sys().(*syscall.Stat_t); ok && int(s.Gid) == a.gid && info.Mode()&all == all {
		return nil
	}
	return errors.Join(os.Chown(dir, -1, a.gid), os.Chmod(dir, info.Mode().Perm()|all))
}

// mayRead lets the user read a file of root, which no other user reads. A missing file is no error.
func (a account) mayRead(path string) error {
	info, err := os.Stat(path)
	if path == "" || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(os.Chown(path, -1, a.gid), os.Chmod(path, info.Mode().Perm()|0o040))
}

// reads returns an error with the remedy if the mode of a file does not let the user read it.
func (a account) reads(path string) error {
	if path == "" {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	mode := info.Mode().Perm()
	if int(s.Uid) == a.uid && mode&0o400 != 0 || int(s.Gid) == a.gid && mode&0o040 != 0 || mode&0o004 != 0 {
		return nil
	}
	return fmt.Errorf("netmaster runs as user %s, which cannot read %s: chgrp %s %[2]s; chmod g+r %[2]s", a.name, path, a.name)
}
