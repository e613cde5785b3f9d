// SPDX-License-Identifier: Apache-2.0

package cni

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/containernetworking/cni/pkg/types"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/model/twice"
	"github.com/contiv/contiv/cni/wire"
	"github.com/contiv/contiv/daemon/agent/attach"
	"github.com/contiv/contiv/daemon/httpserver"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet/link"
)

// engine is an Attacher that keeps its attachments, and fails with err if that is set.
type engine struct {
	got  map[string]attach.Request
	kept map[[2]string]bool
	err  error
	// master is the preferred netmaster of the last Attach.
	master string
}

func (e *engine) Attach(ctx context.Context, r attach.Request) (attach.Result, error) {
	e.master = client.Preferred(ctx)
	if e.err != nil {
		return attach.Result{}, e.err
	}
	e.got[r.ContainerID] = r
	return e.result(r.IfName, r.Netns), nil
}

func (e *engine) result(ifname, netns string) attach.Result {
	var c1 record.Endpoint
	c1.ID.Endpoint = "c1"
	return attach.Result{Endpoint: c1, HostName: "vvx", IfName: ifname, Netns: netns, MTU: 1450,
		MAC: net.HardwareAddr{2, 2, 10, 1, 1, 5}, Gateways: []netip.Addr{netip.MustParseAddr("10.1.1.254")},
		Addrs: []netip.Prefix{netip.MustParsePrefix("10.1.1.5/24"), netip.MustParsePrefix("2001:db8::5/64")}}
}

func (e *engine) Detach(_ context.Context, id, _ string) error {
	delete(e.got, id)
	return e.err
}

func (e *engine) Check(_ context.Context, id, ifname, netns string) (attach.Result, error) {
	if _, ok := e.got[id]; !ok {
		return attach.Result{}, attach.ErrUnknown
	}
	return e.result(ifname, netns), e.err
}

func (e *engine) Keep(_ context.Context, _ string, valid map[[2]string]bool) error {
	e.kept = valid
	return e.err
}

func server(e *engine, waiting ...string) *Server {
	e.got = map[string]attach.Request{}
	return NewServer(ServerOptions{Attacher: e, Starting: func() []string { return waiting }, Waiting: func() []string { return nil }, Cut: func() bool { return false },
		Log: slog.New(slog.DiscardHandler)})
}

func post(t testing.TB, h http.Handler, path, body string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, strings.NewReader(body)))
	return w
}

func ask(t testing.TB, s *Server, path string, r request) legacyAnswer {
	t.Helper()
	body, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	w := post(t, s.Handler(), path, string(body))
	var a legacyAnswer
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || w.Code != http.StatusOK {
		t.Fatalf("answer: want 200 and JSON, got %d %s", w.Code, w.Body)
	}
	return a
}

// said returns the network and the group that a request names for the container.
func said(q attach.Request) string {
	text := q.Tenant + "/" + q.Network + "/" + q.Group
	if p := q.Pod; p != nil {
		text += " pod " + p.Namespace + "/" + p.Name + " " + p.UID
		if p.Tenant+p.Network+p.Group != "" {
			text += ", else " + p.Tenant + "/" + p.Network + "/" + p.Group
		}
	}
	if tier := q.Labels["tier"]; tier != "" {
		text += " tier=" + tier
	}
	return text
}

