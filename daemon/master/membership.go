// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/membership"
	"github.com/contiv/contiv/daemon/master/server/joinapi"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/embedded"
)

// enroller returns the Enroller, which admits hosts to the cluster.
func (d *daemon) enroller(committer *commit.Committer, known *catalog.Catalog, db store.Store) *membership.Enroller {
	settings := membership.EnrollerConfig{Commit: committer, Catalog: known, Log: d.log}
	if d.holder != nil {
		settings.Trust = d.holder.Dir()
	}
	if members, ok := db.(*embedded.Server); ok {
		settings.Members = members
	}
	if d.Kubernetes.API.Wanted() {
		settings.Review = d.Kubernetes.NodeOf
	}
	return membership.NewEnroller(settings)
}

// joinInfo returns what a joining host receives.
func (d *daemon) joinInfo() (out joinapi.Cluster) {
	out.Settings = model.ClusterSettings{Mode: d.Mode, NetMode: d.NetMode, FwdMode: d.FwdMode}
	if d.holder != nil {
		out.Self = d.holder.Identity().Name
	}
	if d.Store.Embedded {
		out.Store.Kind = "embedded"
		return out
	}
	for _, driver := range d.Store.Drivers() {
		if len(*driver.URLs) > 0 {
			out.Store = model.StoreSettings{Kind: driver.Name, URLs: *driver.URLs}
		}
	}
	return out
}
