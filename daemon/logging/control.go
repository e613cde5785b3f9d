// SPDX-License-Identifier: Apache-2.0

package logging

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
)

// Control changes the level, the format and the destination of loggers while they are used. Its methods are safe for concurrent use.
type Control struct {
	program string
	w       io.Writer
	recent  *Recent
	current atomic.Pointer[slog.Handler]

	mu     sync.Mutex
	config Config    // guarded by mu
	to     io.Writer // to syslog, guarded by mu; nil: to w
}

// NewControlled is New for a logger that its Control changes.
func NewControlled(c Config, program string, w io.Writer, recent *Recent) (*slog.Logger, *Control, error) {
	l := &Control{program: program, w: w, recent: recent}
	if err := l.Apply(c); err != nil {
		return nil, nil, err
	}
	return slog.New(&handler{control: l}), l, nil
}

// Apply changes the loggers. After an error, nothing has changed.
func (l *Control) Apply(c Config) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	to, was := l.to, l.to
	if c.Syslog != l.config.Syslog || c.SyslogURL != l.config.SyslogURL {
		to = nil
		if c.Syslog {
			var err error
			if to, err = dialed(c, l.program); err != nil {
				return err
			}
		}
	}
	w := l.w
	if to != nil {
		w = to
	}
	h, err := newHandler(c, w, l.recent)
	if err != nil {
		return err
	}
	l.config, l.to = c, to
	l.current.Store(&h)
	if closer, ok := was.(io.Closer); ok && was != to {
		_ = closer.Close()
	}
	return nil
}

// handler passes records to the current handler of a Control.
type handler struct {
	control *Control
	derive  func(slog.Handler) slog.Handler // adds attributes and groups; nil: none
	cached  atomic.Pointer[derived]
}

// derived is a handler with the attributes and groups.
type derived struct {
	from *slog.Handler
	is   slog.Handler
}

// now returns the current handler with the attributes and groups.
func (h *handler) now() slog.Handler {
	from := h.control.current.Load()
	if h.derive == nil {
		return *from
	}
	if d := h.cached.Load(); d != nil && d.from == from {
		return d.is
	}
	d := &derived{from, h.derive(*from)}
	h.cached.Store(d)
	return d.is
}

// Enabled reports whether records of the level are logged now.
func (h *handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.now().Enabled(ctx, level)
}

// Handle logs a record.
func (h *handler) Handle(ctx context.Context, r slog.Record) error { return h.now().Handle(ctx, r) }

// WithAttrs returns a handler with more attributes.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return h.with(func(to slog.Handler) slog.Handler { return to.WithAttrs(attrs) })
}

// WithGroup returns a handler with a group.
func (h *handler) WithGroup(name string) slog.Handler {
	return h.with(func(to slog.Handler) slog.Handler { return to.WithGroup(name) })
}

func (h *handler) with(more func(slog.Handler) slog.Handler) slog.Handler {
	before := h.derive
	return &handler{control: h.control, derive: func(to slog.Handler) slog.Handler {
		if before != nil {
			to = before(to)
		}
		return more(to)
	}}
}
