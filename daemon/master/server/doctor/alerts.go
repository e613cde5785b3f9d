// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/health"
)

// unsent are the receivers that do not accept alerts.
func unsent(v *catalog.View) (out []health.Unsent) {
	for _, r := range v.AlertReceivers() {
		out = append(out, health.Unsent{URL: r.URL, Since: r.Since, Error: r.Error})
	}
	return out
}
