// SPDX-License-Identifier: Apache-2.0

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

// nodes are Kubernetes' nodes by name.
type nodes map[string]*record.KubernetesNode

// byAddress returns the names of nodes by their addresses.
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
			e.Log.Warn("cannot compare hosts with the nodes of Kubernetes; retrying", "retry", e.Compare, "error", err)
		}
	}
}

// CompareHosts records in each host which node it is, and removes hosts whose nodes are deleted, whose agents do not run, and whose pods
// are all gone from Kubernetes: a node that is recreated under its name in time still has them. It does nothing before Kubernetes has
// listed all nodes and pods, nor while its API server is away. A host that was never a node stays. It blocks until the store has the
// changes. Run calls it.
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

// compared returns the nodes that hosts have become, and the hosts that have outlived their nodes.
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
			if _, ok := e.known.nodes[h.Label]; ok { // agents also compare labels first
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

// outlives reports whether a host was a node that no longer exists, and its agent does not run. The caller holds the lock.
func (e *Engine) outlives(v *catalog.View, h *record.Host) bool {
	return h.KubernetesNode != "" && e.known.nodes[h.KubernetesNode] == nil && !v.Running(h.Label)
}

// hasPod reports whether the pod of an endpoint exists in Kubernetes. The caller holds the lock.
func (e *Engine) hasPod(of *record.Endpoint) bool {
	p := e.known.pods[of.Pod.ID]
	return p != nil && p.Is(of.Pod.UID)
}

// knowsNodes reports whether all nodes and pods are known and current. The caller holds the lock.
func (e *Engine) knowsNodes() bool {
	if e.known == nil || e.Source.Away() != "" || e.Source.Unread() != "" {
		return false
	}
	_, nodes := e.known.complete[kube.Nodes]
	_, pods := e.known.complete[kube.Pods]
	return nodes && pods
}

// orphaned reports whether a host must be removed.
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

// recordNodes records in hosts the nodes that they have become.
func (e *Engine) recordNodes(ctx context.Context, became map[string]string) error {
	for len(became) > 0 {
		left := map[string]string{}
		_, err := e.Commit.Do(commit.Own(ctx, "Kubernetes changed it"), func(tx *commit.Tx) error {
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
