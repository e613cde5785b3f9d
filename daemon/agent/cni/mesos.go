// SPDX-License-Identifier: Apache-2.0

package cni

import (
	"context"
	"net/http"

	"github.com/containernetworking/cni/pkg/types"
	"github.com/containernetworking/cni/pkg/utils"
)

// Paths of the original plugin for Mesos, with a mesosRequest; POST.
const (
	pathMesosAdd = "/MesosNwIntfAdd"
	pathMesosDel = "/MesosNwIntfDel"
)

// mesosVersion is the CNI version of the original plugin for Mesos, which Mesos itself supports.
const mesosVersion = "0.2.0"

// mesosRequest is what the original netcontiv posts.
type mesosRequest struct {
	IfName      string            `json:"cni_ifname"`
	Netns       string            `json:"cni_netns"`
	ContainerID string            `json:"cni_containerid"`
	Labels      map[string]string `json:"labels"` // io.contiv.tenant, ...
}

// addMesos answers the original netcontiv's request for an interface.
func (s *Server) addMesos(w http.ResponseWriter, r *http.Request) {
	s.mesos(w, r, func(ctx context.Context, q mesosRequest) (any, error) {
		conf := &Conf{Labels: q.Labels}
		res, err := s.attach(ctx, request{ContainerID: q.ContainerID, Netns: q.Netns, IfName: q.IfName}, nil, conf)
		if err != nil {
			return nil, err
		}
		return cniResult(&res, conf).GetAsVersion(mesosVersion)
	})
}

// delMesos answers the original netcontiv's request to remove an interface. Unlike the original it returns errors, so that Mesos retries.
func (s *Server) delMesos(w http.ResponseWriter, r *http.Request) {
	s.mesos(w, r, func(ctx context.Context, q mesosRequest) (any, error) {
		return nil, s.Attacher.Detach(ctx, q.ContainerID, q.IfName)
	})
}

// mesos decodes, checks and answers a request; nil is an empty body. With HTTP status 500 the original netcontiv prints the error and ends
// with exit code 2.
func (s *Server) mesos(w http.ResponseWriter, r *http.Request, do func(context.Context, mesosRequest) (any, error)) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), callTimeout)
	defer cancel()
	var q mesosRequest
	refused := decodeMesos(r, &q)
	var out any
	if refused == nil {
		err := s.serving(ctx)
		if err == nil {
			out, err = do(ctx, q)
		}
		if err != nil {
			refused = cniError(err)
		}
	}
	switch {
	case refused != nil:
		s.Log.Warn("CNI", "path", r.URL.Path, "container", q.ContainerID, "interface", q.IfName, "code", refused.Code, "error", refused.Msg)
		refused.Msg = "Contiv: " + refused.Msg
		reply(w, http.StatusInternalServerError, refusal{mesosVersion, *refused})
	case out != nil:
		reply(w, http.StatusOK, out)
	default:
		w.WriteHeader(http.StatusOK)
	}
}

func decodeMesos(r *http.Request, q *mesosRequest) *types.Error {
	if err := decode(r.Body, q); err != nil {
		return types.NewError(types.ErrDecodingFailure, err.Error(), "")
	}
	if err := utils.ValidateContainerID(q.ContainerID); err != nil {
		return err
	}
	return utils.ValidateInterfaceName(q.IfName)
}

// mesosArgs are the arguments that Mesos adds to a network configuration: NetworkInfo of its API (mesos.proto).
type mesosArgs struct {
	NetworkInfo struct {
		Labels struct {
			Labels []struct {
				Key   string `json:"key"`
				Value string `json:"value"`
			} `json:"labels"`
		} `json:"labels"`
	} `json:"network_info"`
}

// labels returns those of the container's network; of two with the same key the last counts, as in the original.
func (m *mesosArgs) labels() map[string]string {
	out := map[string]string{}
	for _, l := range m.NetworkInfo.Labels.Labels {
		out[l.Key] = l.Value
	}
	return out
}
