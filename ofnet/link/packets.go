// SPDX-License-Identifier: Apache-2.0

package link

import (
	"errors"
	"fmt"
	"net"

	"github.com/gopacket/gopacket/pcapgo"
)

// OpenPackets opens a packet socket at an interface of the network namespace at path, "" for the process's own. It receives what the
// interface sends and receives, frames of up to most bytes. Close ends a blocked read.
func OpenPackets(path, ifname string, most int) (*pcapgo.EthernetHandle, error) {
	ns, err := OpenNamespace(path)
	if err != nil {
		return nil, err
	}
	defer ns.Close()
	var h *pcapgo.EthernetHandle
	err = ns.Do(func() error {
		if _, err := net.InterfaceByName(ifname); err != nil {
			return err
		}
		var err error
		h, err = pcapgo.NewEthernetHandle(ifname)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("capture at %s: %w", ifname, err)
	}
	if err := h.SetCaptureLength(most); err != nil {
		return nil, fmt.Errorf("capture at %s: %w", ifname, errors.Join(err, h.Close()))
	}
	return h, nil
}
