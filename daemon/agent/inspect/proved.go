package inspect

import (
	"fmt"
	"net/http"

	"github.com/contiv/contiv/trust"
)

// health are the paths that say whether the agent lives and does its duty.
var health = []string{"/healthz", "/readyz"}

// Healthy is h for those who may know whether the agent is well, and nothing else, such as every account of the host. The rest is served elsewhere,
// as it says.
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

// Proved is h for clients that have proved who they are: netmasters get everything, monitors health and metrics. Without a holder no one has, and
// everyone gets everything.
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
