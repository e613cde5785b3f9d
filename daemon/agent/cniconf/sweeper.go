// SPDX-License-Identifier: Apache-2.0

package cniconf

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// results is the directory of results below that of the library's cache, with a file NETWORK-CONTAINER-INTERFACE for each
// (github.com/containernetworking/cni/libcni).
const results = "results"

// CacheSweeper removes incomplete results.
type CacheSweeper struct {
	Dir      string        // the library's cache
	Network  string        // whose results: the name in its configuration
	Interval time.Duration // between two checks; a file that has not changed between them is not being written
	Log      *slog.Logger
}

// Run checks until ctx ends. It logs and retries failures to read or remove a file.
func (s *CacheSweeper) Run(ctx context.Context) error {
	tick := time.NewTicker(s.Interval)
	defer tick.Stop()
	var broken map[string]time.Time
	said := ""
	for {
		var err error
		if broken, err = s.sweep(broken); err != nil && err.Error() != said {
			said = err.Error()
			s.Log.Error("cannot remove incomplete results of the CNI library: their pods cannot be deleted", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// sweep removes those of the incomplete results that were seen before, and returns the others with the time of their last change. A missing
// directory has none.
func (s *CacheSweeper) sweep(seen map[string]time.Time) (broken map[string]time.Time, err error) {
	entries, err := os.ReadDir(filepath.Join(s.Dir, results))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	broken = map[string]time.Time{}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), s.Network+"-") || !e.Type().IsRegular() {
			continue
		}
		path := filepath.Join(s.Dir, results, e.Name())
		changed, whole, failed := examine(path)
		if failed == nil && !whole {
			if before, ok := seen[e.Name()]; !ok || !before.Equal(changed) {
				broken[e.Name()] = changed
				continue
			}
			if failed = os.Remove(path); failed == nil {
				s.Log.Warn("removed an incomplete result of the CNI library, with which its container could not be deleted", "path", path)
			}
		}
		if failed != nil && !errors.Is(failed, fs.ErrNotExist) { // the container was deleted meanwhile
			err = errors.Join(err, failed)
		}
	}
	return broken, err
}

// examine returns when a result was last changed, and whether it is complete.
func examine(path string) (changed time.Time, whole bool, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return changed, false, err
	}
	text, err := os.ReadFile(path)
	return info.ModTime(), json.Valid(text), err
}
