package main

import (
	"context"
	"log/slog"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/server"
	"github.com/contiv/contiv/daemon/master/timeline"
)

// remembering makes the duty of a leader to write down what its server finds wrong; front is the server by when it leads.
func remembering(c *commit.Committer, known *catalog.Catalog, front func() *server.Server, log *slog.Logger) func(context.Context) {
	keeper := timeline.New(timeline.Config{Commit: c, Catalog: known, Log: log, Found: func(ctx context.Context) ([]model.Finding, map[string]bool) {
		list := front().Health(ctx).Findings
		return list, silent(list)
	}})
	return keeper.Run
}

// silent are the hosts whose agents have not said how they are.
func silent(list []model.Finding) map[string]bool {
	out := map[string]bool{}
	for i := range list {
		if host, is := strings.CutPrefix(list[i].Object, "host/"); is && (list[i].Code == model.FindingAgentSilent || list[i].Code == model.FindingAgentUnknown) {
			out[host] = true
		}
	}
	return out
}
