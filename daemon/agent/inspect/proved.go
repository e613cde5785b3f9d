// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"fmt"
	"net/http"

	"github.com/contiv/contiv/trust"
)

// health are the paths that report liveness and readiness.
var health = []string{"/healthz", "/readyz"}

// Healthy is h for clients that may see only the agent's health, such as every account of the host. Other paths are refused with a
// reference to elsewhere, where they are served.
func Healthy(h http.Handler, elsewhere string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		text(w, http.StatusForbidden, fmt.Sprintf("%s %s is not served here, where every account of this host can ask: use %s, or netctl\n", r.Method, r.URL.Path, elsewhere))
	})
	for _, path := range health {
		mux.Handle("GET "+path, h)
	}
	return mux
}

// Proved is h for authenticated clients: netmasters may use everything, monitors health and metrics. Without a holder everyone may use
// everything.
func Proved(h http.Handler, holder *trust.Holder) http.Handler {
	if holder == nil {
		return h
	}
	mux := http.NewServeMux()
	for _, path := range append([]string{"/metrics"}, health...) {
		mux.Handle("GET "+path, h)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, ok := trust.Peer(r.TLS)
		switch {
		case ok && who.Role == trust.Master:
			h.ServeHTTP(w, r)
			return
		case ok && who.Role == trust.Monitor:
			if known, pattern := mux.Handler(r); pattern != "" {
				known.ServeHTTP(w, r)
				return
			}
		}
		text(w, http.StatusForbidden, fmt.Sprintf("%s %s is not for %s: agents show themselves to netmasters, ask one (netctl)\n", r.Method, r.URL.Path, who))
	})
}
