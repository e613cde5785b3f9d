// SPDX-License-Identifier: Apache-2.0

package link_test

import "testing"

// The packets of an interface are counted per direction.
func TestTraffic(t *testing.T) {
	h, ns := open(t)
	ns.IP("link", "set", "lo", "up")
	was, err := h.Traffic("lo")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := ns.Exec("ping", "-n", "-c", "1", "127.0.0.1"); err != nil {
		t.Fatalf("ping: %v\n%s", err, out)
	}
	now, err := h.Traffic("lo")
	if err != nil || now.TxPackets <= was.TxPackets || now.RxPackets <= was.RxPackets || now.RxBytes <= was.RxBytes || now.TxBytes <= was.TxBytes {
		t.Errorf("after a packet: want more than %+v, got %+v, %v", was, now, err)
	}
	if _, err := h.Traffic("absent"); err == nil {
		t.Error("no such interface: want an error")
	}
}
