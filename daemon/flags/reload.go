// SPDX-License-Identifier: Apache-2.0

package flags

import (
	"context"
	"log/slog"
	"os"
	"slices"
)

// Live are settings that change together while the daemon runs.
type Live struct {
	Flags []string
	Apply func() error // makes the new values effective; after an error nothing has changed
}

// Reloader applies changed files to a running daemon. Only one goroutine uses it.
type Reloader struct {
	read  func() (*Set, []Live, error)
	force map[string]string // the values in force, by flag
	log   *slog.Logger
}

// NewReloader returns a reloader for a daemon that runs with the settings of s. read returns the settings as the files have them now,
// checked, and the ones that can change at run time.
func NewReloader(s *Set, log *slog.Logger, read func() (*Set, []Live, error)) *Reloader {
	force := map[string]string{}
	for name, value := range s.values {
		force[name] = value
	}
	return &Reloader{read: read, force: force, log: log}
}

// Run reloads at each signal until ctx ends.
func (r *Reloader) Run(ctx context.Context, signals <-chan os.Signal) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-signals:
			r.Reload()
		}
	}
}

// Reload reads the files, applies the changes that it can, and logs which others need a restart. If the files have an error, nothing changes.
func (r *Reloader) Reload() {
	next, live, err := r.read()
	if err != nil {
		r.log.Error("cannot reload the configuration: nothing has changed", "error", err)
		return
	}
	for _, w := range next.Warnings() {
		r.log.Warn("part of the configuration is ignored", "reason", w)
	}
	var changed []string
	for name, value := range next.values {
		if value != r.force[name] {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	for _, l := range live {
		mine := slices.DeleteFunc(slices.Clone(changed), func(name string) bool { return !slices.Contains(l.Flags, name) })
		if len(mine) == 0 {
			continue
		}
		changed = slices.DeleteFunc(changed, func(name string) bool { return slices.Contains(l.Flags, name) })
		if err := l.Apply(); err != nil {
			r.log.Error("cannot apply a changed setting", "key", mine[0], "error", err)
			continue
		}
		for _, name := range mine {
			r.log.Info("changed a setting", "key", name, "was", redacted(r.force[name]), "is", redacted(next.values[name]), "from", next.origin(name))
			r.force[name] = next.values[name]
		}
	}
	for _, name := range changed {
		r.log.Warn("a changed setting needs a restart", "key", name, "was", redacted(r.force[name]), "is", redacted(next.values[name]), "from", next.origin(name))
	}
	r.log.Info("reloaded the configuration")
}

// origin describes where the value of a flag is set.
func (s *Set) origin(flag string) string {
	g, _ := s.last(flag)
	return g.origin.String()
}
