// SPDX-License-Identifier: Apache-2.0

package link

import "fmt"

// Traffic is the traffic of an interface since it was created, as counted by the kernel (struct rtnl_link_stats64).
type Traffic struct{ RxPackets, RxBytes, TxPackets, TxBytes uint64 }

// Traffic reads the counters of an interface of the host. A missing interface is an error.
func (h *Host) Traffic(name string) (Traffic, error) {
	l, err := h.nl.LinkByName(name)
	if err != nil {
		return Traffic{}, fmt.Errorf("read the counters of %s: %w", name, err)
	}
	s := l.Attrs().Statistics
	if s == nil {
		return Traffic{}, fmt.Errorf("the kernel has no counters of %s", name)
	}
	return Traffic{s.RxPackets, s.RxBytes, s.TxPackets, s.TxBytes}, nil
}
