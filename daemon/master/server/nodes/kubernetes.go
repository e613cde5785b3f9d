package nodes

import (
	"context"

	"github.com/contiv/contiv/api/model"
)

// kubernetes is how the leader stands with Kubernetes. It blocks up to peer.Limit where another netmaster leads.
func (s *Nodes) kubernetes(ctx context.Context) (model.KubernetesStatus, error) {
	leader := s.Leadership.Leader()
	if leader == "" {
		return model.KubernetesStatus{}, model.Errorf(model.CodeUnavailable, "", "no netmaster leads, so that none reads Kubernetes").
			Try("netctl leader tells why; it is tried again")
	}
	n := s.Master(ctx, leader)
	switch {
	case !n.Answered():
		return model.KubernetesStatus{}, model.Errorf(model.CodeUnavailable, "", "the leader does not say whether it reads Kubernetes: %s", n.Reason)
	case n.Kubernetes == nil:
		return model.KubernetesStatus{}, nil
	}
	return *n.Kubernetes, nil
}