func TestIdentity(t *testing.T) {
	rows := []struct{ name, args, conf, want string }{
		{"defaults", "", "", "default/default-net/"},
		{"of a pod netmaster decides", "K8S_POD_NAMESPACE=shop;K8S_POD_NAME=web;K8S_POD_UID=u", "", "// pod shop/web u"},
		{"but for the configuration", "K8S_POD_NAMESPACE=shop;K8S_POD_NAME=web", `,"network":"back"`, "/back/ pod shop/web "},
		{"and arguments over all", "IgnoreUnknown=1;K8S_POD_NAMESPACE=shop;K8S_POD_NAME=web;CONTIV_TENANT=red;CONTIV_GROUP=g", `,"tenant":"green"`, "red//g pod shop/web "},
		{"labels in the configuration", "", `,"labels":{"io.contiv.network":"n","io.contiv.net-group":"g"}`, "default/n/g"},
		{"and labels for services", "", `,"network":"n","labels":{"tier":"web"}`, "default/n/ tier=web"},
		{"are defaults for a pod", "K8S_POD_NAMESPACE=shop;K8S_POD_NAME=web", `,"labels":{"io.contiv.network":"n"}`, "// pod shop/web , else /n/"},
	}
	for _, r := range rows {
		e := &engine{}
		a := ask(t, server(e), pathAdd, request{ContainerID: "c1", IfName: "eth0", Netns: "/n", Args: r.args,
			Config: json.RawMessage(`{"cniVersion":"1.0.0","name":"x"` + r.conf + `}`)})
		q := e.got["c1"]
		if got := said(q); a.Error != nil || got != r.want {
			t.Errorf("%s: want %s, got %s %v", r.name, r.want, got, a.Error)
		}
		if q.Owner != "cni/x" {
			t.Errorf("%s: owner: want cni/x, got %s", r.name, q.Owner)
		}
	}
}

// The configuration may name the netmaster to ask first.
func TestMaster(t *testing.T) {
	for _, want := range []string{"", "http://10.0.0.1:9999"} {
		e := &engine{}
		ask(t, server(e), pathAdd, request{ContainerID: "c1", IfName: "eth0", Netns: "/n",
			Config: json.RawMessage(`{"cniVersion":"1.0.0","name":"x","master":"` + want + `"}`)})
		if e.master != want {
			t.Errorf("master: want %q, got %q", want, e.master)
		}
	}
}

func TestErrorCodes(t *testing.T) {
	rows := []struct {
		name string
		err  error
		want uint
	}{
		{"no sandbox", fmt.Errorf("x: %w", link.ErrNoNamespace), types.ErrUnknownContainer},
		{"bad request", fmt.Errorf("x: %w", attach.ErrInvalid), types.ErrInvalidEnvironmentVariables},
		{"unknown network", model.Errorf(model.CodeNotFound, "", "no"), types.ErrInvalidNetworkConfig},
		{"no address left", errors.Join(model.Errorf(model.CodeExhausted, "", "no"), errors.New("y")), types.ErrInternal},
		{"no master", model.Errorf(model.CodeUnavailable, "", "no").Try("repeat the request later"), types.ErrTryAgainLater},
		{"a wrapped refusal", fmt.Errorf("x: %w", model.Errorf(model.CodeConflict, "", "no").Try("choose another address")), types.ErrInternal},
		{"anything else", errors.New("x"), types.ErrTryAgainLater},
	}
	for _, r := range rows {
		s := server(&engine{err: r.err})
		a := ask(t, s, pathAdd, request{ContainerID: "c1", Config: json.RawMessage(`{"name":"x"}`)})
		if a.Error == nil || a.Error.Code != r.want || a.Error.Msg == "" {
			t.Errorf("%s: want code %d, got %v", r.name, r.want, a.Error)
		}
		if phrase := twice.Said(fmt.Sprint(a.Error)); phrase != "" {
			t.Errorf("%s: %q is repeated: %v", r.name, phrase, a.Error)
		}
	}
}

func TestNotReady(t *testing.T) {
	s := server(&engine{}, "Open vSwitch")
	for _, path := range []string{pathAdd, pathDel, pathCheck, pathStatus, pathGC} {
		a := ask(t, s, path, request{ContainerID: "c1", Config: json.RawMessage(`{"name":"x"}`)})
		want := types.ErrTryAgainLater
		if path == pathStatus {
			want = types.ErrPluginNotAvailable
		}
		if a.Error == nil || a.Error.Code != want || !strings.Contains(a.Error.Details, "Open vSwitch") {
			t.Errorf("%s while starting: want code %d with the reason, got %v", path, want, a.Error)
		}
	}
}

