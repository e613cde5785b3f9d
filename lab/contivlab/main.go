// SPDX-License-Identifier: Apache-2.0

// Contiv-lab is the program behind "contiv lab": several hosts on one machine to try contiv on. It is process 1 of these hosts, too.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/contiv/contiv/build"
	"github.com/contiv/contiv/lab/command"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], command.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}

func run(ctx context.Context, args []string, s command.Streams) int {
	root := command.New(s)
	root.SilenceUsage, root.SilenceErrors = true, true
	root.Version = build.Info().Version
	root.SetVersionTemplate("contiv-lab {{.Version}}\n")
	root.SetArgs(args)
	root.SetIn(s.In)
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	err := root.ExecuteContext(ctx)
	var exit *command.ExitError
	switch {
	case errors.As(err, &exit):
		return exit.Code
	case err != nil:
		fmt.Fprintln(s.Err, "contiv:", err)
		return 1
	}
	return 0
}
