// SPDX-License-Identifier: Apache-2.0

package cni

import (
	"context"
	"strconv"
	"time"

	"github.com/contiv/contiv/cni/wire"
	"github.com/contiv/contiv/daemon/tracing"
)

// begin begins the trace of a plugin that attaches or detaches a container: a part of the runtime's trace if the plugin's environment names
// one. It covers the plugin from its start.
func (s *Server) begin(ctx context.Context, env environment) (context.Context, tracing.End) {
	command := env["CNI_COMMAND"]
	if command != "ADD" && command != "DEL" {
		return ctx, func(error) {}
	}
	return s.Traces.Begin(tracing.FromEnviron(ctx, env), "contivk8s "+command, started(env, time.Now()),
		"contiv.container", env["CNI_CONTAINERID"], "contiv.interface", env["CNI_IFNAME"])
}

// started returns when a plugin started, as it reports, if that is within the last minute; else the zero Time.
func started(env environment, now time.Time) time.Time {
	ns, err := strconv.ParseInt(env[wire.EnvStarted], 10, 64)
	at := time.Unix(0, ns)
	if err != nil || at.After(now) || now.Sub(at) > time.Minute {
		return time.Time{}
	}
	return at
}
