package link

import (
	"errors"
	"fmt"
	"slices"

	"github.com/google/nftables"
	"golang.org/x/sys/unix"
)

// RemoveTables removes all tables of ours in nftables, of whatever family. No one else's are touched. A kernel without nftables has none.
func (h *Host) RemoveTables() error {
	c, err := nftables.New(nftables.WithNetNSFd(h.ns.fd))
	if err != nil {
		return fmt.Errorf("open nftables: %w", err)
	}
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
