// SPDX-License-Identifier: Apache-2.0

package supportbundle_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

// Lines of a host's agent come without secrets and letters of control, after those of an earlier answer; who does not show them is named.
func TestLogs(t *testing.T) {
	var asked string
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path != "/inspect/logs" {
			http.NotFound(w, q)
			return
		}
		asked = q.URL.RawQuery
		_, _ = w.Write([]byte(`{"part":"netplugin","from":"netplugin","next":"m9","lines":["level=INFO password=hunter22","a\u001b[2Jb"]}`))
	}))
	defer agent.Close()
	dead := httptest.NewServer(http.NotFoundHandler())
	dead.Close()
	m := mastertest.Start(t, mastertest.Options{})
	m.Registered(t, "h1", agent.Listener.Addr().String())
	m.Registered(t, "h2", dead.Listener.Addr().String())
	out, err := m.Logs(t.Context(), "h1", model.LogNetplugin, "m7", 5)
	if err != nil || out.Next != "m9" || !slices.Equal(out.Lines, []string{"level=INFO password=(taken out)", "a\ufffd[2Jb"}) {
		t.Errorf("got %+v, %v", out, err)
	}
	if asked != "after=m7&lines=5&of=netplugin" {
		t.Errorf("the agent is asked %q", asked)
	}
	for _, row := range []struct{ host, part, want string }{
		{"h9", model.LogNetplugin, `no host is called "h9"`}, {"h1", "sshd", "want one of netplugin, netmaster"},
		{"h2", model.LogOVSDB, "nobody on host h2 shows the log of ovsdb-server: the agent at " + dead.Listener.Addr().String()},
		{"h2", model.LogNetmaster, "nobody on host h2 shows the log of netmaster: "},
	} {
		if out, err := m.Logs(t.Context(), row.host, row.part, "", 0); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s %s: want %q, got %+v, %v", row.host, row.part, row.want, out, err)
		}
	}
}
