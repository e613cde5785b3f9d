// Netctl drives a Contiv cluster from the command line.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/contiv/contiv/build"
	"github.com/contiv/contiv/netctl/command"
	"github.com/contiv/contiv/netctl/term"
)

func main() {
	debug.SetGCPercent(400) // it ends soon; collecting would cost more than it frees
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	home, _ := os.UserHomeDir() // without one, nobody is logged in
	f := &command.Factory{Streams: term.System(), Home: home, Getenv: os.Getenv, Self: build.Info(), Actor: term.Actor()}
	os.Exit(command.Run(ctx, f, os.Args[1:]))
}
