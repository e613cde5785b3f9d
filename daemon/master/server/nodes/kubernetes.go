// SPDX-License-Identifier: Apache-2.0

package nodes

import (
	"context"

	"github.com/contiv/contiv/api/model"
)

// kubernetes returns the leader's state towards Kubernetes. It blocks up to peer.Limit if another netmaster leads.
func (s *Nodes) kubernetes(ctx context.Context) (model.KubernetesStatus, error) {
	leader := s.Leadership.Leader()
	if leader == "" {
		return model.KubernetesStatus{}, model.Errorf(model.CodeUnavailable, "", "no netmaster leads, so that none reads Kubernetes").
			Try("netctl leader shows why; it is retried")
	}
	n := s.Master(ctx, leader)
	switch {
	case !n.Answered():
		return model.KubernetesStatus{}, model.Errorf(model.CodeUnavailable, "", "the leader does not report its state towards Kubernetes: %s", n.Reason)
	case n.Kubernetes == nil:
		return model.KubernetesStatus{}, nil
	}
	return *n.Kubernetes, nil
}
