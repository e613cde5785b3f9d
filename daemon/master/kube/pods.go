// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"time"

	"github.com/contiv/contiv/daemon/kube"
	"github.com/contiv/contiv/daemon/kube/translate"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// Await blocks until Kubernetes has sent a pod with the uid that its kubelet uses ("": any pod of the name), and its namespace, and until
// the store has everything else that it had sent by then, so that the pod starts under its policies. The caller may retry after an error:
// the pod may arrive later, and another pod of the name may be terminating.
func (e *Engine) Await(ctx context.Context, id identity.Pod, uid string) error {
	late := time.NewTimer(e.PodTimeout)
	defer late.Stop()
	if err := e.until(ctx, late.C, func() (chan struct{}, error) { return e.missing(id, uid) }); err != nil {
		return err
	}
	changes := e.changeCount()
	return e.until(ctx, late.C, func() (chan struct{}, error) { return e.unwritten(changes) })
}

// until blocks until asked returns no error, and returns its error when it is late or when nothing will change that.
func (e *Engine) until(ctx context.Context, late <-chan time.Time, asked func() (moved chan struct{}, why error)) error {
	for {
		moved, why := asked()
		if why == nil {
			return nil
		}
		if moved == nil {
			return why
		}
		select {
		case <-moved:
		case <-late:
			return why
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// missing returns why a pod's endpoint cannot be created, and a channel that is closed when that may have changed; nil: nothing will change
// it.
func (e *Engine) missing(id identity.Pod, uid string) (moved chan struct{}, why error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch moved = e.moved; {
	case e.known == nil && e.over:
		return nil, notLeading()
	case e.known == nil: // the new term is about to begin
		return moved, notLeading()
	}
	_, all := e.known.complete[kube.Pods]
	_, places := e.known.complete[kube.Namespaces]
	switch p := e.known.pods[id]; {
	case !all || !places:
		return moved, unavailable("pod %s is not known, since netmaster has not read Kubernetes yet%s", id, because(e.problem, e.Source.Away())).
			Try("see that netmaster's --kubeconfig or --kubernetes-api is right, and that the API server answers")
	case p == nil:
		return moved, unavailable("Kubernetes has no pod %s%s", id, because(e.Source.Away())).Try("it is tried again when the kubelet repeats it")
	case !p.Is(uid):
		return moved, unavailable("pod %s of Kubernetes has uid %s, and not %s", id, p.UID, uid).Try("it is tried again when the kubelet repeats it")
	}
	if _, ok := e.known.places[id.Namespace]; !ok {
		return moved, unavailable("Kubernetes has no namespace %s", id.Namespace).Try("it is tried again when the kubelet repeats it")
	}
	return moved, nil
}

// changeCount returns the number of changes received from Kubernetes.
func (e *Engine) changeCount() uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.known == nil {
		return 0
	}
	return e.known.changes
}

// unwritten returns an error while the store has fewer changes of Kubernetes than the given number.
func (e *Engine) unwritten(changes uint64) (moved chan struct{}, why error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.known == nil:
		return nil, notLeading()
	case e.known.written < changes:
		return e.moved, unavailable("the store does not have all changes of Kubernetes yet").Try("it is tried again when the kubelet repeats it")
	}
	return nil, nil
}

func notLeading() error {
	return unavailable("this netmaster does not lead, so that it knows no pods").Try("repeat the request")
}

// because formats the first nonempty reason, after a colon.
func because(reasons ...string) string {
	for _, r := range reasons {
		if r != "" {
			return ": " + r
		}
	}
	return ""
}

// Pod returns a pod as last received, nil if there is none. The caller must not change it.
func (e *Engine) Pod(id identity.Pod) *translate.Pod {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.known == nil {
		return nil
	}
	return e.known.pods[id]
}

// Place returns the placement that a namespace fixes for its pods.
func (e *Engine) Place(namespace string) record.Place {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.known == nil {
		return record.Place{}
	}
	return e.known.places[namespace]
}
