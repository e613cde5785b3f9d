// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/lab"
	"github.com/contiv/contiv/lab/hostinit"
)

// storeDir is the directory of a host's store, and awayDir where it is while its file system is not mounted, as the host sees them.
const (
	storeDir = hostinit.Inside + "/var/lib/contiv/store"
	awayDir  = storeDir + ".unmounted"
)

const (
	refuseTimeout = 30 * time.Second // for a netmaster to say that its store is not there
	commandTime   = 2 * time.Minute  // for contiv leave and contiv join to be accepted
)

// refusal is what a netmaster says of a store that is not there.
const refusal = "the store is not as this host left it"

// loseFolder takes the directory of one netmaster's store away, or of all, while they run or are down. It comes back as it was, or its
// member is replaced.
func (c *cluster) loseFolder(ctx context.Context, r *rand.Rand) fault {
	ctx = context.WithoutCancel(ctx) // it mends what it breaks
	first := r.IntN(len(hosts))
	victims, gone := []string{hosts[first]}, r.IntN(2) == 0
	if r.IntN(3) == 0 {
		victims, gone = hosts, false
	}
	f := fault{what: fmt.Sprintf("the directories of the stores of %v are not mounted", victims)}
	if gone {
		f.what = fmt.Sprintf("the directory of the store of %s is lost", victims[0])
	}
	lost, err := c.watch(ctx)
	if err != nil {
		return f.and(err)
	}
	before, err := c.quietKeys(ctx)
	if err != nil {
		return f.and(errors.Join(err, lost()))
	}
	f = f.and(c.takeAway(ctx, r, victims))
	if len(victims) == 1 {
		f = f.and(c.changes(ctx, c.lab.HostList()[(first+1)%len(hosts)]))
	}
	if gone {
		f = f.and(c.replace(ctx, victims[0], hosts[(first+1)%len(hosts)]))
	} else {
		f = f.and(c.bringBack(ctx, victims))
	}
	return c.mended(ctx, f.and(c.kept(ctx, before)).and(lost()))
}

// and adds an error to what is wrong of a fault; nil is none.
func (f fault) and(err error) fault {
	if err != nil {
		f.what, f.wrong = f.what+"; "+err.Error(), true
	}
	return f
}

// takeAway moves directories of stores away and has their netmasters start. None of them begins a store; each names the missing one.
func (c *cluster) takeAway(ctx context.Context, r *rand.Rand, victims []string) error {
	running := r.IntN(2) == 0
	for _, h := range victims {
		if !running {
			if err := c.lab.Stop(h, lab.PartMaster); err != nil {
				return err
			}
		}
		if out, err := c.runOn(ctx, h, "mv", storeDir, awayDir); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		if r.IntN(2) == 0 { // an empty directory is what a mount leaves
			if out, err := c.runOn(ctx, h, "mkdir", storeDir); err != nil {
				return fmt.Errorf("%w: %s", err, out)
			}
		}
	}
	if running {
		sleep(ctx, r, 5*time.Second)
	}
	for _, h := range victims {
		if running {
			if err := c.lab.Kill(h, lab.PartMaster); err != nil {
				return err
			}
		}
	}
	for _, h := range victims {
		if err := c.refuses(ctx, h); err != nil {
			return err
		}
	}
	sleep(ctx, r, 5*time.Second)
	return nil
}

// refuses starts a netmaster, and returns an error unless it says that its store is not there.
func (c *cluster) refuses(ctx context.Context, host string) error {
	path := c.lab.LogFile(host, lab.PartMaster)
	was, err := os.ReadFile(path)
	if err == nil {
		err = c.lab.Launch(host, lab.PartMaster)
	}
	if err != nil {
		return err
	}
	return c.repeat(ctx, refuseTimeout, func(context.Context) error {
		log, err := os.ReadFile(path)
		if err == nil && !bytes.Contains(bytes.TrimPrefix(log, was), []byte(refusal)) {
			err = fmt.Errorf("netmaster of %s does not say that %s", host, refusal)
		}
		return err
	})
}

// bringBack puts directories of stores where they were. Their netmasters continue by themselves.
func (c *cluster) bringBack(ctx context.Context, victims []string) error {
	for _, h := range victims {
		if out, err := c.runOn(ctx, h, "sh", "-c", "rmdir "+storeDir+" 2>/dev/null; mv "+awayDir+" "+storeDir); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
	}
	return nil
}

// replace replaces the member of a host by the two commands that its netmaster prints.
func (c *cluster) replace(ctx context.Context, host, by string) error {
	if err := c.lab.Stop(host, lab.PartMaster); err != nil {
		return err
	}
	if out, err := c.runOn(ctx, host, "rm", "-rf", awayDir+"/", awayDir); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	err := c.repeat(ctx, commandTime, func(ctx context.Context) error {
		_, err := c.lab.Contiv(ctx, by, "leave", "--master", host)
		return err
	})
	if err != nil {
		return err
	}
	return c.joined(ctx, host, by)
}

