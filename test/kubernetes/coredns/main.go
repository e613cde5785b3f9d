// SPDX-License-Identifier: Apache-2.0

// Command coredns is a name server for the cluster of a lab, of kubeadm, and of the pods of Kubernetes' own tests: CoreDNS with the plugins
// that their configurations use. It is a module of its own because nothing that ships may depend on it.
//
//	coredns -conf Corefile
package main

import (
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"

	_ "github.com/coredns/coredns/plugin/bind"
	_ "github.com/coredns/coredns/plugin/cache"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/forward"
	_ "github.com/coredns/coredns/plugin/health"
	_ "github.com/coredns/coredns/plugin/hosts"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/loadbalance"
	_ "github.com/coredns/coredns/plugin/log"
	_ "github.com/coredns/coredns/plugin/loop"
	_ "github.com/coredns/coredns/plugin/metrics"
	_ "github.com/coredns/coredns/plugin/ready"
	_ "github.com/coredns/coredns/plugin/reload"
)

func main() {
	dnsserver.Directives = []string{"reload", "bind", "prometheus", "errors", "log", "health", "ready", "loadbalance", "cache", "hosts", "kubernetes", "loop", "forward"}
	coremain.Run()
}
