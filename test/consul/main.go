// SPDX-License-Identifier: Apache-2.0

// Command consul is the agent of HashiCorp Consul and nothing else: a real server for the conformance test of
// daemon/store/consul. It is a module of its own because nothing that ships may depend on it.
//
//	consul -dev -bind 127.0.0.1 -client 127.0.0.1 -http-port 8500
package main

import (
	"os"

	"github.com/hashicorp/consul/command/agent"
	"github.com/hashicorp/consul/command/cli"
	base "github.com/mitchellh/cli"
)

func main() {
	ui := &cli.BasicUI{BasicUi: base.BasicUi{Writer: os.Stdout, ErrorWriter: os.Stderr}}
	os.Exit(agent.New(ui).Run(os.Args[1:]))
}
