package link

import "fmt"

// Traffic is what an interface has carried since it was made, as the kernel counts (struct rtnl_link_stats64).
type Traffic struct{ RxPackets, RxBytes, TxPackets, TxBytes uint64 }

// Traffic reads the counters of an interface of the host. One that does not exist is an error.
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
