// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/server/v3/storage/datadir"
	"go.etcd.io/etcd/server/v3/storage/wal"
	"go.uber.org/zap"
	"google.golang.org/protobuf/proto"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/store/member"
)

// The identity of the store is created once, is passed to the daemons, and is removed when the host leaves.
func TestFounded(t *testing.T) {
	h := &Host{Root: t.TempDir()}
	s := h.founded(time.Now)
	var id string
	for _, did := range []bool{true, false} {
		if output, err := s.Do(t.Context()); err != nil || (output != "") != did {
			t.Errorf("want it made %t, got %q, %v", did, output, err)
		}
		known, err := h.ClusterFile().Read()
		if err != nil || !known.Pending || known.Stored() != "" || id != "" && known.ID != id {
			t.Errorf("want one pending identity, got %+v, %v", known, err)
		}
		id = known.ID
	}
	w := wish()
	for _, env := range []Env{h.masterEnv(&w, model.StoreSettings{Kind: "embedded"}), {"CONTIV_NETMASTER_CLUSTER_FILE": h.agentEnv(&w, nil)["CONTIV_NETPLUGIN_CLUSTER_FILE"]}} {
		if env["CONTIV_NETMASTER_CLUSTER_FILE"] != filepath.Join(h.Root, "/etc/contiv/cluster") {
			t.Errorf("want the daemons to know the file, got %v", env)
		}
	}
	for _, did := range []bool{true, false} {
		if output, err := s.Undo(t.Context()); err != nil || (output != "") != did {
			t.Errorf("want it removed %t, got %q, %v", did, output, err)
		}
	}
}

// A host that joins records the identity that netmasters report; a missing or malformed one is not recorded.
func TestNoted(t *testing.T) {
	h := &Host{Root: t.TempDir()}
	id := strings.Repeat("a", 26)
	for _, row := range []struct {
		reported *model.Incarnation
		want     string
		fail     bool
	}{
		{nil, "", false},
		{&model.Incarnation{ID: "../x", Cause: "init"}, "", true},
		{&model.Incarnation{ID: id, Cause: "restore", Predecessors: []string{strings.Repeat("b", 26)}}, id, false},
		{&model.Incarnation{ID: id, Cause: "restore"}, id, false},
	} {
		_, err := h.recorded(func() *model.Incarnation { return row.reported }).Do(t.Context())
		known, unread := h.ClusterFile().Read()
		if (err != nil) != row.fail || unread != nil || known.Stored() != row.want {
			t.Errorf("%+v: want %q known, got %+v, %v, %v", row.reported, row.want, known, err, unread)
		}
	}
}

// holding creates a store directory with the data of a member.
func holding(t *testing.T, h *Host, id uint64) {
	t.Helper()
	text, err := proto.Marshal(&etcdserverpb.Metadata{NodeID: &id})
	if err == nil {
		err = os.MkdirAll(filepath.Dir(datadir.ToWALDir(h.StoreDir())), 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	log, err := wal.Create(zap.NewNop(), datadir.ToWALDir(h.StoreDir()), text)
	if err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	if err := (member.Marker{Name: "h3", Member: member.ID(id)}).Write(h.StoreDir()); err != nil {
		t.Fatal(err)
	}
}

// A directory with another member's data is moved aside before netmaster starts, each time to a new path; the host's own stays.
func TestOwnFolder(t *testing.T) {
	s := &standIn{host: &Host{Root: t.TempDir()}}
	h := s.host
	do := func(admitted string) string {
		t.Helper()
		output, err := h.ownStoreDir(s, func() string { return admitted }).Do(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return output
	}
	if output := do("1"); output != "" {
		t.Errorf("no directory: want nothing done, got %s", output)
	}
	holding(t, h, 0xabc)
	for _, admitted := range []string{"abc", ""} {
		if output := do(admitted); output != "" || len(s.stopped) > 0 {
			t.Errorf("its own, or an earlier build: want nothing done, got %s", output)
		}
	}
	for _, to := range []string{h.asideDir(), h.asideDir() + ".2"} {
		if output := do("1"); !strings.Contains(output, "moved "+h.StoreDir()+" to "+to+": the cluster has admitted") || len(s.stopped) == 0 {
			t.Errorf("want netmaster stopped and the directory at %s, got %s", to, output)
		}
		if id, err := member.Held(to); err != nil || id != "abc" {
			t.Errorf("want the data kept, got %q, %v", id, err)
		}
		if was, err := member.ReadMarker(h.StoreDir()); err != nil || was.Member != "" {
			t.Errorf("want no record of the member, got %+v, %v", was, err)
		}
		holding(t, h, 0xabc)
	}
	if err := os.RemoveAll(h.StoreDir()); err != nil {
		t.Fatal(err)
	}
	do("1")
	if _, err := os.Stat(member.MarkerFile(h.StoreDir())); err == nil {
		t.Error("a lost directory: want the record of its member removed")
	}
}
