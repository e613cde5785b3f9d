// SPDX-License-Identifier: Apache-2.0

// A plugin is over before limits of processors could change, and waits most of its time: no files of the control group are read.
//
//go:debug containermaxprocs=0
//go:debug updatemaxprocs=0

// Command contivk8s is contiv's CNI plugin for Kubernetes and other runtimes of containers. The agent of its host does what it is
// asked for; see package plugin.
package main

import (
	"os"
	"time"

	"github.com/contiv/contiv/cni/plugin"
	"github.com/contiv/contiv/cni/wire"
)

// timeout is longer than the replacement of an agent, as by an upgrade: requests of that time are late and do not fail, and a node whose
// runtime sends STATUS stays ready.
const timeout = 10 * time.Second

func main() {
	p := plugin.Plugin{Name: "contivk8s", Socket: wire.DefaultSocket, Timeout: timeout}
	os.Exit(p.Run(plugin.Process{Args: os.Args[1:], Environ: os.Environ(), Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}))
}
