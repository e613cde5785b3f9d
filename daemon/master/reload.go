// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"

	"github.com/contiv/contiv/daemon/flags"
	"github.com/contiv/contiv/daemon/httpserver"
	"github.com/contiv/contiv/daemon/logging"
	"github.com/contiv/contiv/daemon/master/server"
)

// reloader returns what reads the files again, for args, and applies the settings that can change at run time. It logs the parts of the
// configuration that are ignored.
func (d *daemon) reloader(args []string, control *logging.Control) *flags.Reloader {
	for _, w := range d.Warnings() {
		d.log.Warn("part of the configuration is ignored", "reason", w)
	}
	return flags.NewReloader(d.Set, d.log, func() (*flags.Set, []flags.Live, error) {
		next := newConfig(io.Discard)
		err := d.Reparse(next.Set, args)
		if err == nil {
			err = next.Explain(next.check())
		}
		return next.Set, d.live(next, control), err
	})
}

// live are the settings that can change at run time, with their next values.
func (d *daemon) live(next *config, control *logging.Control) []flags.Live {
	return []flags.Live{
		{Flags: flags.LogFlags(), Apply: func() error { return control.Apply(next.Log) }},
		{Flags: []string{httpserver.AllowedHosts}, Apply: func() error { d.names.Set(next.Listener.More()...); return nil }},
		{Flags: []string{httpserver.MaxConnections, httpserver.MaxConnectionsPerClient}, Apply: func() error { d.front.Limit(next.Listener); return nil }},
		{Flags: server.LimitFlags(), Apply: func() error { d.gates.Apply(next.Limits); return nil }},
	}
}
