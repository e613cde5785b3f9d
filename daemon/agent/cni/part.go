// SPDX-License-Identifier: Apache-2.0

package cni

import (
	"log/slog"
	"time"

	"github.com/contiv/contiv/daemon/agent/attach"
	"github.com/contiv/contiv/daemon/agent/cniconf"
	"github.com/contiv/contiv/daemon/agent/hostaccess"
	"github.com/contiv/contiv/daemon/agent/part"
	"github.com/contiv/contiv/daemon/tracing"
)

// Options configure the CNI service.
type Options struct {
	Attach   *attach.Engine
	Access   *hostaccess.Engine
	Starting func() []string // what the agent lacks to serve a container
	Waiting  func() []string // what it waits for
	Cut      func() bool     // flows are missing in the switch
	Timeout  time.Duration   // how long a request waits for what the agent lacks
	Traces   *tracing.Recorder
	Log      *slog.Logger
}

// Part returns the sockets of CNI, and the tasks for the host's runtime.
func (s *Settings) Part(o Options) (p part.Part, err error) {
	cni := ServerOptions{Socket: s.Socket, Attacher: o.Attach, Publisher: o.Access, Starting: o.Starting, Waiting: o.Waiting,
		Cut: o.Cut, WaitTimeout: o.Timeout, Traces: o.Traces, Log: o.Log}
	if cni.Socket != "" {
		p.Doors = append(p.Doors, NewServer(cni))
	}
	if cni.Socket, cni.Mesos = s.Mesos, true; cni.Socket != "" {
		p.Doors = append(p.Doors, NewServer(cni))
	}
	if s.Conf != "" {
		plugin, err := s.program()
		if err != nil {
			return p, err
		}
		keeper := &cniconf.Installer{Program: plugin, Bin: s.Bin, Conf: s.Conf, Stays: s.Stays, Waiting: o.Waiting, Interval: time.Second, Log: o.Log}
		p.Tasks = append(p.Tasks, part.Started("configuration of CNI", keeper.Run))
	}
	if s.Cache != "" && s.Socket != "" {
		sweeper := &cniconf.CacheSweeper{Dir: s.Cache, Network: cniconf.Name, Interval: 10 * time.Second, Log: o.Log}
		p.Tasks = append(p.Tasks, part.Started("cache of the CNI library", sweeper.Run))
	}
	return p, nil
}
