// SPDX-License-Identifier: Apache-2.0

package snapshot

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// List returns the snapshots of a directory, the newest first, and the reasons why files with such a name cannot be read. A missing
// directory has none.
func List(dir string) (out []Info, unread map[string]error, err error) {
	files, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	unread = map[string]error{}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), Suffix) || f.IsDir() {
			continue
		}
		path := filepath.Join(dir, f.Name())
		one, err := Open(path)
		if err != nil {
			unread[path] = err
			continue
		}
		out = append(out, one)
	}
	slices.SortStableFunc(out, func(a, b Info) int { return b.Created.Compare(a.Created) })
	return out, unread, nil
}

// prune removes the oldest scheduled snapshots of a directory, except for the number to keep.
func prune(dir string, keep int) error {
	all, _, err := List(dir)
	if err != nil {
		return err
	}
	for _, one := range all {
		if !strings.HasPrefix(filepath.Base(one.Path), Scheduled) {
			continue
		}
		if keep--; keep < 0 {
			if err := os.Remove(one.Path); err != nil {
				return err
			}
		}
	}
	return nil
}
