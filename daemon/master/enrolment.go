package main

import (
	"context"
	"errors"
	"log/slog"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/kube"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/enroll"
	"github.com/contiv/contiv/daemon/master/server/joinapi"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/embedded"
	"github.com/contiv/contiv/identity"
)

// enrolment makes what decides who joins the cluster.
func enrolment(c *config, committer *commit.Committer, known *catalog.Catalog, db store.Store, log *slog.Logger) *enroll.Enroller {
	settings := enroll.Config{Commit: committer, Catalog: known, Log: log}
	if c.holder != nil {
		settings.Trust = c.holder.Dir()
	}
	if members, ok := db.(*embedded.Server); ok {
		settings.Members = members
	}
	if c.Kubernetes.Wanted() {
		settings.Review = c.review
	}
	return enroll.New(settings)
}

// review says on which node a pod with an agent runs, by its service account token.
func (c *config) review(ctx context.Context, token string) (node string, err error) {
	account, err := c.Kubernetes.Review(ctx, token)
	switch {
	case errors.Is(err, kube.ErrUnproved):
		return "", model.Errorf(model.CodeDenied, "pod", "%v", err).Because(err).Try("the manifest has the kubelet make one for the audience %s: volume projected, source serviceAccountToken", kube.Audience)
	case err != nil:
		return "", model.Errorf(model.CodeUnavailable, "pod", "%v", err).Because(err).Try("netctl node ls shows whether the API server answers; netmaster's account needs create of tokenreviews")
	case identity.Join(account.Namespace, account.Name) != c.PodAccount:
		return "", model.Errorf(model.CodeDenied, "pod", "the token is of service account %s:%s, and agents have %s", account.Namespace, account.Name, c.PodAccount).
			Try("run agents with that account, or name theirs to netmasters with --agents-account")
	case account.Node == "":
		return "", model.Errorf(model.CodeDenied, "pod", "the token does not say on which node its pod runs").Try("that takes Kubernetes 1.30 or later, and a token that the kubelet has asked for")
	}
	return account.Node, nil
}

// told is what a host that joins is told of the cluster.
func (c *config) told() (out joinapi.Cluster) {
	out.Settings = model.ClusterSettings{Mode: c.Mode, NetMode: c.NetMode, FwdMode: c.FwdMode}
	if c.holder != nil {
		out.Self = c.holder.Identity().Name
	}
	if c.Store.Embedded {
		out.Store.Kind = "embedded"
		return out
	}
	for _, d := range c.Store.Drivers() {
		if len(*d.URLs) > 0 {
			out.Store = model.StoreSettings{Kind: d.Name, URLs: *d.URLs}
		}
	}
	return out
}
