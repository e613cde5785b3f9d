// SPDX-License-Identifier: Apache-2.0

package kubeservice

import (
	"slices"

	"github.com/contiv/contiv/daemon/record"
)

// hints determine which backends of a port clients here use, as in Kubernetes: if every ready backend is hinted for some nodes, and one of
// them for this node, those for this node; else if every one is hinted for some zones, and one of them for this node's zone, those; else
// all.
type hints struct {
	ready, nodes, zones int // backends; those with hints of each kind
	node, zone          bool
}

// add counts a backend.
func (h *hints) add(e *record.SliceEndpoint, at *Site) {
	if e.State != record.EndpointReady {
		return
	}
	h.ready++
	if len(e.ForNodes) > 0 {
		h.nodes++
	}
	if len(e.ForZones) > 0 {
		h.zones++
	}
	h.node = h.node || at.Node != "" && slices.Contains(e.ForNodes, at.Node)
	h.zone = h.zone || at.Zone != "" && slices.Contains(e.ForZones, at.Zone)
}

// near reports whether clients here use a ready backend.
func (h *hints) near(e *record.SliceEndpoint, at *Site) bool {
	switch {
	case h.node && h.nodes == h.ready:
		return slices.Contains(e.ForNodes, at.Node)
	case h.zone && h.zones == h.ready:
		return slices.Contains(e.ForZones, at.Zone)
	}
	return true
}
