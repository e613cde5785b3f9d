// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Package returns the file of a package of a release, as its mirror has it now. It is kept in the cache.
func (c Cache) Package(ctx context.Context, r Release, name string) (string, error) {
	kept := filepath.Join(c.Dir, "packages-"+r.Name)
	if path := packageIn(kept, name); path != "" {
		return path, nil
	}
	m, err := FindMirror()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(c.Dir, "package-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := c.download(ctx, m, r, dir, name); err != nil {
		return "", err
	}
	path := packageIn(dir, name)
	if path == "" {
		return "", fmt.Errorf("package %s of %s: apt-get download left no file", name, r)
	}
	if err := os.MkdirAll(kept, 0o755); err != nil {
		return "", err
	}
	to := filepath.Join(kept, filepath.Base(path))
	return to, os.Rename(path, to)
}

// packageIn is the file of a package in a directory, "" if there is none.
func packageIn(dir, name string) string {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), name+"_") && strings.HasSuffix(e.Name(), ".deb") {
			return filepath.Join(dir, e.Name())
		}
	}
	return ""
}
