// SPDX-License-Identifier: Apache-2.0

// Command netplugin is contiv's agent: it runs on every host that carries containers, gives them interfaces, and keeps
// the host's Open vSwitch forwarding as the cluster has decided.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/build"
	"github.com/contiv/contiv/daemon/agent/node"
	"github.com/contiv/contiv/daemon/agent/vswitch"
	"github.com/contiv/contiv/daemon/flags"
	"github.com/contiv/contiv/daemon/hostlog"
	"github.com/contiv/contiv/daemon/logging"
	"github.com/contiv/contiv/daemon/notify"
	"github.com/contiv/contiv/daemon/resources"
	"github.com/contiv/contiv/daemon/task"
	"github.com/contiv/contiv/daemon/tracing"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/openflow"
	"github.com/contiv/contiv/ofnet/pipeline"
	"github.com/contiv/contiv/trust"
)

func main() { os.Exit(run(context.Background(), os.Args[1:], os.Environ(), os.Stdout, os.Stderr)) }

// run is the program. It returns the exit code: 22 for a configuration that is wrong, 1 for a failure, such as an interface that the
// machine does not have yet.
func run(ctx context.Context, args []string, env flags.Env, stdout, stderr io.Writer) int {
	o, err := parse(args, env, stdout)
	switch {
	case errors.Is(err, flags.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintln(stderr, "netplugin:", err)
		return flags.ExitCode(err)
	case o.OnlyCheck():
		o.PrintValid()
		return 0
	case o.Version:
		build.Print(stdout, build.Info())
		return 0
	}
	again := make(chan os.Signal, 1)
	signal.Notify(again, syscall.SIGHUP)
	defer signal.Stop(again)
	ctx, end := context.WithCancel(ctx)
	defer end()
	go resources.Garbage(ctx, nil, env.Get("GOGC"), env.Get("GOMEMLIMIT"))
	programmed := func() { runtime.GOMAXPROCS(resources.Processors(runtime.GOMAXPROCS(0), env.Get("GOMAXPROCS"))) }
	work := func() error { return serve(ctx, o, args, again, programmed, stderr) }
	if o.Uninstall.Wanted() {
		work = func() error { return o.uninstall(ctx, stdout, stderr) }
	} else if o.Docker.Proxy {
		work = func() error { return o.proxy(ctx, stderr) }
	}
	if err := work(); err != nil {
		fmt.Fprintln(stderr, "netplugin:", err)
		if _, ok := errors.AsType[*configError](err); ok {
			return flags.ExitConfig
		}
		return 1
	}
	return 0
}

// cniTimeout is how long a runtime waits for an agent that lacks something: longer than a netmaster and its store take to be replaced, so
// that a node stays ready, and shorter than the kubelet waits for its runtime's status.
const cniTimeout = 10 * time.Second

// configError is an error that only another configuration cures.
type configError struct{ error }

func (e *configError) Unwrap() error { return e.error }

// serve is the agent at work; programmed is called when the switch has its first flows, which all processors compile. args are those of
// the options, which are reloaded at each signal of again.
func serve(ctx context.Context, o *options, args []string, again <-chan os.Signal, programmed func(), stderr io.Writer) error {
	recent := &logging.Recent{}
	unkept := recent.KeepIn(o.Log.Dir, "netplugin")
	log, control, err := logging.NewControlled(o.Log, "netplugin", stderr, recent)
	if err != nil {
		return &configError{err}
	}
	if unkept != nil {
		log.Warn("last log lines are not left for other daemons", "error", unkept)
	}
	logs := &hostlog.Logs{Part: model.LogNetplugin, Recent: recent, Dir: o.Log.Dir, Switch: o.Switch.RunDir}
	if err := resources.Slack(resources.AgentSlack); err != nil {
		log.Debug("cannot limit memory", "error", err)
	}
	holder, err := o.Trust.Open(trust.Agent, log)
	if err != nil {
		return err // the files may come with a file system that is not mounted yet
	}
	if holder != nil && holder.Identity().Name != o.Host {
		return &configError{fmt.Errorf("--host %s: the certificate in %s is of %s; name that host, or have this one join as itself (contiv join)", o.Host, o.Trust.Dir, holder.Identity().Name)}
	}
	masters, err := o.Finder(log)
	if err != nil {
		return &configError{err}
	}
	if o.Kube != "" {
		log.Warn("--kubeconfig has no effect: netmaster reads Kubernetes, and has that flag", "file", o.Kube)
	}
	traces, err := tracing.New(o.Tracing, tracing.Service{Name: "netplugin", Version: build.Info().Version, Host: o.Host}, log)
	if err != nil {
		return &configError{err}
	}
	p := pipeline.Default()
	forward := bridge.NewReconciler(o.Host, p, bridge.NewOpenFlow(vswitch.Socket(o.Switch.RunDir), openflow.Options{}), bridge.Options{Log: log, Observe: o.Observe})
	env := node.Env{Mode: o.orchestrator(), FwdMode: o.FwdMode, InspectPort: inspectPort, Trust: holder, Find: masters.Find, Version: build.Info(),
		CNITimeout: cniTimeout, Programmed: programmed, Traces: traces, Log: log, Recent: recent.Text, Logs: logs}
	n, err := node.New(env, o.Settings, forward, p)
	if err != nil {
		return &configError{err}
	}
	go o.reloader(args, control, n.Limit, log).Run(ctx, again)
	if err := o.closed(); err != nil {
		log.Warn("Docker cannot find this agent", "error", err)
	}
	log.Info("starting netplugin", "version", build.Info().Version, "host", o.Host, "control", o.Addresses.Control, "vtep", o.Addresses.VTEP,
		"uplinks", o.Uplinks.NICs, "bond", o.Uplinks.Bond, "from", masters)
	manager := notify.New(func() string { return strings.Join(n.Waiting(), "; ") }, log)
	return task.Run(ctx, log, n, task.Signals(syscall.SIGTERM, syscall.SIGINT), manager.Task(), traces.Task())
}
