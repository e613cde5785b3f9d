package tracker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/contiv/contiv/checksum"
	"github.com/contiv/contiv/ofnet/conntrack"
)

// Ledger is the path of a file in which an agent notes limits before it sets them, so that the next agent, or an uninstall, removes those that no tenant needs.
// The file belongs on a file system that a boot empties, as a boot resets the limits. An empty Ledger notes nothing.
type Ledger string

// Limits are those of zones, by zone.
type Limits map[uint16]uint32

// mostLedger bounds what is read of a ledger, in bytes: two zones of 30 bytes for each of 32,767 tenants are less.
const mostLedger = 4 << 20

// Limits returns the limits in the ledger, by datapath as dpctl calls it. A ledger that does not exist, or that a crash has cut, has none. It blocks for a file.
func (l Ledger) Limits() (map[string]Limits, error) {
	all := map[string]Limits{}
	if l == "" {
		return all, nil
	}
	text, err := os.ReadFile(string(l))
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return nil, err
	}
	body, err := checksum.Open(ledgerName, ledgerFormat, text)
	if err != nil {
		return nil, fmt.Errorf("limits that were set, in %s: %w", l, err)
	}
	if len(body) > mostLedger || json.Unmarshal(body, &all) != nil || all == nil {
		return map[string]Limits{}, nil
	}
	return all, nil
}

// ledgerName and ledgerFormat are what the file is, and the number of its format. Files of earlier builds have neither, and no checksum.
const (
	ledgerName   = "limits"
	ledgerFormat = 1
)

// unusable reports whether an error says that nothing of a ledger is used.
func unusable(err error) bool {
	return errors.Is(err, checksum.ErrDamaged) || errors.Is(err, checksum.ErrFormat)
}

// Remove removes the file, if there is one.
func (l Ledger) Remove() error {
	if err := os.Remove(string(l)); l != "" && err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// note replaces the limits of a datapath in the ledger.
func (l Ledger) note(datapath string, limits Limits) error {
	if l == "" {
		return nil
	}
	all, err := l.Limits()
	if unusable(err) {
		all, err = map[string]Limits{}, nil
	}
	if err != nil || maps.Equal(all[datapath], limits) {
		return err
	}
	if all[datapath] = limits; len(limits) == 0 {
		delete(all, datapath)
	}
	if len(all) == 0 {
		return l.Remove()
	}
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	next, err := os.CreateTemp(filepath.Dir(string(l)), filepath.Base(string(l))+".*")
	if err != nil {
		return err
	}
	_, err = next.Write(checksum.Seal(ledgerName, ledgerFormat, text))
	if err = errors.Join(err, next.Close()); err == nil {
		err = os.Rename(next.Name(), string(l))
	}
	if err != nil {
		_ = os.Remove(next.Name())
	}
	return err
}

// Release removes the limits in a ledger from the switch, where no one has changed them since, and then the ledger. It blocks until the switch has answered; with
// an error the ledger stays, so Release may be repeated. A datapath that the switch does not have any more has no limits.
func Release(ctx context.Context, l Ledger, control func(ctx context.Context, command string, args ...string) (string, error)) error {
	all, err := l.Limits()
	if unusable(err) { // no repetition reads it
		return errors.Join(fmt.Errorf("%w: limits of the connection tracker may stay until the next boot: ovs-appctl dpctl/ct-get-limits shows them", err), os.Remove(string(l)))
	}
	if err != nil {
		return err
	}
	for datapath, limits := range all {
		if err := release(ctx, datapath, limits, control); err != nil && !refused(err) {
			return fmt.Errorf("remove the limits of zones of %s: %w", datapath, err)
		}
	}
	return l.Remove()
}

// release removes limits of zones that are as they were set.
func release(ctx context.Context, datapath string, limits Limits, control func(ctx context.Context, command string, args ...string) (string, error)) error {
	text, err := control(ctx, "dpctl/ct-get-limits", datapath)
	if err != nil {
		return err
	}
	list, err := conntrack.ParseLimits(text)
	if err != nil {
		return err
	}
	var zones []uint16
	for _, known := range list {
		if limit, ours := limits[known.Zone]; ours && limit == known.Limit {
			zones = append(zones, known.Zone)
		}
	}
	if len(zones) == 0 {
		return nil
	}
	_, err = control(ctx, "dpctl/ct-del-limits", datapath, zonesText(zones))
	return err
}

// zonesText is how dpctl names zones.
func zonesText(zones []uint16) string {
	slices.Sort(zones)
	var names []string
	for _, zone := range zones {
		names = append(names, strconv.Itoa(int(zone)))
	}
	return "zone=" + strings.Join(names, ",")
}
