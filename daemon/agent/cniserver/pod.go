package cniserver

import (
	"context"
	"net/http"

	"github.com/contiv/contiv/cni/wire"
)

// addPod answers the original plugin's request for an interface.
func (s *Server) addPod(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), callLimit)
	defer cancel()
	var p wire.PodRequest
	if err := decode(r.Body, &p); err != nil {
		refusePod(w, "Error reading request", err)
		return
	}
	if err := s.serving(); err != nil {
		refusePod(w, "Error creating EP", err)
		return
	}
	args := map[string]string{"K8S_POD_NAMESPACE": p.Namespace, "K8S_POD_NAME": p.PodName}
	res, err := s.attach(ctx, wire.Request{ContainerID: p.ContainerID, Netns: p.Netns, IfName: p.IfName}, args, &wire.Conf{})
	if err != nil {
		refusePod(w, "Error creating EP", err)
		return
	}
	answer := wire.PodAnswer{EndpointID: res.Endpoint.ID.Endpoint}
	for _, a := range res.Addrs {
		if a.Addr().Is4() {
			answer.IPAddress = a.String()
		} else {
			answer.IPv6Address = a.String()
		}
	}
	reply(w, http.StatusOK, answer)
}

// delPod answers the original plugin's request to take an interface away.
func (s *Server) delPod(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), callLimit)
	defer cancel()
	var p wire.PodRequest
	err := decode(r.Body, &p)
	if err == nil {
		err = s.serving()
	}
	if err == nil {
		err = s.Attacher.Detach(ctx, p.ContainerID, p.IfName)
	}
	if err != nil {
		refusePod(w, "Error deleting EP", err)
		return
	}
	reply(w, http.StatusOK, wire.PodAnswer{EndpointID: p.ContainerID})
}

func refusePod(w http.ResponseWriter, what string, err error) {
	reply(w, http.StatusInternalServerError, wire.PodAnswer{Result: 1, ErrMsg: what, ErrInfo: "Err: " + err.Error()})
}
