// SPDX-License-Identifier: Apache-2.0

// A plugin is over before limits of processors could change, and waits most of its time: no files of the control group are read.
//
//go:debug containermaxprocs=0
//go:debug updatemaxprocs=0

// Command netcontiv is contiv's CNI plugin for Apache Mesos. The agent of its host does what it is asked for; see package plugin.
package main

import (
	"os"

	"github.com/contiv/contiv/cni/plugin"
	"github.com/contiv/contiv/cni/wire"
)

func main() {
	p := plugin.Plugin{Name: "netcontiv", Socket: wire.MesosSocket}
	os.Exit(p.Run(plugin.Process{Args: os.Args[1:], Environ: os.Environ(), Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}))
}
