// SPDX-License-Identifier: Apache-2.0

// Package tracker keeps one tenant from using up the host's connection tracker, and reports its usage. Zones of the tracker are tenants:
// each gets a limit, a share of the tracker's capacity.
package tracker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/vswitchd"
)

const (
	checkInterval = 5 * time.Second
	lookTimeout   = 3 * time.Second
	// stays is how long the tracker counts as full after it has refused a connection.
	stays = time.Minute
	// hairpins is added to a tenant's zone for connections of backends to themselves, which have an entry in both zones.
	hairpins = 0x8000
)

// Config has the dependencies of a Controller.
type Config struct {
	Datapath func() string // "netdev", "system", or "" if unknown
	Control  func(ctx context.Context, command string, args ...string) (string, error)
	View     func(fn func(*ofnet.State))
	Proc     string // mount point of the kernel's procfs: /proc
	Ledger   Ledger // of the limits that agents have set on this host
	Now      func() time.Time
	Log      *slog.Logger
}

// Zone is a tenant's part of the tracker.
type Zone struct {
	Tenant       string
	Count, Limit int
}

// Usage is the usage of the tracker.
type Usage struct {
	At           time.Time // of the check; zero: none yet
	Unknown      string    // why the fields below are unknown; "": they are known
	Count, Limit int       // connections
	Refused      bool      // it has refused new ones within the last minute
	Zones        []Zone    // tenants with a limit, ordered by name
	Unlimited    string    // why tenants have no limits; "": they have
}

// Controller keeps the limits, and reports the usage.
type Controller struct {
	Config

	mu    sync.Mutex
	usage Usage

	ours    Limits // that agents have set, this one or those before it
	of      string // their datapath
	refused uint64 // connections, as last counted
	counted bool
	full    time.Time // when it refused one last
}

// New returns a Controller.
func New(c Config) *Controller { return &Controller{Config: c, ours: Limits{}} }

// Usage returns the result of the last check. It does not block.
func (k *Controller) Usage() Usage {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.usage
}

// Run checks, and corrects limits, every few seconds until ctx ends.
func (k *Controller) Run(ctx context.Context) error {
	tick := time.NewTicker(checkInterval)
	defer tick.Stop()
	for {
		k.Look(ctx)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// Look checks once. It blocks for a few seconds at most.
func (k *Controller) Look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	u := Usage{At: k.Now()}
	if err := k.measure(ctx, &u); err != nil {
		u.Unknown = err.Error()
	} else if err := k.limit(ctx, &u); refused(err) || errors.Is(err, errLedger) {
		u.Unlimited = err.Error()
	} else if err != nil {
		u.Unknown = err.Error()
	}
	k.mu.Lock()
	was := k.usage.Unlimited
	k.usage = u
	k.mu.Unlock()
	if u.Unlimited != "" && was == "" && ctx.Err() == nil {
		k.Log.Warn("tenants without connection limits", "error", u.Unlimited)
	}
}

// measure reads the number of connections, the maximum, and the refused ones.
func (k *Controller) measure(ctx context.Context, u *Usage) (err error) {
	var drops uint64 // connections that were refused
	switch kind := k.Datapath(); kind {
	case "":
		return errors.New("the switch has no datapath yet")
	case "system":
		if u.Count, err = k.number("sys/net/netfilter/nf_conntrack_count"); err != nil {
			return err
		}
		if u.Limit, err = k.number("sys/net/netfilter/nf_conntrack_max"); err != nil {
			return err
		}
		text, err := os.ReadFile(filepath.Join(k.Proc, "net/stat/nf_conntrack"))
		switch {
		case errors.Is(err, fs.ErrNotExist): // a kernel without NF_CONNTRACK_PROCFS: refusals are unknown, the usage is known
		case err != nil:
			return fmt.Errorf("read the kernel's tracker: %w", err)
		default:
			if drops, err = vswitchd.RefusedConnections(string(text)); err != nil {
				return err
			}
		}
	default:
		if u.Count, err = k.ask(ctx, "dpctl/ct-get-nconns", k.datapath()); err != nil {
			return err
		}
		if u.Limit, err = k.ask(ctx, "dpctl/ct-get-maxconns", k.datapath()); err != nil {
			return err
		}
		n, err := k.ask(ctx, "coverage/read-counter", "conntrack_full")
		if err != nil {
			return err
		}
		drops = uint64(n)
	}
	if k.counted && drops > k.refused { // a restarted switch counts from 0
		k.full = u.At
	}
	k.refused, k.counted = drops, true
	if u.Limit == 0 {
		return errors.New("the tracker reports a capacity of 0 connections")
	}
	u.Refused = !k.full.IsZero() && u.At.Sub(k.full) < stays
	return nil
}

// number reads a number of the kernel.
func (k *Controller) number(path string) (int, error) {
	text, err := os.ReadFile(filepath.Join(k.Proc, path))
	if err != nil {
		return 0, fmt.Errorf("read the kernel's tracker: %w", err)
	}
	return strconv.Atoi(strings.TrimSpace(string(text)))
}

// ask requests a number from ovs-vswitchd.
func (k *Controller) ask(ctx context.Context, command string, args ...string) (int, error) {
	text, err := k.Control(ctx, command, args...)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s: got %.40q, want a number", command, text)
	}
	return n, nil
}

