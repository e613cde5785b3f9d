// SPDX-License-Identifier: Apache-2.0

package ovsdb

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"testing"
	"time"
)

func TestDecodeResults(t *testing.T) {
	rows := []struct {
		name, in string
		n        int
		want     error
	}{
		{"insert and update", `[{"uuid":["uuid","a"]},{"count":2}]`, 2, nil},
		{"failed operation, rest null", `[{},{"error":"timed out","details":"x"},null]`, 3, ErrWaitFailed},
		{"failed commit", `[{},{"error":"referential integrity violation"}]`, 1, ErrReferential},
		{"too few", `[{}]`, 2, ErrMalformed},
		{"not an array", `{"a":1}`, 1, ErrMalformed},
		{"bad uuid", `[{"uuid":7}]`, 1, ErrMalformed},
	}
	for _, r := range rows {
		_, err := decodeResults(json.RawMessage(r.in), r.n)
		if !errors.Is(err, r.want) {
			t.Errorf("%s: want %v, got %v", r.name, r.want, err)
		}
	}
}

func TestApplyChangesAndIndexes(t *testing.T) {
	tables := newTables()
	steps := []struct{ name, in, want string }{
		{"insert", `{"Port":{"u1":{"new":{"name":"a","interfaces":["uuid","i1"]}}}}`, "a"},
		{"rename", `{"Port":{"u1":{"old":{"name":"a"},"new":{"name":"b","interfaces":["set",[]]}}}}`, "b"},
		{"same name, new row first", `{"Port":{"u2":{"new":{"name":"b","interfaces":["set",[]]}}}}`, "b"},
		{"old row goes", `{"Port":{"u1":{"old":{"name":"b"}}}}`, "b"},
		{"unknown row goes", `{"Port":{"u9":{"old":{}}}}`, "b"},
		{"unknown table", `{"Manager":{"u1":{"new":{}}}}`, "b"},
	}
	for _, s := range steps {
		if err := tables.apply(json.RawMessage(s.in)); err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		if _, p, ok := tables.Port(s.want); !ok || p.Name != s.want {
			t.Errorf("%s: want port %s, got %v %v", s.name, s.want, p, ok)
		}
	}
	if _, _, ok := tables.Port("a"); ok {
		t.Error("port a after its rename: want none")
	}
}

// TestConnSurvivesNothingMalformed feeds a connection garbage: calls end, nothing hangs.
func TestConnSurvivesNothingMalformed(t *testing.T) {
	for _, garbage := range []string{"}", "[1]", `{"id":1,"result":`, "\x00\xff", `{"id":{},"method":7}`} {
		server, client := net.Pipe()
		c := newConn(client, func(string, json.RawMessage) error { return nil })
		go func() {
			buf := make([]byte, 1024)
			_, _ = server.Read(buf)
			_, _ = server.Write([]byte(garbage))
			_ = server.Close()
		}()
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		if _, err := c.Call(ctx, "list_dbs"); !errors.Is(err, ErrLost) {
			t.Errorf("answer %q: want ErrLost, got %v", garbage, err)
		}
		cancel()
		<-c.Done()
	}
}

func TestConnAnswersEcho(t *testing.T) {
	server, client := net.Pipe()
	c := newConn(client, func(string, json.RawMessage) error { return nil })
	defer c.Close()
	if _, err := server.Write([]byte(`{"method":"echo","params":["x"],"id":"echo"}`)); err != nil {
		t.Fatal(err)
	}
	var m message
	if err := json.NewDecoder(server).Decode(&m); err != nil {
		t.Fatal(err)
	}
	if string(m.ID) != `"echo"` || string(m.Result) != `["x"]` {
		t.Errorf("answer to echo: want id echo and result [x], got %s %s", m.ID, m.Result)
	}
}

func FuzzApply(f *testing.F) {
	f.Add([]byte(`{"Port":{"u1":{"new":{"name":"a","interfaces":["set",[["uuid","i1"]]]}}}}`))
	f.Add([]byte(`{"Bridge":{"u1":{"new":{"name":"a","flow_tables":["map",[[0,["uuid","i1"]]]],"other_config":["map",[["a","b"]]]}}}}`))
	f.Add([]byte(`{"Interface":{"u1":{"new":{"ofport":["set",[]],"error":"x","options":["map",[]]}}}}`))
	f.Add([]byte(`{"Open_vSwitch":{"u1":{"old":{}}},"Flow_Table":{"x":{"new":{"name":["set",["a","b"]]}}}}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		tables := newTables()
		_ = tables.apply(in)
		for r := range tables.Interfaces {
			_ = portOf(r)
		}
		_, _ = tables.Root()
	})
}

func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`[{"uuid":["uuid","a"]},{"count":2},{"rows":[{"name":"x"}]}]`), 3)
	f.Add([]byte(`[null,{"error":"timed out"}]`), 1)
	f.Add([]byte(`["contiv",{"Port":{}}]`), 0)
	f.Add([]byte(`{"error":"x","details":"y"}`), -1)
	f.Fuzz(func(t *testing.T, in []byte, n int) {
		_, _ = decodeResults(in, max(0, min(n, 1000)))
		_, _ = decodeUpdate(in)
		_ = decodeError(in)
	})
}

func FuzzConn(f *testing.F) {
	f.Add([]byte(`{"id":1,"result":[],"error":null}{"method":"update","params":["contiv",{}],"id":null}`))
	f.Add([]byte(`{"method":"echo","params":null}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		server, client := net.Pipe()
		tables := newTables()
		c := newConn(client, func(_ string, params json.RawMessage) error {
			u, err := decodeUpdate(params)
			if err != nil {
				return err
			}
			return tables.apply(u)
		})
		go func() {
			buf := make([]byte, 4096)
			for {
				if _, err := server.Read(buf); err != nil {
					return
				}
			}
		}()
		_, _ = server.Write(in)
		_ = server.Close()
		<-c.Done()
	})
}
