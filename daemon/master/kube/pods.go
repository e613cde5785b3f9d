package kube

import (
	"context"
	"time"

	"github.com/contiv/contiv/daemon/kube"
	"github.com/contiv/contiv/daemon/kube/translate"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// Await blocks until Kubernetes has told of a pod that its kubelet calls by uid ("": of any of that name), and of its namespace, and until the
// store has what else it had told by then, so that the pod starts under its policies. The refusal may be tried again: the pod may be told of
// later, and where there is another of its name, that one may be on its way out.
func (e *Engine) Await(ctx context.Context, id identity.Pod, uid string) error {
	late := time.NewTimer(e.PodTimeout)
	defer late.Stop()
	if err := e.until(ctx, late.C, func() (chan struct{}, error) { return e.missing(id, uid) }); err != nil {
		return err
	}
	told := e.changeCount()
	return e.until(ctx, late.C, func() (chan struct{}, error) { return e.unwritten(told) })
}

// until blocks until what is asked refuses nothing any more, and returns its refusal when it is late, or when nothing will change that.
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

// missing says why a pod's endpoint cannot be made, and what is closed when that may have changed; nil: nothing will.
func (e *Engine) missing(id identity.Pod, uid string) (moved chan struct{}, why error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch moved = e.moved; {
	case e.known == nil && e.over:
		return nil, notLeading()
	case e.known == nil: // the term that has come is about to begin
		return moved, notLeading()
	}
	_, all := e.known.complete[kube.Pods]
	_, places := e.known.complete[kube.Namespaces]
	switch p := e.known.pods[id]; {
	case !all || !places:
		return moved, unavailable("pod %s is not known, since netmaster has not read Kubernetes yet%s", id, because(e.problem, e.Source.Away())).
			Try("see that netmaster's --kubeconfig or --kubernetes-api is right, and that the API server answers")
	case p == nil:
		return moved, unavailable("Kubernetes has told of no pod %s%s", id, because(e.Source.Away())).Try("it is tried again when the kubelet repeats it")
	case !p.Is(uid):
		return moved, unavailable("pod %s of Kubernetes has uid %s, and not %s", id, p.UID, uid).Try("it is tried again when the kubelet repeats it")
	}
	if _, ok := e.known.places[id.Namespace]; !ok {
		return moved, unavailable("Kubernetes has told of no namespace %s", id.Namespace).Try("it is tried again when the kubelet repeats it")
	}
	return moved, nil
}

// changeCount is how much Kubernetes has told of.
func (e *Engine) changeCount() uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.known == nil {
		return 0
	}
	return e.known.changes
}

// unwritten refuses while the store lacks something of what was told.
func (e *Engine) unwritten(told uint64) (moved chan struct{}, why error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.known == nil:
		return nil, notLeading()
	case e.known.written < told:
		return e.moved, unavailable("the store does not have yet what Kubernetes has told of").Try("it is tried again when the kubelet repeats it")
	}
	return nil, nil
}

func notLeading() error {
	return unavailable("this netmaster does not lead, so that it knows no pods").Try("repeat the request")
}

// because is the first of some reasons, behind a colon.
func because(reasons ...string) string {
	for _, r := range reasons {
		if r != "" {
			return ": " + r
		}
	}
	return ""
}

// Pod is what Kubernetes has told of a pod last, nil of none. The caller does not change it.
func (e *Engine) Pod(id identity.Pod) *translate.Pod {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.known == nil {
		return nil
	}
	return e.known.pods[id]
}

// Place is what a namespace fixes of its pods.
func (e *Engine) Place(namespace string) record.Place {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.known == nil {
		return record.Place{}
	}
	return e.known.places[namespace]
}
