// SPDX-License-Identifier: Apache-2.0

// A command is over before limits of processors could change, and makes no use of many, so the runtime need not read files of the
// control group for them: that takes a tenth of the time of executing /bin/true (https://go.dev/doc/godebug, Go 1.25).
//
//go:debug containermaxprocs=0
//go:debug updatemaxprocs=0

// Netctl drives a Contiv cluster from the command line.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/contiv/contiv/build"
	"github.com/contiv/contiv/netctl/command"
	"github.com/contiv/contiv/netctl/term"
)

func main() {
	home, _ := os.UserHomeDir() // without a home directory there is no login
	f := &command.Factory{Streams: term.System(), Home: home, Getenv: os.Getenv, Host: term.Own, Self: build.Info(), Actor: term.Actor, Interrupted: interrupted, Browse: term.Browser(os.Getenv)}
	os.Exit(command.Run(context.Background(), f, os.Args[1:]))
}

// interrupted returns the context that ends with ctrl-C, or with a signal to terminate.
func interrupted(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
}
