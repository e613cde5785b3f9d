// SPDX-License-Identifier: Apache-2.0

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
	"github.com/contiv/contiv/ofnet/vswitchd"
)

// Ledger is the path of a file in which an agent records limits before it sets them, so that the next agent, or an uninstall, removes those
// that no tenant needs. The file belongs on a file system that a boot empties, as a boot resets the limits. An empty Ledger records
// nothing.
type Ledger string

// Limits are the limits of zones, by zone.
type Limits map[uint16]uint32

// maxLedger bounds the part of a ledger that is read, in bytes: two zones of 30 bytes for each of 32,767 tenants are less.
const maxLedger = 4 << 20

// Limits returns the limits in the ledger, by datapath as dpctl names it. A missing or truncated ledger has none. It blocks for a file.
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
	if len(body) > maxLedger || json.Unmarshal(body, &all) != nil || all == nil {
		return map[string]Limits{}, nil
	}
	return all, nil
}

// ledgerName and ledgerFormat are the type of the file and the number of its format. Files of earlier builds have neither, and no checksum.
const (
	ledgerName   = "limits"
	ledgerFormat = 1
)

// unusable reports whether an error means that a ledger cannot be used.
func unusable(err error) bool {
	return errors.Is(err, checksum.ErrDamaged) || errors.Is(err, checksum.ErrFormat)
}

// Remove removes the file, if it exists.
func (l Ledger) Remove() error {
	if err := os.Remove(string(l)); l != "" && err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// put replaces the limits of a datapath in the ledger.
func (l Ledger) put(datapath string, limits Limits) error {
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

// Release removes the limits in a ledger from the switch, unless they were changed since, and then the ledger. It blocks until the switch
// has answered; after an error the ledger stays, so Release may be repeated. A datapath that the switch no longer has, has no limits.
func Release(ctx context.Context, l Ledger, control func(ctx context.Context, command string, args ...string) (string, error)) error {
	all, err := l.Limits()
	if unusable(err) { // no retry can read it
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

// release removes limits of zones that are still as they were set.
func release(ctx context.Context, datapath string, limits Limits, control func(ctx context.Context, command string, args ...string) (string, error)) error {
	text, err := control(ctx, "dpctl/ct-get-limits", datapath)
	if err != nil {
		return err
	}
	list, err := vswitchd.ParseZoneLimits(text)
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

// zonesText is dpctl's notation of zones.
func zonesText(zones []uint16) string {
	slices.Sort(zones)
	var names []string
	for _, zone := range zones {
		names = append(names, strconv.Itoa(int(zone)))
	}
	return "zone=" + strings.Join(names, ",")
}