// joined has a host join with a netmaster, which runs when it returns.
func (c *cluster) joined(ctx context.Context, host, by string) error {
	if err := c.repeat(ctx, commandTime, func(ctx context.Context) error { return c.lab.Rejoin(ctx, host, by) }); err != nil {
		return err
	}
	return c.lab.Start(ctx, host, lab.PartMaster)
}

// quietKeys are the objects that there are while nothing moves.
func (c *cluster) quietKeys(ctx context.Context) (out []string, err error) {
	c.still.Lock()
	defer c.still.Unlock()
	err = c.repeat(ctx, witnessLimit, func(ctx context.Context) error {
		out, err = c.keys(ctx)
		return err
	})
	return out, err
}

// kept returns an error for an object of a list that no move removes, since it is in use, and that the cluster does not have any more.
func (c *cluster) kept(ctx context.Context, before []string) error {
	after, err := c.quietKeys(ctx)
	if err != nil {
		return err
	}
	for _, key := range before {
		if (key == model.KindTenant().Name+"/"+witnessTenant || key == model.KindNetwork().Name+"/"+witnessTenant+":"+witnessNetwork) && !slices.Contains(after, key) {
			return fmt.Errorf("%s no longer exists", key)
		}
	}
	return nil
}

// restoreSnapshot restores a snapshot from which the cluster has moved on: containers that came since then keep their network and become
// part of the store.
func (c *cluster) restoreSnapshot(ctx context.Context, r *rand.Rand) fault {
	ctx = context.WithoutCancel(ctx)
	saver, at := hosts[r.IntN(len(hosts))], hosts[r.IntN(len(hosts))]
	f := fault{what: fmt.Sprintf("what %s has saved is restored on %s", saver, at)}
	lost, err := c.watch(ctx)
	if err != nil {
		return f.and(err)
	}
	saved, path, err := c.save(ctx, saver)
	if err != nil {
		return f.and(errors.Join(err, lost()))
	}
	sleep(ctx, r, 25*time.Second) // others move on
	if err := c.restored(ctx, saver, at, path, saved); err != nil {
		return f.and(errors.Join(err, lost()))
	}
	for _, h := range hosts {
		if h != at {
			f = f.and(c.joined(ctx, h, at))
		}
	}
	return c.mended(ctx, f.and(lost()))
}

// save has a host save a snapshot, and returns the objects that it has, and its path on the host.
func (c *cluster) save(ctx context.Context, host string) (keys []string, path string, err error) {
	c.still.Lock()
	defer c.still.Unlock()
	err = c.repeat(ctx, witnessLimit, func(ctx context.Context) error {
		if keys, err = c.keys(ctx); err != nil {
			return err
		}
		out, err := c.lab.Contiv(ctx, host, "snapshot", "save", "--dir", hostinit.Inside+"/kept")
		if err != nil {
			return err
		}
		path, _, _ = strings.Cut(strings.TrimPrefix(out, "saved "), ": ")
		return nil
	})
	return keys, path, err
}

// restored ends all netmasters, removes all directories of stores and restores a snapshot on a host. The store then has all that the
// snapshot had, and beside it at most what running containers are of.
func (c *cluster) restored(ctx context.Context, saver, at, path string, saved []string) error {
	c.still.Lock()
	defer c.still.Unlock()
	latest, err := c.keys(ctx)
	if err != nil {
		return err
	}
	for _, h := range hosts {
		if err := c.lab.Kill(h, lab.PartMaster); err != nil {
			return err
		}
	}
	for _, h := range hosts {
		if out, err := c.runOn(ctx, h, "sh", "-c", "rm -r "+storeDir+"/*"); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
	}
	name := strings.TrimPrefix(path, hostinit.Inside)
	text, err := os.ReadFile(filepath.Join(c.lab.Dir, saver, name))
	if err == nil {
		err = os.WriteFile(filepath.Join(c.lab.Dir, at, "snapshot"), text, 0o600)
	}
	if err != nil {
		return err
	}
	if _, err := c.lab.Contiv(ctx, at, "snapshot", "restore", hostinit.Inside+"/snapshot"); err != nil {
		return err
	}
	if err := c.lab.Start(ctx, at, lab.PartMaster); err != nil {
		return err
	}
	return c.repeat(ctx, mendLimit, func(ctx context.Context) error {
		after, err := c.keys(ctx)
		if err != nil {
			return err
		}
		return compareRestored(saved, latest, after)
	})
}

// compareRestored returns an error that names what a restored store lacks of its snapshot, and what it has that is neither of the
// snapshot nor of containers.
func compareRestored(saved, latest, after []string) error {
	var wrong []error
	for _, key := range saved {
		if !slices.Contains(after, key) {
			wrong = append(wrong, fmt.Errorf("%s was saved, and the restored store does not have it", key))
		}
	}
	carried := []string{model.KindTenant().Name, model.KindNetwork().Name, model.KindEndpointGroup().Name}
	for _, key := range after {
		kind, _, _ := strings.Cut(key, "/")
		if !slices.Contains(saved, key) && (!slices.Contains(carried, kind) || !slices.Contains(latest, key)) {
			wrong = append(wrong, fmt.Errorf("the restored store has %s, which was not saved, and which no container brings", key))
		}
	}
	return errors.Join(wrong...)
}
