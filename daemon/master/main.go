// SPDX-License-Identifier: Apache-2.0

// Netmaster holds the intent of a cluster: it checks, numbers and addresses what operators and runtimes ask for, and
// writes the decisions into the store, from where the agents carry them out.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/contiv/contiv/build"
	"github.com/contiv/contiv/daemon/flags"
	"github.com/contiv/contiv/daemon/logging"
	"github.com/contiv/contiv/daemon/master/offline"
	"github.com/contiv/contiv/daemon/master/server/peer"
	"github.com/contiv/contiv/daemon/resources"
	"github.com/contiv/contiv/daemon/tracing"
	"github.com/contiv/contiv/trust"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, env flags.Env, stdin io.Reader, stdout, stderr io.Writer) int {
	c, err := parse(args, env, stdout)
	switch {
	case errors.Is(err, flags.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintln(stderr, "netmaster:", err)
		return flags.ExitCode(err)
	case c.OnlyCheck():
		c.PrintValid()
		return 0
	case c.Version:
		build.Print(stdout, build.Info())
		return 0
	case c.Bundle.File != "":
		if err := c.serveBundle(ctx, stdin, stdout, stderr); err != nil {
			fmt.Fprintln(stderr, "netmaster:", err)
			return 1
		}
		return 0
	}
	if c.Owner != "" {
		if err := c.giveFiles(); err != nil {
			fmt.Fprintln(stderr, "netmaster:", err)
			return 1
		}
		return 0
	}
	recent := &logging.Recent{}
	unkept := recent.KeepIn(c.Log.Dir, "netmaster")
	again := make(chan os.Signal, 1)
	signal.Notify(again, syscall.SIGHUP)
	defer signal.Stop(again)
	log, control, err := logging.NewControlled(c.Log, "netmaster", stderr, recent)
	if err != nil {
		fmt.Fprintln(stderr, "netmaster:", err)
		return flags.ExitConfig
	}
	if unkept != nil {
		log.Warn("last log lines are not left for other daemons", "error", unkept)
	}
	holder, err := c.Trust.Open(trust.Master, log)
	if err != nil {
		fmt.Fprintln(stderr, "netmaster:", err)
		return 1 // the files may come with a file system that is not mounted yet: systemd restarts after 1, and not after 22
	}
	if holder != nil {
		c.Store.Own = holder.Client(trust.Master, "")
	}
	var pace *resources.Pace
	if !c.Store.Embedded { // an embedded store needs all processors: a durable write holds one until the runtime notices
		pace = resources.NewPace(env.Get("GOMAXPROCS"))
	}
	if err := resources.Slack(resources.MasterSlack); err != nil {
		log.Debug("not as thrifty as it could be", "error", err)
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	go resources.Garbage(ctx, pace, env.Get("GOGC"), env.Get("GOMEMLIMIT"))
	d := newDaemon(c, holder, pace, recent, log)
	if d.traces, err = tracing.New(c.Tracing, tracing.Service{Name: "netmaster", Version: build.Info().Version, Host: peer.Host(c.Listener.Internal)}, log); err != nil {
		fmt.Fprintln(stderr, "netmaster:", err)
		return flags.ExitConfig
	}
	reloader := d.reloader(args, control)
	d.reload = func(ctx context.Context) { reloader.Run(ctx, again) }
	if err := d.serve(ctx, d.opener.Open); err != nil {
		log.Error("netmaster ends", "error", err)
		return 1
	}
	return 0
}

// serveBundle answers from a support bundle instead of a store.
func (c *config) serveBundle(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) error {
	log, err := logging.New(c.Log, "netmaster", stderr, nil)
	if err != nil {
		return err
	}
	return offline.Serve(ctx, c.Bundle.File, stdin, stdout, log)
}
