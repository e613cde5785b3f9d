package main

import (
	"log/slog"

	"github.com/contiv/contiv/daemon/kube"
	"github.com/contiv/contiv/daemon/master/admit"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/endpoint"
	masterkube "github.com/contiv/contiv/daemon/master/kube"
	"github.com/contiv/contiv/identity"
)

// kubernetes makes what reads Kubernetes, nil when none is named.
func kubernetes(c config, committer *commit.Committer, known *catalog.Catalog, a *admit.Admitter, log *slog.Logger) *masterkube.Engine {
	if !c.Kubernetes.Wanted() {
		return nil
	}
	return masterkube.New(masterkube.Config{Source: kube.NewReader(c.Kubernetes, log), Commit: committer, Catalog: known, BalancerNetwork: c.BalancerNetwork, Log: log, Hurry: c.pace.Hurry,
		Network: masterkube.Network{ID: identity.Network{Tenant: endpoint.DefaultTenant, Name: endpoint.DefaultNetwork}, Subnets: c.pods, Admit: a}})
}
