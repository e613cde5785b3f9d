// Package tracker keeps one tenant from using up the host's connection tracker, and says how full it is. Zones of the tracker are tenants: each gets a limit, a
// share of what the tracker holds.
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
	"github.com/contiv/contiv/ofnet/conntrack"
	"github.com/contiv/contiv/ofnet/unixctl"
)

const (
	lookEvery = 5 * time.Second
	lookLimit = 3 * time.Second
	// stays is for how long the tracker counts as full after it has refused a connection.
	stays = time.Minute
	// hairpins is added to a tenant's zone for connections of backends to themselves, which have an entry in both zones.
	hairpins = 0x8000
)

// Config is what a Keeper is made of.
type Config struct {
	Datapath func() string // "netdev", "system", or "" while it is not known
	Control  func(ctx context.Context, command string, args ...string) (string, error)
	View     func(fn func(*ofnet.State))
	Proc     string // where the kernel's procfs is: /proc
	Ledger   Ledger // of the limits that agents have set on this host
	Now      func() time.Time
	Log      *slog.Logger
}

// Zone is a tenant's part of the tracker.
type Zone struct {
	Tenant       string
	Count, Limit int
}

// Usage is how full the tracker is.
type Usage struct {
	At           time.Time // of the look; zero: there was none yet
	Unknown      string    // why it is not known, as all that follows; "": it is
	Count, Limit int       // connections
	Refused      bool      // it has refused new ones within the last minute
	Zones        []Zone    // tenants that have a limit, ordered by name
	Unlimited    string    // why tenants have no limits; "": they have
}

// Keeper keeps limits, and knows the usage.
type Keeper struct {
	Config

	mu    sync.Mutex
	usage Usage

	ours    Limits // that agents have set, this one or those before it
	of      string // datapath that has them
	refused uint64 // connections, as last counted
	counted bool
	full    time.Time // when it refused one last
}

// New makes a Keeper.
func New(c Config) *Keeper { return &Keeper{Config: c, ours: Limits{}} }

// Usage is that of the last look. It does not block.
func (k *Keeper) Usage() Usage {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.usage
}

// Run looks, and puts limits right, every few seconds until ctx ends.
func (k *Keeper) Run(ctx context.Context) error {
	tick := time.NewTicker(lookEvery)
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

// Look asks once. It blocks for a few seconds at most.
func (k *Keeper) Look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
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
		k.Log.Warn("tenants have no limits of connections", "error", u.Unlimited)
	}
}

// measure finds how many connections there are, may be, and were refused.
func (k *Keeper) measure(ctx context.Context, u *Usage) (err error) {
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
		case errors.Is(err, fs.ErrNotExist): // a kernel without NF_CONNTRACK_PROCFS: what was refused is not known, how full it is is
		case err != nil:
			return fmt.Errorf("read the kernel's tracker: %w", err)
		default:
			if drops, err = conntrack.Full(string(text)); err != nil {
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
	if k.counted && drops > k.refused { // a switch that starts counts from 0
		k.full = u.At
	}
	k.refused, k.counted = drops, true
	if u.Limit == 0 {
		return errors.New("the tracker says that it holds no connections")
	}
	u.Refused = !k.full.IsZero() && u.At.Sub(k.full) < stays
	return nil
}

// number reads a number of the kernel.
func (k *Keeper) number(path string) (int, error) {
	text, err := os.ReadFile(filepath.Join(k.Proc, path))
	if err != nil {
		return 0, fmt.Errorf("read the kernel's tracker: %w", err)
	}
	return strconv.Atoi(strings.TrimSpace(string(text)))
}

// ask asks ovs-vswitchd for a number.
func (k *Keeper) ask(ctx context.Context, command string, args ...string) (int, error) {
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

// datapath is what dpctl calls it.
func (k *Keeper) datapath() string { return k.Datapath() + "@ovs-" + k.Datapath() }

// limit gives the zones of tenants the limits that they lack, takes those of tenants that are gone back, and says what each has. It leaves zones of others as they are.
func (k *Keeper) limit(ctx context.Context, u *Usage) error {
	text, err := k.Control(ctx, "dpctl/ct-get-limits", k.datapath())
	if err != nil {
		return err
	}
	list, err := conntrack.ParseLimits(text)
	if err != nil {
		return err
	}
	known := map[uint16]conntrack.Limit{}
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

// errLedger is wrapped by errors of a ledger: without it no limit is set that nobody would remove.
var errLedger = errors.New("the ledger of limits")

// remember reads the ledger once for each datapath: what agents before this one have set is this one's to remove.
func (k *Keeper) remember() error {
	if k.of == k.datapath() {
		return nil
	}
	all, err := k.Ledger.Limits()
	if unusable(err) {
		k.Log.Warn("limits that an agent before this one has set, and that no tenant needs any more, stay", "error", err)
		err = nil
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errLedger, err)
	}
	k.of, k.ours = k.datapath(), Limits{}
	maps.Copy(k.ours, all[k.of])
	return nil
}

// note writes down the limits that are this agent's.
func (k *Keeper) note() error {
	if err := k.Ledger.note(k.of, k.ours); err != nil {
		return fmt.Errorf("%w: %w", errLedger, err)
	}
	return nil
}

// set sets limits that are not as they should be.
func (k *Keeper) set(ctx context.Context, known map[uint16]conntrack.Limit, wanted Limits) error {
	var args []string
	for zone, n := range wanted {
		if known[zone].Limit != n {
			args = append(args, fmt.Sprintf("zone=%d,limit=%d", zone, n))
		}
		k.ours[zone] = n
	}
	if err := k.note(); err != nil || len(args) == 0 {
		return err
	}
	slices.Sort(args)
	_, err := k.Control(ctx, "dpctl/ct-set-limits", append([]string{k.datapath()}, args...)...)
	return err
}

// unset removes the limits that agents have set for tenants that are gone, where no one has changed them.
func (k *Keeper) unset(ctx context.Context, known map[uint16]conntrack.Limit, wanted Limits) error {
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
	return k.note()
}

// Shares are how many connections a tenant may have in its zone, and in that of hairpins, of a tracker that holds that many: three quarters as a host's only
// tenant and half beside others, and an eighth. So the host's own connections, or another tenant's, find room.
func Shares(most, tenants int) (own, hairpin uint32) {
	own, hairpin = uint32(most/4*3), uint32(most/8)
	if tenants > 1 {
		own = uint32(most / 2)
	}
	return max(own, 1), max(hairpin, 1)
}

// refused reports whether an error says that ovs-vswitchd, or its datapath, cannot limit zones, or is not to be asked to.
func refused(err error) bool {
	_, is := errors.AsType[*unixctl.Refusal](err)
	return is
}
