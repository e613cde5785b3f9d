// SPDX-License-Identifier: Apache-2.0

package link

import (
	"errors"
	"fmt"
	"slices"

	"github.com/google/nftables"
	"golang.org/x/sys/unix"
)

// nftables opens nftables of the namespace; end closes it. The socket is opened here, and not with each operation: mdlayher/socket (0.5.1),
// which opens one in a namespace, does not report a failure, as in a process without a free file descriptor, and the operation then uses an
// invalid socket.
func (n *Namespace) nftables() (c *nftables.Conn, end func(), err error) {
	err = n.Do(func() (err error) {
		c, err = nftables.New(nftables.AsLasting())
		return err
	})
	if err != nil {
		return nil, nil, fmt.Errorf("open nftables: %w", err)
	}
	return c, func() { _ = c.CloseLasting() }, nil
}

// RemoveTables removes all nftables tables of ours, of any family. It changes no others. A kernel without nftables has none.
func (h *Host) RemoveTables() error {
	c, end, err := h.ns.nftables()
	if err != nil {
		return err
	}
	defer end()
	tables, err := c.ListTables()
	if errors.Is(err, unix.EAFNOSUPPORT) || errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EPROTONOSUPPORT) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("list nftables: %w", err)
	}
	for _, t := range tables {
		if slices.Contains([]string{endsTable, masqueradeTable, guardTable, publishedTable}, t.Name) {
			c.DelTable(t)
		}
	}
	if err := c.Flush(); err != nil {
		return fmt.Errorf("remove tables of nftables: %w", err)
	}
	return nil
}
