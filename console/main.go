// SPDX-License-Identifier: Apache-2.0

// Contiv is the command for people at a terminal: the console, which shows a cluster live, the commands that make a machine a host of a
// cluster, and the lab, which is a program of its own.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/build"
	"github.com/contiv/contiv/console/app"
	"github.com/contiv/contiv/netctl/term"
	setup "github.com/contiv/contiv/setup/command"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}

// streams are where a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

func run(ctx context.Context, args []string, s streams) int {
	root := &cobra.Command{Use: "contiv", Short: "Contiv in a terminal", SilenceUsage: true, SilenceErrors: true}
	root.Version = build.Info().Version
	root.SetVersionTemplate("contiv {{.Version}}\n")
	root.AddCommand(newLab(), app.NewCommand(s.in, s.out, os.Getenv, term.Own))
	root.AddCommand(setup.New()...)
	root.SetArgs(args)
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	if err := root.ExecuteContext(ctx); err != nil {
		fmt.Fprintln(s.err, "contiv:", err)
		return 1
	}
	return 0
}
