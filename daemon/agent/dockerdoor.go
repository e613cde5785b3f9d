// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/contiv/contiv/daemon/agent/docker"
	"github.com/contiv/contiv/daemon/agent/dockerhost"
	"github.com/contiv/contiv/daemon/flags"
	"github.com/contiv/contiv/daemon/logging"
	"github.com/contiv/contiv/daemon/task"
)

// checkProxy returns an error for invalid settings of the proxy for Docker.
func (o *options) checkProxy() error {
	o.Mode = strings.ToLower(o.Mode)
	if err := flags.OneOf("mode", o.Mode, flags.ModeDocker, flags.ModeSwarm); err != nil {
		return fmt.Errorf("--docker-door: %w", err)
	}
	if o.Docker.Agent == "" {
		return fmt.Errorf("--docker-door needs --docker-agent-socket, the same for it and for the agent, such as %s", docker.DefaultAgentSocket)
	}
	if err := o.Docker.Check(o.Mode); err != nil {
		return err
	}
	return o.Log.Check()
}

// closed returns why Docker cannot reach the agent: the proxy of --docker-agent-socket does not run. It returns nil if Docker can, or is
// not used.
func (o *options) closed() error {
	if o.Docker.Agent == "" || o.Docker.Driver(o.orchestrator()).Plugin == "" {
		return nil
	}
	nc, err := net.Dial("unix", o.Docker.Socket())
	if err != nil {
		return fmt.Errorf("the door that passes on what Docker asks does not run: %w; run netplugin --docker-door, or leave out --docker-agent-socket", err)
	}
	return nc.Close()
}

// proxy runs the proxy for Docker.
func (o *options) proxy(ctx context.Context, stderr io.Writer) error {
	log, err := logging.New(o.Log, "netplugin", stderr, nil)
	if err != nil {
		return &configError{err}
	}
	d := docker.NewPluginProxy(o.Docker.Socket(), o.Docker.Agent, o.Docker.Scope == dockerhost.ScopeGlobal, log)
	return task.Run(ctx, log, d, task.Signals(syscall.SIGTERM, syscall.SIGINT))
}
