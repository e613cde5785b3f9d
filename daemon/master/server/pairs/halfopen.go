// SPDX-License-Identifier: Apache-2.0

package pairs

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"io"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
)

// halfOpen finds connections that another machine has requested from this netmaster, and that this machine's answer has not opened: their
// first packets arrive here, and what is sent back does not arrive there.
type halfOpen struct{ own string }

// The tables of the kernel, and how much is read of each.
const (
	tableIPv4 = "/proc/self/net/tcp"
	tableIPv6 = "/proc/self/net/tcp6"
	maxTable  = 16 << 20 // bytes
)

// from reports whether the kernel has such a connection from the machine of a netmaster.
func (h *halfOpen) from(address string) bool {
	return slices.ContainsFunc([]string{tableIPv4, tableIPv6}, func(path string) bool {
		f, err := os.Open(path)
		if err != nil {
			return false
		}
		defer func() { _ = f.Close() }()
		return h.in(io.LimitReader(f, maxTable), address)
	})
}

// synReceived is the state of such a connection in the kernel's tables.
const synReceived = "03"

// in reports whether a table of the kernel, as proc(5) describes it, has such a connection.
func (h *halfOpen) in(table io.Reader, address string) bool {
	own, err := netip.ParseAddrPort(h.own)
	peer, failed := netip.ParseAddrPort(address)
	if err != nil || failed != nil {
		return false
	}
	lines := bufio.NewScanner(table)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || fields[3] != synReceived {
			continue
		}
		local, ok := endpoint(fields[1])
		remote, also := endpoint(fields[2])
		if ok && also && local.Port() == own.Port() && remote.Addr() == peer.Addr().Unmap() {
			return true
		}
	}
	return false
}

// endpoint reads an address in a table of the kernel: words of four bytes, each in the order of this processor, which is little endian.
func endpoint(text string) (out netip.AddrPort, ok bool) {
	address, port, _ := strings.Cut(text, ":")
	b, err := hex.DecodeString(address)
	n, failed := strconv.ParseUint(port, 16, 16)
	if err != nil || failed != nil || len(b)%4 != 0 {
		return out, false
	}
	for word := range slices.Chunk(b, 4) {
		slices.Reverse(word)
	}
	a, ok := netip.AddrFromSlice(bytes.Clone(b))
	return netip.AddrPortFrom(a.Unmap(), uint16(n)), ok
}
