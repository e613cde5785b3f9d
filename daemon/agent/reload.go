// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"log/slog"

	"github.com/contiv/contiv/daemon/agent/inspect"
	"github.com/contiv/contiv/daemon/flags"
	"github.com/contiv/contiv/daemon/logging"
)

// reloader returns what reads the files again, for args, and applies the settings that can change at run time; limit applies those of the
// inspection. It logs the parts of the configuration that are ignored.
func (o *options) reloader(args []string, control *logging.Control, limit func(inspect.Limits), log *slog.Logger) *flags.Reloader {
	for _, w := range o.Warnings() {
		log.Warn("part of the configuration is ignored", "reason", w)
	}
	return flags.NewReloader(o.Set, log, func() (*flags.Set, []flags.Live, error) {
		next := newOptions(io.Discard)
		err := o.Reparse(next.Set, args)
		if err == nil {
			err = next.Explain(next.checkAll())
		}
		return next.Set, []flags.Live{
			{Flags: flags.LogFlags(), Apply: func() error { return control.Apply(next.Log) }},
			{Flags: inspect.LimitFlags(), Apply: func() error { limit(next.Inspection); return nil }},
		}, err
	})
}
