// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"errors"
	"fmt"
	"net/netip"

	"github.com/contiv/contiv/daemon/flags"
	"github.com/contiv/contiv/daemon/kube"
	"github.com/contiv/contiv/daemon/master/endpoint"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// Settings configure the use of Kubernetes.
type Settings struct {
	API             kube.Config
	PodAccount      string // the service account of agents' pods, "NAMESPACE:NAME"
	BalancerNetwork string // see Config
	podSubnets      []string
	pods            []netip.Prefix // podSubnets, as of Check
}

// Register adds the flags.
func (s *Settings) Register(set *flags.Set) {
	set.String(&s.API.Kubeconfig, "kubeconfig", "KUBECONFIG", "", "how to reach Kubernetes, whose objects the leading netmaster reads")
	set.String(&s.API.Server, "kubernetes-api", "KUBERNETES_API", "", "the API server's own URL, not that of its service: instead of the kubeconfig's, or with the service account of the pod that this is")
	set.String(&s.PodAccount, "agents-account", "AGENTS_ACCOUNT", "contiv-system:netplugin", "service account of agents' pods, NAMESPACE:NAME: their hosts join the cluster by its tokens, each for its own node")
	set.List(&s.podSubnets, "pod-subnets", "POD_SUBNETS", "subnets of "+endpoint.DefaultNetwork+", the network of pods that nothing places elsewhere, which the first start with Kubernetes makes: 10.1.0.0/16, fd01::/64 or both (default: none is made)")
	set.String(&s.BalancerNetwork, "load-balancer-network", "LOAD_BALANCER_NETWORK", "", "name of the network, of a service's own tenant, that Kubernetes' services of type LoadBalancer get their addresses of when they name none by annotation "+record.PlaceNetwork)
}

// Check validates the flags. It reads no file.
func (s *Settings) Check() (err error) {
	if err := s.API.Check(); err != nil {
		return fmt.Errorf("--kubernetes-api: %w", err)
	}
	if s.pods, err = Subnets(s.podSubnets); err != nil {
		return fmt.Errorf("--pod-subnets: %w", err)
	}
	if len(s.pods) > 0 && !s.API.Wanted() {
		return errors.New("--pod-subnets is for netmasters that read Kubernetes: name a --kubeconfig or --kubernetes-api")
	}
	return nil
}

// Engine returns an Engine that reads the API server of the settings, or nil if they name none. c has the rest of its configuration.
func (s *Settings) Engine(c Config) *Engine {
	if !s.API.Wanted() {
		return nil
	}
	c.Source, c.BalancerNetwork = kube.NewReader(s.API, c.Log), s.BalancerNetwork
	c.Network.ID, c.Network.Subnets = identity.Network{Tenant: endpoint.DefaultTenant, Name: endpoint.DefaultNetwork}, s.pods
	return New(c)
}
