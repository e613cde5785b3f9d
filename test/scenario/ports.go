// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"slices"
	"strings"
	"time"
)

// reload is how long after a command the userspace datapath may still take its new ports into use.
const reload = 200 * time.Millisecond

// portChange is the time of a command that adds or removes ports.
type portChange struct{ start, end time.Time }

// changePorts runs a lab command that adds or removes ports, and remembers when it ran.
func (s *Session) changePorts(args []string) error {
	start := time.Now()
	err := s.lab(args...)
	s.changes = append(s.changes, portChange{start, time.Now().Add(reload)})
	return err
}

// excused counts the lost packets that changes of ports explain: the userspace datapath stops its threads to reload its ports (dpif-netdev.c,
// reconfigure_datapath), and a packet in between may be lost. The kernel datapath does not stop.
func (s *Session) excused(lost []time.Time) (int, error) {
	n := explained(s.changes, lost)
	if n == 0 {
		return 0, nil
	}
	if err := s.lab("exec", s.hosts[0], "--", "ovs-vsctl", "get", "bridge", "contiv0", "datapath_type"); err != nil {
		return 0, err
	}
	if !strings.Contains(s.stdout(), "netdev") {
		return 0, nil
	}
	return n, nil
}

// explained counts the lost packets that were sent during a change, one for each change.
func explained(changes []portChange, lost []time.Time) int {
	changes = slices.Clone(changes)
	n := 0
	for _, at := range lost {
		i := slices.IndexFunc(changes, func(c portChange) bool { return !at.Before(c.start) && !at.After(c.end) })
		if i >= 0 {
			changes, n = slices.Delete(changes, i, i+1), n+1
		}
	}
	return n
}
