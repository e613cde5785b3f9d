// SPDX-License-Identifier: Apache-2.0

package membership

import (
	"context"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/trust"
)

// maxPodToken bounds a service account token, in bytes.
const maxPodToken = 16 << 10

// JoinPod admits the agent of a node of Kubernetes by its pod's service account token, which identifies the node; the agent needs no other
// token, and replaces that of the previous pod. It blocks until Kubernetes has answered and the store has the certificate. Errors are
// *model.Error.
func (e *Enroller) JoinPod(ctx context.Context, q model.JoinRequest) (Admission, uint64, error) {
	none := func(err error) (Admission, uint64, error) { return Admission{}, 0, err }
	switch {
	case q.Master != nil || q.Agent == nil:
		return none(model.Errorf(model.CodeDenied, "master", "a service account token is only for an agent").Try("a netmaster in a pod has its certificate from the authority's key: contiv pod netmaster"))
	case q.Token != "":
		return none(model.Errorf(model.CodeInvalid, "token", "it is there beside pod").Try("send one of them"))
	case len(q.Pod) > maxPodToken:
		return none(model.Errorf(model.CodeInvalid, "pod", "it has %d bytes", len(q.Pod)).Try("a service account token has less than %d", maxPodToken))
	case e.Review == nil:
		return none(model.Errorf(model.CodeNotReady, "pod", "this cluster's netmasters do not use Kubernetes, so they cannot verify a service account token").
			Try("start them with --kubernetes-api or --kubeconfig; or have the host join with a token: contiv token create"))
	}
	a, err := e.authority()
	if err != nil {
		return none(err)
	}
	wishes, err := wishesOf(&q)
	if err != nil {
		return none(err)
	}
	w := wishes[0]
	node, err := e.Review(ctx, q.Pod)
	if err != nil {
		return none(err)
	}
	if pod := (&auth.Subject{Identity: trust.Identity{Role: trust.Agent, Name: node}, Proof: auth.ByPod}); !pod.Speaks(w.identity.Name) {
		return none(model.Errorf(model.CodeDenied, "agent.name", "the pod runs on node %s, and asks to be the agent of host %s", node, w.identity.Name).Try("in a pod, an agent's host is called as its node: CONTIV_NETPLUGIN_HOST from spec.nodeName"))
	}
	if err := e.issue(a, w, "the pod of node "+node, ""); err != nil {
		return none(err)
	}
	from := commit.Actor(ctx).Address
	rev, err := e.Commit.Join(ctx, func(tx *commit.Tx) error {
		if err := e.claimed(tx.View, w, from); err != nil {
			return err
		}
		return e.replace(tx, w)
	})
	if err != nil {
		return none(err)
	}
	e.Log.Info("a host has joined", "identity", w.identity.String(), "by", "its pod", "until", w.record.Until)
	out := Admission{Agent: w.issued}
	out.Authority, err = e.Trust.Trusted()
	return out, uint64(rev), err
}
