// SPDX-License-Identifier: Apache-2.0

package cni

import (
	"context"
	"net/http"
)

// Paths of the original plugin for Kubernetes, with podRequest and podAnswer; POST.
const (
	pathAddPod = "/ContivCNI.AddPod"
	pathDelPod = "/ContivCNI.DelPod"
)

// podRequest is what the original plugin posts.
type podRequest struct {
	PodName     string `json:"K8S_POD_NAME"`
	Namespace   string `json:"K8S_POD_NAMESPACE"`
	ContainerID string `json:"K8S_POD_INFRA_CONTAINER_ID"`
	Netns       string `json:"CNI_NETNS"`
	IfName      string `json:"CNI_IFNAME"`
}

// podAnswer is the answer of the original agent; with Result 1 the HTTP status is 500.
type podAnswer struct {
	Result      int    `json:"result,omitempty"`
	EndpointID  string `json:"endpointid,omitempty"`
	IPAddress   string `json:"ipaddress,omitempty"` // with prefix length
	IPv6Address string `json:"ipv6address,omitempty"`
	ErrMsg      string `json:"errmsg,omitempty"`
	ErrInfo     string `json:"errinfo,omitempty"`
}

// addPod answers the original plugin's request for an interface.
func (s *Server) addPod(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), callTimeout)
	defer cancel()
	var p podRequest
	if err := decode(r.Body, &p); err != nil {
		refusePod(w, "Error reading request", err)
		return
	}
	if err := s.serving(ctx); err != nil {
		refusePod(w, "Error creating EP", err)
		return
	}
	args := map[string]string{"K8S_POD_NAMESPACE": p.Namespace, "K8S_POD_NAME": p.PodName}
	res, err := s.attach(ctx, request{ContainerID: p.ContainerID, Netns: p.Netns, IfName: p.IfName}, args, &Conf{})
	if err != nil {
		refusePod(w, "Error creating EP", err)
		return
	}
	answer := podAnswer{EndpointID: res.Endpoint.ID.Endpoint}
	for _, a := range res.Addrs {
		if a.Addr().Is4() {
			answer.IPAddress = a.String()
		} else {
			answer.IPv6Address = a.String()
		}
	}
	reply(w, http.StatusOK, answer)
}

// delPod answers the original plugin's request to remove an interface.
func (s *Server) delPod(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), callTimeout)
	defer cancel()
	var p podRequest
	err := decode(r.Body, &p)
	if err == nil {
		err = s.serving(ctx)
	}
	if err == nil {
		err = s.Attacher.Detach(ctx, p.ContainerID, p.IfName)
	}
	if err != nil {
		refusePod(w, "Error deleting EP", err)
		return
	}
	reply(w, http.StatusOK, podAnswer{EndpointID: p.ContainerID})
}

func refusePod(w http.ResponseWriter, what string, err error) {
	reply(w, http.StatusInternalServerError, podAnswer{Result: 1, ErrMsg: what, ErrInfo: "Err: " + err.Error()})
}