func TestCheckComparesPrevResult(t *testing.T) {
	s := server(&engine{})
	ask(t, s, pathAdd, request{ContainerID: "c1", IfName: "eth0", Netns: "/n", Config: json.RawMessage(`{"name":"x"}`)})
	conf := func(addr string) json.RawMessage {
		return json.RawMessage(`{"cniVersion":"1.0.0","name":"x","prevResult":{"cniVersion":"1.0.0",
			"interfaces":[{"name":"eth0","sandbox":"/n"}],"ips":[{"interface":0,"address":"` + addr + `"}]}}`)
	}
	for _, r := range []struct {
		name, id string
		conf     json.RawMessage
		want     uint
	}{
		{"same", "c1", conf("10.1.1.5/24"), 0},
		{"other address", "c1", conf("10.1.1.6/24"), types.ErrInternal},
		{"no prevResult", "c1", json.RawMessage(`{"name":"x"}`), 0},
		{"malformed", "c1", json.RawMessage(`{"cniVersion":"1.0.0","name":"x","prevResult":7}`), types.ErrDecodingFailure},
		{"unknown container", "c9", conf("10.1.1.5/24"), types.ErrUnknownContainer},
	} {
		a := ask(t, s, pathCheck, request{ContainerID: r.id, IfName: "eth0", Netns: "/n", Config: r.conf})
		if got := code(a.Error); got != r.want {
			t.Errorf("%s: want code %d, got %d %v", r.name, r.want, got, a.Error)
		}
	}
}

func code(e *types.Error) uint {
	if e == nil {
		return 0
	}
	return e.Code
}

func TestOriginalPlugin(t *testing.T) {
	e := &engine{}
	s := server(e)
	body := `{"K8S_POD_NAME":"web","K8S_POD_NAMESPACE":"shop","K8S_POD_INFRA_CONTAINER_ID":"c1","CNI_NETNS":"/proc/7/ns/net","CNI_IFNAME":"eth0"}`
	w := post(t, s.Handler(), pathAddPod, body)
	want := `{"endpointid":"c1","ipaddress":"10.1.1.5/24","ipv6address":"2001:db8::5/64"}`
	if got := w.Body.String(); w.Code != 200 || got != want || said(e.got["c1"]) != "// pod shop/web " {
		t.Errorf("AddPod: want %s, got %d %s", want, w.Code, got)
	}
	if w = post(t, s.Handler(), pathDelPod, body); w.Code != 200 || len(e.got) != 0 {
		t.Errorf("DelPod: want 200 and nothing attached, got %d %v", w.Code, e.got)
	}
	e.err = errors.New("broken")
	w = post(t, s.Handler(), pathAddPod, body)
	want = `{"result":1,"errmsg":"Error creating EP","errinfo":"Err: broken"}`
	if got := w.Body.String(); w.Code != 500 || got != want {
		t.Errorf("AddPod that fails: want 500 %s, got %d %s", want, w.Code, got)
	}
}

func TestSocketIsClosedToOthers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "contiv")
	path := filepath.Join(dir, "s")
	run := func() (cancel func()) {
		ctx, stop := context.WithCancel(context.Background())
		s := server(&engine{})
		s.Socket = path
		done := make(chan error, 1)
		go func() { done <- s.Run(ctx) }()
		select {
		case <-s.Ready():
		case err := <-done:
			t.Fatal(err)
		}
		return func() {
			stop()
			if err := <-done; err != nil {
				t.Errorf("Run after cancel: want nil, got %v", err)
			}
		}
	}
	for range 2 { // the second one finds the socket of the first
		stop := run()
		for p, want := range map[string]os.FileMode{dir: 0o700, path: 0o600} {
			if st, err := os.Stat(p); err != nil || st.Mode().Perm() != want {
				t.Errorf("mode of %s: want %v, got %v %v", p, want, st.Mode().Perm(), err)
			}
		}
		c := wire.Client{Socket: path, Timeout: 10 * time.Second}
		if a, err := c.Do(call("ADD", `{"cniVersion":"1.0.0","name":"x"}`)); err != nil || a.Exit != 0 || !strings.Contains(string(a.Stdout), "10.1.1.5/24") {
			t.Errorf("ADD through the socket: want a result, got %s %d %v", a.Stdout, a.Exit, err)
		}
		if _, err := httpserver.ListenUnix(path); err == nil {
			t.Error("second server at a live socket: want an error, got none")
		}
		stop()
	}
}

