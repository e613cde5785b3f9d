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

// ClusterFile is where the host notes which store its cluster has.
func (h *Host) ClusterFile() incarnation.File { return incarnation.File(h.at(incarnation.DefaultPath)) }

// founded makes the incarnation of a new cluster's store. Undone, the host knows none.
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

// noted notes the incarnation that the cluster's netmasters say. Those of earlier builds say none: netmaster and netplugin note it when there is one.
func (h *Host) noted(told func() *model.Incarnation) Step {
	return Step{Name: "identity of the cluster's store", Do: func(context.Context) (string, error) {
		i := told()
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
		return "noted the identity of the cluster's store in " + string(h.ClusterFile()), h.ClusterFile().Write(incarnation.Known{Incarnation: known})
	}}
}

// ownFolder moves the store's folder aside if it has the data of another member than the cluster has admitted: with it netmaster would not start. told is the
// id of the latter, "" where the cluster does not say it.
func (h *Host) ownFolder(s Starter, told func() string) Step {
	return Step{Name: "directory of the store", Do: func(ctx context.Context) (string, error) {
		admitted, dir := told(), h.StoreDir()
		if admitted == "" {
			return "", nil
		}
		held, err := member.Held(dir)
		if err == nil && held == admitted {
			return "", nil
		}
		if list, _ := os.ReadDir(dir); len(list) == 0 {
			return "", h.forgetMember() // which the cluster does not have any more
		}
		if _, err := s.Stop(ctx, Netmaster); err != nil {
			return "", err
		}
		return h.putAside("the cluster has admitted this host as another member of the store")
	}}
}

// putAside moves the folder of the store to where nothing uses it, and removes what is noted of it. What was moved there before stays.
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

// forgetMember removes what is noted of the member whose folder the host had.
func (h *Host) forgetMember() error {
	_, note := remove(member.MarkerFile(h.StoreDir()))
	_, mark := remove(h.ClusterFile().MemberFile())
	return errors.Join(note, mark)
}
