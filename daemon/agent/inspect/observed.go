// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet"
)

// Observed streams the observed connection events, as (*observe.Observer).Stream does.
type Observed func(ctx context.Context, ask model.Observe, write func([]model.Observed) error) error

// observed streams connection events, one per line; an empty line means that there is nothing new. The query is that of model.Observe.
func (o *Options) observed(w http.ResponseWriter, r *http.Request) {
	if o.Observed == nil {
		text(w, http.StatusServiceUnavailable, "connections are not observed here: netplugin runs with --connection-log off\n")
		return
	}
	ask, err := model.ParseObserve(r.URL.Query())
	if err != nil {
		text(w, http.StatusBadRequest, err.Error()+"\n")
		return
	}
	w.Header().Set("Content-Type", model.ObservedLines)
	out, control := json.NewEncoder(w), http.NewResponseController(w)
	err = o.Observed(r.Context(), ask, func(events []model.Observed) error {
		for i := range events {
			if err := out.Encode(&events[i]); err != nil {
				return err
			}
		}
		if len(events) == 0 {
			if _, err := w.Write([]byte("\n")); err != nil {
				return err
			}
		}
		return control.Flush()
	})
	if err != nil {
		panic(http.ErrAbortHandler) // shows the reader that the stream is incomplete
	}
}

// Called returns an owner of flows as users name it: a policy of Kubernetes is "networkpolicy/namespace/name" or
// "clusternetworkpolicy/name". Flows can be selected by that name.
func Called(owner ofnet.Key) string {
	if owner.Kind != ofnet.KindClassPolicy {
		return called(owner)
	}
	if id, err := identity.ParseNetworkPolicy(owner.Name); err == nil {
		return ofnet.Key{Kind: networkPolicy, Name: id.Path()}.String()
	}
	return ofnet.Key{Kind: clusterNetworkPolicy, Name: owner.Name}.String()
}
