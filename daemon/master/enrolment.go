package main

import (
	"log/slog"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/enroll"
	"github.com/contiv/contiv/daemon/master/server/joinapi"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/embedded"
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
	if c.Kubernetes.API.Wanted() {
		settings.Review = c.Kubernetes.NodeOf
	}
	return enroll.New(settings)
}

// joinInfo returns what a joining host receives.
func (c *config) joinInfo() (out joinapi.Cluster) {
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
