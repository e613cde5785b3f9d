// SPDX-License-Identifier: Apache-2.0

package leadership_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/record"
)

// A leader without followers can hand over only to itself.
func TestHandOverAlone(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	m.Registered(t, "h1", "127.0.0.1:9090")
	here := &record.Service{ServiceName: record.ServiceMaster, HostAddr: "127.0.0.1", Port: 9999}
	if _, err := m.Commit.Do(t.Context(), func(tx *commit.Tx) error { return tx.Put(here.Key(), here) }); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name, body string
		again      bool
		status     int
		want       []string // are in the answer
	}{
		{"to itself", `{"to":"127.0.0.1:9999"}`, false, 200, []string{`"from":"127.0.0.1:9999"`, `"to":"127.0.0.1:9999"`}},
		{"to itself, by its name", `{"to":"127.0.0.1"}`, true, 200, []string{`"to":"127.0.0.1:9999"`}},
		{"to itself, by its host's label", `{"to":"h1"}`, true, 200, []string{`"to":"127.0.0.1:9999"`}},
		{"to anyone", `{}`, false, 409, []string{`"field":"to"`, "start a second one; nothing has been changed"}},
		{"to one that is not there", `{"to":"h9"}`, false, 404, []string{`"field":"to"`, "netctl leader shows them; nothing has been changed"}},
		{"to anyone, once more", `{}`, true, 409, []string{`"field":"to"`, "name the netmaster that is to lead"}},
		{"to a number", `{"to":7}`, false, 400, []string{"to takes a string"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, m.URL+"/api/v1/leadership/handover", bytes.NewReader([]byte(row.body)))
			if err != nil {
				t.Fatal(err)
			}
			q.Header.Set("Accept", "application/json")
			if row.again {
				q.Header.Set(model.RepeatHeader, "1")
			}
			answer, err := http.DefaultClient.Do(q)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = answer.Body.Close() }()
			text, err := io.ReadAll(answer.Body)
			if err != nil || answer.StatusCode != row.status {
				t.Fatalf("want status %d, got %d: %s, %v", row.status, answer.StatusCode, text, err)
			}
			for _, want := range row.want {
				if !strings.Contains(string(text), want) {
					t.Errorf("want %s in it, got %s", want, text)
				}
			}
		})
	}
}
