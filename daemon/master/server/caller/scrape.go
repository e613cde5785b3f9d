// SPDX-License-Identifier: Apache-2.0

package caller

import (
	"context"
	"net/http"
	"strings"

	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/api/rights"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/trust"
)

// Routes that tokens of other authorities reach: the metrics of this netmaster, and those of an agent. The permission for the first one covers both.
const (
	metricsPath      = "/metrics"
	agentMetricsPath = "/metrics/:host"
)

// Scraper authenticates tokens of other authorities, for metrics only.
type Scraper interface {
	// User returns the user that a token belongs to, if the user may get a path. Errors are *model.Error.
	User(ctx context.Context, token, path string) (string, error)
}

// scraper returns the subject of a request for metrics with a token of another authority; false for other requests. Such a subject may read
// in this request, and proves nothing in another one.
func (a *Authenticator) scraper(q *http.Request, route *rest.Route, token string) (auth.Subject, bool, error) {
	if a.Scraper == nil || route == nil || route.Path != metricsPath && route.Path != agentMetricsPath || route.Method != http.MethodGet || strings.Count(token, ".") != 2 { // a JWT has two; tokens of this cluster have none
		return auth.Subject{}, false, nil
	}
	user, err := a.Scraper.User(q.Context(), token, metricsPath)
	if err != nil {
		return auth.Subject{}, true, err
	}
	return auth.Subject{Identity: trust.Identity{Role: trust.User, Name: user}, Proof: auth.ByKubernetes, Grants: rights.Grants{{Role: rights.Viewer}}}, true, nil
}
