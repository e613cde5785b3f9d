// Contiv is the command for people at a terminal: the console, which shows a cluster live, and the lab, several hosts on
// one machine to try contiv on.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/build"
	"github.com/contiv/contiv/console/app"
	"github.com/contiv/contiv/lab/command"
	"github.com/contiv/contiv/netctl/term"
	setup "github.com/contiv/contiv/setup/command"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], command.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}

func run(ctx context.Context, args []string, s command.Streams) int {
	root := &cobra.Command{Use: "contiv", Short: "Contiv in a terminal", SilenceUsage: true, SilenceErrors: true}
	root.Version = build.Info().Version
	root.SetVersionTemplate("contiv {{.Version}}\n")
	root.AddCommand(command.New(s), app.NewCommand(s.In, s.Out, term.Getenv))
	root.AddCommand(setup.New()...)
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
