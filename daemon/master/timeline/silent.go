// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"strings"

	"github.com/contiv/contiv/api/model"
)

// Silent returns the hosts whose agents have not reported, by the findings about them.
func Silent(list []model.Finding) map[string]bool {
	out := map[string]bool{}
	for i := range list {
		if host, is := strings.CutPrefix(list[i].Object, "host/"); is && (list[i].Code == model.FindingAgentSilent || list[i].Code == model.FindingAgentUnknown) {
			out[host] = true
		}
	}
	return out
}
