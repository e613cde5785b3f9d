// SPDX-License-Identifier: Apache-2.0

package healthport

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// answer is the body of kube-proxy's answer, for every path.
type answer struct {
	Service struct {
		Namespace string `json:"namespace"`
		Name      string `json:"name"`
	} `json:"service"`
	LocalEndpoints      int  `json:"localEndpoints"`
	ServiceProxyHealthy bool `json:"serviceProxyHealthy"`
}

// answer serves the health of a port: 200 if external clients should be sent here, else 503.
func (k *Controller) answer(p *port) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		p.mu.Lock()
		h := p.health
		p.mu.Unlock()
		a := answer{LocalEndpoints: h.Local, ServiceProxyHealthy: k.Healthy()}
		a.Service.Namespace, a.Service.Name = h.Service.Namespace, h.Service.Name
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("X-Load-Balancing-Endpoint-Weight", strconv.Itoa(h.Local))
		if h.Local == 0 || !a.ServiceProxyHealthy {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_ = json.NewEncoder(w).Encode(a)
	})
}
