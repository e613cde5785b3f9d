// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"context"
	"log/slog"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// bridge returns a zap logger that writes the server's warnings and errors to log, and calls panics in place of a panic.
func bridge(log *slog.Logger, panics zapcore.CheckWriteHook) *zap.Logger {
	to := zapcore.NewNopCore()
	if log != nil {
		to = &core{log: log.With("component", "etcd")}
	}
	return zap.New(to, zap.WithPanicHook(panics))
}

// core is a zapcore.Core over slog.
type core struct{ log *slog.Logger }

// closing are error messages that every orderly stop causes.
var closing = map[string]bool{"server closed": true, "setting up serving from embedded etcd failed.": true}

func (c *core) Enabled(l zapcore.Level) bool { return l >= zapcore.WarnLevel }

func (c *core) With(fields []zapcore.Field) zapcore.Core {
	return &core{log: slog.New(c.log.Handler().WithAttrs(attrs(fields)))}
}

func (c *core) Check(e zapcore.Entry, ce *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(e.Level) && !closing[e.Message] {
		return ce.AddCore(e, c)
	}
	return ce
}

// Write lowers levels by one step: etcd's warnings are seldom of interest to an operator of Contiv.
func (c *core) Write(e zapcore.Entry, fields []zapcore.Field) error {
	level := slog.LevelDebug
	if e.Level >= zapcore.ErrorLevel {
		level = slog.LevelWarn
	}
	if !c.log.Enabled(context.Background(), level) {
		return nil
	}
	r := slog.NewRecord(e.Time, level, e.Message, 0)
	r.AddAttrs(attrs(fields)...)
	return c.log.Handler().Handle(context.Background(), r)
}

func (c *core) Sync() error { return nil }

func attrs(fields []zapcore.Field) []slog.Attr {
	enc := zapcore.NewMapObjectEncoder()
	for _, f := range fields {
		f.AddTo(enc)
	}
	list := make([]slog.Attr, 0, len(enc.Fields))
	for key, value := range enc.Fields {
		if d, ok := value.(time.Duration); ok {
			value = d.String()
		}
		list = append(list, slog.Any(key, value))
	}
	return list
}
