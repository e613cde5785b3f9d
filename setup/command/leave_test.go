// SPDX-License-Identifier: Apache-2.0

package command_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/trust"
)

// leader is a fake netmaster that removes other hosts.
type leader struct {
	asked []model.DepartRequest
	// answer responds to a request; an error about a lost netmaster applies only to requests with lost.
	answer func(q model.DepartRequest) (model.Departed, *model.Error)
}

// ServeHTTP answers as netmaster does to contiv leave NAME.
func (l *leader) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	var request model.DepartRequest
	if err := json.NewDecoder(q.Body).Decode(&request); err != nil || q.URL.Path != "/api/v1/leave" {
		w.WriteHeader(http.StatusTeapot)
		return
	}
	l.asked = append(l.asked, request)
	out, wrong := l.answer(request)
	if wrong != nil {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(wrong.Code.Info().Status)
		_ = json.NewEncoder(w).Encode(wrong.Problem())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(out)
}

// hostOf creates a host that knows a netmaster, and returns the root directory of the host.
func hostOf(t *testing.T, l *leader) (root string) {
	t.Helper()
	root = t.TempDir()
	dir, masters := trust.Dir(filepath.Join(root, trust.DefaultDir)), trust.Dir(t.TempDir())
	a, err := trust.NewAuthority(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	certificate, _, err := a.PEM()
	err = errors.Join(err, dir.SaveAuthority(certificate, nil), masters.SaveAuthority(certificate, nil), dir.Certify(a, trust.Identity{Role: trust.User, Name: "admin"}, time.Now()),
		masters.Certify(a, trust.Identity{Role: trust.Master, Name: "h1"}, time.Now(), "127.0.0.1"))
	if err != nil {
		t.Fatal(err)
	}
	held, err := trust.Open(masters, trust.Master)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(l)
	server.TLS = held.Server()
	server.StartTLS()
	t.Cleanup(server.Close)
	settings := filepath.Join(root, "etc/contiv/host/netplugin.env")
	text := "CONTIV_NETPLUGIN_NETMASTERS=" + strings.TrimPrefix(server.URL, "https://") + "\n"
	if err := errors.Join(os.MkdirAll(filepath.Dir(settings), 0o755), os.WriteFile(settings, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
	return root
}

// A netmaster is removed only with evidence that it does not run, or by force; if the store is not embedded, no evidence is
// required.
func TestLeaveOfNetmaster(t *testing.T) {
	lost := func(force bool) model.DepartRequest {
		return model.DepartRequest{Master: "h3", Lost: true, Force: force}
	}
	whole := model.DepartRequest{Master: "h3"}
	unknown := model.Errorf(model.CodeNotReady, "master", "nothing says that member h3 of the store does not run").Try("repeat the command with --force")
	for name, row := range map[string]struct {
		args   []string
		answer func(q model.DepartRequest) (model.Departed, *model.Error)
		asked  []model.DepartRequest
		want   string // of the output or the error
	}{
		"its machine refuses connections": {[]string{"--master"}, func(model.DepartRequest) (model.Departed, *model.Error) {
			return model.Departed{Member: "h3", Evidence: "https://192.0.2.3:2380 refuses connections", Revoked: []string{"1"}}, nil
		}, []model.DepartRequest{lost(false)}, "netmaster of h3: https://192.0.2.3:2380 refuses connections"},
		"no evidence": {[]string{"--master"}, func(model.DepartRequest) (model.Departed, *model.Error) { return model.Departed{}, unknown }, []model.DepartRequest{lost(false)}, "--force"},
		"by force":    {[]string{"--master", "--force"}, func(model.DepartRequest) (model.Departed, *model.Error) { return model.Departed{Member: "h3"}, nil }, []model.DepartRequest{lost(true)}, "removed member h3"},
		"a store beside the netmasters": {[]string{"--master"}, func(q model.DepartRequest) (model.Departed, *model.Error) {
			if q.Lost {
				return model.Departed{}, model.Errorf(model.CodeUnsupported, "lost", "the store is beside the netmasters").Try("join again")
			}
			return model.Departed{}, nil
		}, []model.DepartRequest{lost(false), whole}, "removed the netmaster of h3 from the cluster"},
		"a host":           {nil, func(model.DepartRequest) (model.Departed, *model.Error) { return model.Departed{}, nil }, []model.DepartRequest{{Agent: "h3", Master: "h3"}}, "removed h3 from the cluster"},
		"a host, by force": {[]string{"--force"}, nil, nil, "add --master"},
	} {
		l := &leader{answer: row.answer}
		out, err := contiv(t, append([]string{"leave", "h3", "--root", hostOf(t, l)}, row.args...)...)
		if err != nil {
			out += err.Error()
		}
		if !strings.Contains(out, row.want) || !slices.Equal(l.asked, row.asked) {
			t.Errorf("%s: want %q and requests %+v, got %q and %+v", name, row.want, row.asked, out, l.asked)
		}
	}
}
