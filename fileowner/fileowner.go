// SPDX-License-Identifier: Apache-2.0

// Package fileowner keeps the owner of files that root replaces: netmaster has a user of its own, and reads and replaces files that
// commands of root write too.
package fileowner

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Keep gives a new file, which is to replace the file at a path, the owner of that file, or of the directory if there is no such file.
// It does nothing unless this process is root's: other users create only files of their own.
func Keep(f *os.File, path string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		info, err = os.Stat(filepath.Dir(path))
	}
	if err != nil {
		return err
	}
	uid, gid := ids(info)
	return f.Chown(uid, gid)
}

// Give gives a file, or a directory with its content, to a user and a group. A path without a file is no error. It follows no symbolic
// link, except at the path itself.
func Give(path string, uid, gid int) error {
	resolved, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return filepath.WalkDir(resolved, func(at string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed meanwhile
		}
		if err != nil {
			return err
		}
		return give(at, d, uid, gid)
	})
}

// give changes the owner of one file, unless it is the wanted one.
func give(at string, d fs.DirEntry, uid, gid int) error {
	info, err := d.Info()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if u, g := ids(info); u == uid && g == gid {
		return nil
	}
	if err := os.Lchown(at, uid, gid); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("give %s to user %d: %w", at, uid, err)
	}
	return nil
}

// Trusted reports whether a file belongs to root or to the user of this process. Users other than root create files in some directories of
// which root reads settings.
func Trusted(path string) bool {
	info, err := os.Stat(path)
	return err == nil && TrustedInfo(info)
}

// TrustedInfo is Trusted for a file that is open.
func TrustedInfo(info fs.FileInfo) bool {
	uid, _ := ids(info)
	return uid == 0 || uid == os.Geteuid()
}

// ids returns the owner and the group of a file.
func ids(info fs.FileInfo) (uid, gid int) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(s.Uid), int(s.Gid)
	}
	return 0, 0
}
