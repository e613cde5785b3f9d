// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"errors"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/kube"
	"github.com/contiv/contiv/identity"
)

// NodeOf returns the node of an agent's pod, which the API server proves by the pod's service account token. It blocks for the answer. Errors are
// *model.Error.
func (s *Settings) NodeOf(ctx context.Context, token string) (node string, err error) {
	account, err := s.API.Review(ctx, token)
	switch {
	case errors.Is(err, kube.ErrUnproved):
		return "", model.Errorf(model.CodeDenied, "pod", "%v", err).Because(err).Try("the manifest has the kubelet make one for the audience %s: volume projected, source serviceAccountToken", kube.Audience)
	case err != nil:
		return "", model.Errorf(model.CodeUnavailable, "pod", "%v", err).Because(err).Try("netctl node ls shows whether the API server answers; netmaster's account needs create of tokenreviews")
	case identity.Join(account.Namespace, account.Name) != s.PodAccount:
		return "", model.Errorf(model.CodeDenied, "pod", "the token is of service account %s:%s, and agents have %s", account.Namespace, account.Name, s.PodAccount).
			Try("run agents with that account, or name theirs to netmasters with --agents-account")
	case account.Node == "":
		return "", model.Errorf(model.CodeDenied, "pod", "the token does not say on which node its pod runs").Try("that takes Kubernetes 1.30 or later, and a token that the kubelet has asked for")
	}
	return account.Node, nil
}
