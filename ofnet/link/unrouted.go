// SPDX-License-Identifier: Apache-2.0

package link

import "github.com/prometheus/procfs"

// Unrouted returns the number of packets of this process's network namespace that were dropped since its creation because there was no
// route (IpExtInNoRoutes and Ip6InNoRoutes of nstat(8)). It reads the kernel's counters and does not block.
func Unrouted() (v4, v6 uint64, err error) {
	self, err := procfs.Self()
	if err != nil {
		return 0, 0, err
	}
	ip, err := self.Netstat()
	if err != nil {
		return 0, 0, err
	}
	if ip.InNoRoutes != nil {
		v4 = uint64(*ip.InNoRoutes)
	}
	ip6, err := self.Snmp6()
	if err != nil {
		return 0, 0, err
	}
	if ip6.InNoRoutes != nil {
		v6 = uint64(*ip6.InNoRoutes)
	}
	return v4, v6, nil
}

// Received returns the number of packets that an interface of this process's network namespace has received since its creation; 0 if it
// does not exist. It reads the kernel's counters and does not block.
func Received(name string) (uint64, error) {
	self, err := procfs.Self()
	if err != nil {
		return 0, err
	}
	all, err := self.NetDev()
	if err != nil {
		return 0, err
	}
	return all[name].RxPackets, nil
}
