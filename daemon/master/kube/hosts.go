package kube

import (
	"context"
	"net/netip"
	"time"

	"github.com/contiv/contiv/daemon/kube"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
)

// nodes are those of Kubernetes, by their names.
type nodes map[string]*record.KubernetesNode

// byAddress are the names of nodes by their addresses.
func (n nodes) byAddress() map[netip.Addr]string {
	out := make(map[netip.Addr]string, len(n))
	for name, node := range n {
		for _, a := range node.Addresses {
			out[a] = name
		}
	}
	return out
}

// watchHosts compares hosts with nodes until ctx ends.
func (e *Engine) watchHosts(ctx context.Context) {
	tick := time.NewTicker(e.Compare)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := e.CompareHosts(ctx); err != nil && ctx.Err() == nil {
			e.Log.Warn("hosts are not compared with the nodes of Kubernetes; it is tried again", "retry", e.Compare, "error", err)
		}
	}
}

// CompareHosts has each host's record say which node it is, and ends hosts whose nodes are deleted, whose agents do not run, and of whose pods
// Kubernetes has none any more: a node that is made again under its name before that has them still. It does nothing before Kubernetes has told of
// all nodes and pods, nor while its API server is away. A host that has never been a node stays. It blocks until the store has that. Run calls it.
func (e *Engine) CompareHosts(ctx context.Context) error {
	became, orphans := e.compared()
	if err := e.recordNodes(ctx, became); err != nil {
		return err
	}
	for host, node := range orphans {
		why := "node " + node + " of Kubernetes was deleted, and its agent does not run"
		err := e.Endpoints.Retire(commit.Own(ctx, why), host, func(tx *commit.Tx) bool { return e.orphaned(tx.View, host, node) })
		if err != nil {
			return err
		}
	}
	return nil
}

// compared tells which nodes hosts have become, and which hosts have outlived the nodes that they were.
func (e *Engine) compared() (became, orphans map[string]string) {
	became, orphans = map[string]string{}, map[string]string{}
	e.Catalog.View(func(v *catalog.View) {
		e.mu.Lock()
		defer e.mu.Unlock()
		if !e.knowsNodes() {
			return
		}
		at := e.known.nodes.byAddress()
		for _, h := range v.Hosts() {
			node := at[h.VTEP]
			if _, ok := e.known.nodes[h.Label]; ok { // agents look for themselves by their labels first, too
				node = h.Label
			}
			switch {
			case node != "" && node != h.KubernetesNode:
				became[h.Label] = node
			case node == "" && e.outlives(v, h):
				orphans[h.Label] = h.KubernetesNode
			}
		}
		if len(orphans) == 0 {
			return
		}
		for m := range v.Members {
			if e.hasPod(m.Endpoint) {
				delete(orphans, m.Host)
			}
		}
	})
	return became, orphans
}

// outlives tells that a host was a node that there is no more, and that its agent does not run. The caller holds the lock.
func (e *Engine) outlives(v *catalog.View, h *record.Host) bool {
	return h.KubernetesNode != "" && e.known.nodes[h.KubernetesNode] == nil && !v.Running(h.Label)
}

// hasPod tells that Kubernetes has the pod that an endpoint is of. The caller holds the lock.
func (e *Engine) hasPod(of *record.Endpoint) bool {
	p := e.known.pods[of.Pod.ID]
	return p != nil && p.Is(of.Pod.UID)
}

// knowsNodes reports whether all nodes and pods are known as they are now. The caller holds the lock.
func (e *Engine) knowsNodes() bool {
	if e.known == nil || e.Source.Away() != "" || e.Source.Unread() != "" {
		return false
	}
	_, nodes := e.known.complete[kube.Nodes]
	_, pods := e.known.complete[kube.Pods]
	return nodes && pods
}

// orphaned tells that a host is over.
func (e *Engine) orphaned(v *catalog.View, host, node string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	h := v.Host(host)
	if h == nil || h.KubernetesNode != node || !e.knowsNodes() || !e.outlives(v, h) {
		return false
	}
	for m := range v.Members {
		if m.Host == host && e.hasPod(m.Endpoint) {
			return false
		}
	}
	return true
}

// recordNodes has the records of hosts name the nodes that they have become.
func (e *Engine) recordNodes(ctx context.Context, became map[string]string) error {
	for len(became) > 0 {
		left := map[string]string{}
		_, err := e.Commit.Do(commit.Own(ctx, "Kubernetes says so"), func(tx *commit.Tx) error {
			clear(left)
			for host, node := range became {
				if tx.Room() == 0 {
					left[host] = node
					continue
				}
				was := tx.Host(host)
				if was == nil {
					continue
				}
				h := *was
				h.KubernetesNode = node
				if err := tx.Put(record.Hosts+host, &h); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		became = left
	}
	return nil
}