// datapath is dpctl's name of it.
func (k *Controller) datapath() string { return k.Datapath() + "@ovs-" + k.Datapath() }

// limit sets missing limits of tenants' zones, removes those of deleted tenants, and returns the limit of each. It leaves zones of others
// unchanged.
func (k *Controller) limit(ctx context.Context, u *Usage) error {
	text, err := k.Control(ctx, "dpctl/ct-get-limits", k.datapath())
	if err != nil {
		return err
	}
	list, err := vswitchd.ParseZoneLimits(text)
	if err != nil {
		return err
	}
	known := map[uint16]vswitchd.ZoneLimit{}
	for _, l := range list {
		known[l.Zone] = l
	}
	tenants := map[string]uint16{}
	k.View(func(s *ofnet.State) {
		for name, t := range s.Tenants.All() {
			tenants[name] = t.ID
		}
	})
	if err := k.remember(); err != nil {
		return err
	}
	wanted := Limits{}
	own, hairpin := Shares(u.Limit, len(tenants))
	for name, zone := range tenants {
		wanted[zone], wanted[zone|hairpins] = own, hairpin
		u.Zones = append(u.Zones, Zone{Tenant: name, Count: int(known[zone].Count), Limit: int(own)})
	}
	slices.SortFunc(u.Zones, func(a, b Zone) int { return strings.Compare(a.Tenant, b.Tenant) })
	if err := k.set(ctx, known, wanted); err != nil {
		u.Zones = nil
		return err
	}
	return k.unset(ctx, known, wanted)
}

// errLedger is wrapped by errors of a ledger: without a ledger no limit is set, since nothing would remove it.
var errLedger = errors.New("the ledger of limits")

// remember reads the ledger once for each datapath: this agent must remove the limits of earlier ones.
func (k *Controller) remember() error {
	if k.of == k.datapath() {
		return nil
	}
	all, err := k.Ledger.Limits()
	if unusable(err) {
		k.Log.Warn("cannot remove unused connection limits of an earlier agent", "error", err)
		err = nil
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errLedger, err)
	}
	k.of, k.ours = k.datapath(), Limits{}
	maps.Copy(k.ours, all[k.of])
	return nil
}

// save records the limits that are this agent's.
func (k *Controller) save() error {
	if err := k.Ledger.put(k.of, k.ours); err != nil {
		return fmt.Errorf("%w: %w", errLedger, err)
	}
	return nil
}

// set sets limits that are not as they should be.
func (k *Controller) set(ctx context.Context, known map[uint16]vswitchd.ZoneLimit, wanted Limits) error {
	var args []string
	for zone, n := range wanted {
		if known[zone].Limit != n {
			args = append(args, fmt.Sprintf("zone=%d,limit=%d", zone, n))
		}
		k.ours[zone] = n
	}
	if err := k.save(); err != nil || len(args) == 0 {
		return err
	}
	slices.Sort(args)
	_, err := k.Control(ctx, "dpctl/ct-set-limits", append([]string{k.datapath()}, args...)...)
	return err
}

// unset removes the limits that agents have set for deleted tenants, unless they were changed since.
func (k *Controller) unset(ctx context.Context, known map[uint16]vswitchd.ZoneLimit, wanted Limits) error {
	stays, zones := Limits{}, []uint16(nil)
	for zone, n := range k.ours {
		if _, needed := wanted[zone]; needed {
			stays[zone] = n
		} else if known[zone].Limit == n {
			zones = append(zones, zone)
		}
	}
	if len(zones) > 0 {
		if _, err := k.Control(ctx, "dpctl/ct-del-limits", k.datapath(), zonesText(zones)); err != nil {
			return err
		}
	}
	k.ours = stays
	return k.save()
}

// Shares returns how many connections a tenant may have in its zone, and in that of hairpins, of a tracker with a capacity: three quarters
// as a host's only tenant and half beside others, and an eighth. So the host's own connections, or another tenant's, have room.
func Shares(most, tenants int) (own, hairpin uint32) {
	own, hairpin = uint32(most/4*3), uint32(most/8)
	if tenants > 1 {
		own = uint32(most / 2)
	}
	return max(own, 1), max(hairpin, 1)
}

// refused reports whether an error means that ovs-vswitchd, or its datapath, does not support limits of zones, or refuses them.
func refused(err error) bool {
	_, is := errors.AsType[*vswitchd.Refusal](err)
	return is
}