func FuzzRequests(f *testing.F) {
	f.Add([]byte(`{"containerID":"c","ifName":"eth0","netns":"/x","args":"A=B;C","config":{"name":"n","prevResult":{}}}`))
	f.Add([]byte(`{"K8S_POD_NAME":"web","CNI_IFNAME":"eth0"}`))
	f.Add([]byte(`{"config":{"name":"n","cniVersion":"0.4.0","cni.dev/valid-attachments":[{"containerID":"c","ifname":"e"}],"prevResult":{"ips":[{"interface":9,"address":"10.0.0.1/8"}],"interfaces":[null]}},"containerID":"c1"}`))
	f.Add([]byte("CNI_COMMAND=ADD\x00CNI_CONTAINERID=c1\x00CNI_IFNAME=eth0\x00CNI_NETNS=/n\x00CNI_PATH=/o\x00CNI_ARGS=A=B\x00\x00{\"name\":\"x\",\"cniVersion\":\"0.2.0\",\"args\":{\"org.apache.mesos\":{\"network_info\":{\"labels\":{\"labels\":[{\"key\":\"k\"}]}}}}}"))
	f.Add([]byte("CNI_COMMAND=CHECK\x00CNI_CONTAINERID=c1\x00CNI_IFNAME=eth0\x00CNI_NETNS=/n\x00CNI_PATH=/o\x00\x00{\"name\":\"x\",\"cniVersion\":\"1.1.0\"}"))
	f.Add([]byte(`{"cni_ifname":"eth0","cni_netns":"/n","cni_containerid":"c1","labels":{"io.contiv.tenant":"t"}}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		s := server(&engine{})
		s.Mesos = len(in)%2 == 0
		s.Attacher.(*engine).got["c1"] = attach.Request{}
		h := s.Handler()
		paths := []string{wire.PathCall, pathAdd, pathDel, pathCheck, pathStatus, pathGC, pathAddPod, pathDelPod}
		if s.Mesos {
			paths = []string{wire.PathCall, pathMesosAdd, pathMesosDel}
		}
		for _, path := range paths {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, bytes.NewReader(in)))
			if w.Body.Len() > 0 && !json.Valid(w.Body.Bytes()) || w.Code != http.StatusOK && w.Code != http.StatusInternalServerError {
				t.Fatalf("%s: want JSON or nothing, got %d %q", path, w.Code, w.Body)
			}
		}
	})
}

func FuzzParseConf(f *testing.F) {
	f.Add([]byte(`{"cniVersion":"1.0.0","name":"n","type":"contivk8s","tenant":"t","labels":{"a":"b"},"prevResult":{}}`))
	f.Add([]byte(`{"args":{"org.apache.mesos":{"network_info":{"name":"n","labels":{"labels":[{"key":"io.contiv.tenant","value":"blue"}]}}}}}`))
	f.Add([]byte(`{"runtimeConfig":{"ips":["10.1.1.5/24"],"mac":"02:02:00:00:00:01","portMappings":[{"hostPort":80,"containerPort":80,"hostIP":"::1"}]}}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, in []byte) {
		c, err := parseConf(in)
		if err != nil {
			return
		}
		if c.Args.Mesos != nil {
			c.Args.Mesos.labels()
		}
		_, _, _ = c.Runtime.addresses()
		_, _ = c.Runtime.mappings([]netip.Prefix{netip.MustParsePrefix("10.1.1.5/24"), netip.MustParsePrefix("fd01::5/64")})
	})
}

// A configuration names a server to ask first, and not what to ask there.
func TestMasterOfAConfiguration(t *testing.T) {
	for master, good := range map[string]bool{"": true, "http://10.0.0.1:9999": true, "https://netmaster:9999/": true, "http://[2001:db8::1]:9999": true,
		"http://10.0.0.1:9999/x?y=": false, "http://a:b@10.0.0.1": false, "ftp://10.0.0.1": false, "http://": false, "http:x": false, "10.0.0.1:9999": false,
		"http://10.0.0.1:9999#": true, "http://10.0.0.1:9999#x": false, "http://10.0.0.1?": false, "http://a,http://b": false} {
		got, err := masterOf(&Conf{Master: master})
		if (err == nil) != good || good && got != master {
			t.Errorf("%q: got %q, %v", master, got, err)
		}
	}
}
