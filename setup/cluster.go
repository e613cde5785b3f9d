// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/incarnation"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store/member"
)

// ClusterFile is where the host records the incarnation of its cluster's store.
func (h *Host) ClusterFile() incarnation.File { return incarnation.File(h.at(incarnation.DefaultPath)) }

// founded creates the incarnation of a new cluster's store. Its Undo removes it from the host.
func (h *Host) founded(now func() time.Time) Step {
	file := h.ClusterFile()
	return Step{
		Name: "identity of the cluster's store",
		Do: func(context.Context) (string, error) {
			if was, err := file.Read(); err != nil || was.ID != "" {
				return "", err
			}
			made := incarnation.Known{Incarnation: record.NewIncarnation(rand.Text(), now()), Pending: true}
			return "made the identity of the cluster's store in " + string(file), file.Write(made)
		},
		Undo: func(context.Context) (string, error) {
			did, err := remove(string(file))
			_, hosts := remove(file.HostsFile())
			_, mark := remove(file.MemberFile())
			return when(did, "removed "+string(file)), errors.Join(err, hosts, mark)
		},
	}
}

// recorded records the incarnation that the cluster's netmasters report. Earlier builds report none; then netmaster and netplugin
// record it once there is one.
func (h *Host) recorded(reported func() *model.Incarnation) Step {
	return Step{Name: "identity of the cluster's store", Do: func(context.Context) (string, error) {
		i := reported()
		if i == nil {
			return "", nil
		}
		known := record.Incarnation{ID: i.ID, Predecessors: i.Predecessors, Cause: record.Cause(i.Cause), Created: i.Created}
		if err := known.Check(); err != nil {
			return "", fmt.Errorf("the netmaster's answer: %w", err)
		}
		was, err := h.ClusterFile().Read()
		if err == nil && was.ID == known.ID && !was.Pending {
			return "", nil
		}
		return "recorded the identity of the cluster's store in " + string(h.ClusterFile()), h.ClusterFile().Write(incarnation.Known{Incarnation: known})
	}}
}

// ownStoreDir moves the store's directory aside if it has the data of another member than the one that the cluster has admitted:
// netmaster would not start with it. admittedID returns the id of the admitted member, or "" if the cluster does not report it.
func (h *Host) ownStoreDir(s Starter, admittedID func() string) Step {
	return Step{Name: "directory of the store", Do: func(ctx context.Context) (string, error) {
		admitted, dir := admittedID(), h.StoreDir()
		if admitted == "" {
			return "", nil
		}
		held, err := member.Held(dir)
		if err == nil && held == admitted {
			return "", nil
		}
		if list, _ := os.ReadDir(dir); len(list) == 0 {
			return "", h.forgetMember() // the cluster does not have this member any more
		}
		if _, err := s.Stop(ctx, Netmaster); err != nil {
			return "", err
		}
		return h.putAside("the cluster has admitted this host as another member of the store")
	}}
}

// putAside moves the store's directory to an unused path, and removes the record of its member. It keeps directories that earlier
// calls have moved.
func (h *Host) putAside(why string) (string, error) {
	dir, aside := h.StoreDir(), h.asideDir()
	for n := 2; ; n++ {
		if _, err := os.Lstat(aside); errors.Is(err, os.ErrNotExist) {
			break
		}
		aside = h.asideDir() + "." + strconv.Itoa(n)
	}
	if err := os.Rename(dir, aside); err != nil {
		return "", err
	}
	return fmt.Sprintf("moved %s to %s: %s", dir, aside, why), h.forgetMember()
}

// forgetMember removes the record of the member whose directory the host had.
func (h *Host) forgetMember() error {
	_, note := remove(member.MarkerFile(h.StoreDir()))
	_, mark := remove(h.ClusterFile().MemberFile())
	return errors.Join(note, mark)
}
