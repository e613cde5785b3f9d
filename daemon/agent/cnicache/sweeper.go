package cnicache

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

// results is the folder of results below that of the library's cache, with a file NETWORK-CONTAINER-INTERFACE for each
// (github.com/containernetworking/cni/libcni).
const results = "results"

// Sweeper looks for results that were not written to their end.
type Sweeper struct {
	Dir     string        // the library's cache
	Network string        // whose results: the name in its configuration
	Every   time.Duration // how often it looks; what has not changed from one look to the next is not being written
	Log     *slog.Logger
}

// Run looks until ctx ends. What cannot be read or removed is logged and tried again.
func (s *Sweeper) Run(ctx context.Context) error {
	tick := time.NewTicker(s.Every)
	defer tick.Stop()
	var broken map[string]time.Time
	said := ""
	for {
		var err error
		if broken, err = s.sweep(broken); err != nil && err.Error() != said {
			said = err.Error()
			s.Log.Error("results of the CNI library that were not written to their end may stay, and pods with them", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// sweep removes those of the broken results that were seen before, and returns the others with the time of their last change. A folder
// that is not there has none.
func (s *Sweeper) sweep(seen map[string]time.Time) (broken map[string]time.Time, err error) {
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
		changed, whole, failed := look(path)
		if failed == nil && !whole {
			if before, ok := seen[e.Name()]; !ok || !before.Equal(changed) {
				broken[e.Name()] = changed
				continue
			}
			if failed = os.Remove(path); failed == nil {
				s.Log.Warn("removed a result that the container runtime had not written to its end: it could not delete the container with it", "path", path)
			}
		}
		if failed != nil && !errors.Is(failed, fs.ErrNotExist) { // the container went meanwhile
			err = errors.Join(err, failed)
		}
	}
	return broken, err
}

// look tells when a result was last changed, and whether it is whole.
func look(path string) (changed time.Time, whole bool, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return changed, false, err
	}
	text, err := os.ReadFile(path)
	return info.ModTime(), json.Valid(text), err
}
