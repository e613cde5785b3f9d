package main

import (
	"strings"

	"github.com/contiv/contiv/api/model"
)

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
