// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/flags"
	"github.com/contiv/contiv/daemon/logging"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/memory"
)

// process is one netmaster of a cluster within the test.
type process struct {
	channel.Master
	db      *memory.Store
	waiting func() string
	stop    func() // ends it as SIGTERM does, and waits
}

// start runs a netmaster over its own connection to db.
func start(t *testing.T, db *memory.Store) *process {
	t.Helper()
	own := db.Open()
	p := startOver(t, own)
	p.db = own
	return p
}

// startOver runs a netmaster over a connection to a store.
func startOver(t *testing.T, own store.Store) *process {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	args := []string{"--mode", "kubernetes", "--netmode", "vlan", "--fwdmode", "bridge", "--insecure", "--leader-ttl", "2s", "--external-address", address, "--internal-address", address}
	c, err := parse(args, nil, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	d := newDaemon(c, nil, nil, &logging.Recent{}, slog.New(slog.DiscardHandler))
	go func() {
		defer close(done)
		_ = d.serve(ctx, func(context.Context) (store.Store, error) { return own, nil })
	}()
	transport := &http.Transport{}
	p := &process{waiting: d.front.Waiting, Master: channel.Master{Client: &client.Client{Base: "http://" + address, HTTP: &http.Client{Transport: transport}, Timeout: 10 * time.Second}}}
	p.stop = sync.OnceFunc(func() { cancel(); <-done; transport.CloseIdleConnections() })
	t.Cleanup(p.stop)
	return p
}

// until polls a condition, for what no channel reports.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(20 * time.Second)
	for !ok() {
		select {
		case <-deadline:
			t.Fatalf("not within 20 s: %s", what)
		case <-tick.C:
		}
	}
}

func (p *process) role() string {
	info, err := p.Info(context.Background())
	if err != nil {
		return err.Error()
	}
	return info.CurrentState
}

func network(i int) *model.Network {
	return &model.Network{TenantName: "default", NetworkName: fmt.Sprintf("net%d", i), Encap: "vlan", Subnet: fmt.Sprintf("10.%d.0.0/24", i)}
}

// A follower forwards writes, knows what it forwarded, and takes over when the leader ends.
func TestFailover(t *testing.T) {
	ctx := context.Background()
	db := memory.New()
	one := start(t, db)
	until(t, "the first leads", func() bool { return one.role() == "leader" })
	two, three := start(t, db), start(t, db)
	until(t, "the others follow", func() bool { return two.role() == "follower" && three.role() == "follower" })
	for i := range 5 {
		if _, err := two.Networks().Put(ctx, network(i)); err != nil {
			t.Fatalf("a write through a follower: %v", err)
		}
		if _, err := two.Networks().Get(ctx, "default", network(i).NetworkName); err != nil {
			t.Errorf("a follower must know what it forwarded: %v", err)
		}
	}
	one.stop()
	if _, err := two.Networks().Put(ctx, network(5)); err != nil {
		t.Errorf("the write after the leader's end must be accepted: %v", err)
	}
	list, err := three.Networks().List(ctx)
	if err != nil || len(list) < 5 {
		t.Errorf("the new cluster must know the old networks, got %d, %v", len(list), err)
	}
	until(t, "one of the others leads", func() bool { return two.role() == "leader" || three.role() == "leader" })
}

// A write whose answer is lost is repeated by the client and has happened once.
func TestLostAnswer(t *testing.T) {
	ctx := context.Background()
	one := start(t, memory.New())
	until(t, "it leads", func() bool { return one.role() == "leader" })
	if _, err := one.Networks().Put(ctx, network(1)); err != nil {
		t.Fatal(err)
	}
	one.db.LoseAnswers(1)
	made, _, err := one.CreateEndpoint(ctx, model.CreateEndpointRequest{TenantName: "default", NetworkName: "net1",
		ConfigEP: model.EndpointConfigRequest{Container: "c1", Host: "h1"}})
	if err != nil || made.IP.String() != "10.1.0.1" {
		t.Errorf("want 10.1.0.1 after a lost answer, got %q, %v", made.IP, err)
	}
	one.db.LoseAnswers(1)
	if _, err := one.Networks().Put(ctx, network(2)); err != nil {
		t.Errorf("a network whose answer was lost, asked for again: %v", err)
	}
	until(t, "it leads again", func() bool { return one.role() == "leader" })
	one.db.LoseAnswers(1)
	if _, err := one.Networks().Delete(ctx, "default", "net2"); err != nil {
		t.Errorf("a deletion whose answer was lost, asked for again: %v", err)
	}
	next, _, err := one.CreateEndpoint(ctx, model.CreateEndpointRequest{TenantName: "default", NetworkName: "net1",
		ConfigEP: model.EndpointConfigRequest{Container: "c2", Host: "h1"}})
	if err != nil || next.IP.String() != "10.1.0.2" {
		t.Errorf("no address may be lost or given twice: want 10.1.0.2, got %q, %v", next.IP, err)
	}
}

// The store goes away and comes back: reads are served meanwhile, writes after, and the process lives.
func TestStoreAway(t *testing.T) {
	ctx := context.Background()
	one := start(t, memory.New())
	until(t, "it leads", func() bool { return one.role() == "leader" })
	if _, err := one.Networks().Put(ctx, network(1)); err != nil {
		t.Fatal(err)
	}
	one.db.Away()
	if _, err := one.Networks().Get(ctx, "default", "net1"); err != nil {
		t.Errorf("a read without the store: %v", err)
	}
	impatient := *one.Client
	impatient.Timeout = 0
	if _, err := impatient.Networks().Put(ctx, network(2)); !client.IsCode(err, model.CodeUnavailable) {
		t.Errorf("a write without the store: want unavailable, got %v", err)
	}
	until(t, "readiness names the missing store", func() bool {
		answer, err := http.Get(one.Base + "/readyz")
		if err != nil {
			return false
		}
		defer func() { _ = answer.Body.Close() }()
		text, _ := io.ReadAll(answer.Body)
		return answer.StatusCode == http.StatusServiceUnavailable && strings.Contains(string(text), "the store memory")
	})
	one.db.Back()
	until(t, "a write is accepted again", func() bool {
		_, err := impatient.Networks().Put(ctx, network(3))
		return err == nil || client.IsCode(err, model.CodeImmutable)
	})
}

// unread is a store whose content arrives after read is closed.
type unread struct {
	store.Store
	read chan struct{}
}

func (u *unread) Watch(ctx context.Context, prefix string) iter.Seq2[store.Update, error] {
	return func(yield func(store.Update, error) bool) {
		if prefix == record.Root {
			select {
			case <-u.read:
			case <-ctx.Done():
				return
			}
		}
		u.Store.Watch(ctx, prefix)(yield)
	}
}

// A netmaster that has not read its store answers no read: an empty list would report that objects do not exist.
func TestStoreUnread(t *testing.T) {
	ctx := context.Background()
	db := memory.New()
	one := start(t, db)
	until(t, "it leads", func() bool { return one.role() == "leader" })
	if _, err := one.Networks().Put(ctx, network(1)); err != nil {
		t.Fatal(err)
	}
	content := make(chan struct{})
	two := startOver(t, &unread{Store: db.Open(), read: content})
	until(t, "it waits for the content", func() bool {
		_, err := two.Networks().List(ctx)
		if err == nil {
			t.Fatal("a netmaster that has read nothing lists networks")
		}
		return strings.Contains(err.Error(), "waits for the content of the store")
	})
	if got := two.waiting(); got != "the content of the store" {
		t.Errorf("the service manager reads %q, want the content of the store", got)
	}
	close(content)
	until(t, "the service manager reads that it serves", func() bool { return two.waiting() == "" })
	until(t, "it lists the network", func() bool {
		list, err := two.Networks().List(ctx)
		if err == nil && len(list) != 1 {
			t.Fatalf("want one network, got %v", list)
		}
		return err == nil
	})
}

// A store that was wiped beneath a netmaster is another one: nothing that the one before held is known any more.
func TestStoreReset(t *testing.T) {
	ctx := context.Background()
	db := memory.New()
	one := start(t, db)
	until(t, "it leads", func() bool { return one.role() == "leader" })
	for n := range 3 {
		if _, err := one.Networks().Put(ctx, network(n+1)); err != nil {
			t.Fatal(err)
		}
	}
	watching, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	lists := make(chan int)
	go func() {
		defer close(lists)
		for e := range one.Watch(watching, []*model.Kind{model.KindNetwork()}) {
			if e.Type != model.EventFull {
				continue
			}
			select {
			case lists <- len(e.Items):
			case <-watching.Done():
				return
			}
		}
	}()
	if n := <-lists; n != 3 {
		t.Errorf("who watches: want 3 networks, got %d", n)
	}
	db.Reset()
	until(t, "it leads with nothing known", func() bool {
		list, err := one.Networks().List(ctx)
		return err == nil && len(list) == 0 && one.role() == "leader"
	})
	if n, open := <-lists; !open || n != 0 {
		t.Errorf("a watcher: want a list without networks, got %d, %t", n, open)
	}
	if _, err := one.Tenants().Get(ctx, "default"); err != nil {
		t.Errorf("what every cluster has: %v", err)
	}
	if _, err := one.Networks().Put(ctx, network(4)); err != nil {
		t.Errorf("a network in the new store: %v", err)
	}
	list, err := one.Networks().List(ctx)
	if err != nil || len(list) != 1 || list[0].NetworkName != "net4" {
		t.Errorf("want only net4, got %v, %v", list, err)
	}
}

// A new owner of the lock fences off the previous leader, none of whose writes succeeds.
func TestFencedLeader(t *testing.T) {
	ctx := context.Background()
	one := start(t, memory.New())
	until(t, "it leads", func() bool { return one.role() == "leader" })
	usurp := &store.Tx{}
	usurp.Delete(record.LeaderKey)
	one.db.Away() // the old leader hears nothing of it
	other := one.db.Open()
	if _, err := other.Commit(ctx, usurp); err != nil {
		t.Fatal(err)
	}
	take := &store.Tx{}
	take.Require(record.LeaderKey, 0)
	take.Put(record.LeaderKey, []byte("127.0.0.1:1"))
	if _, err := other.Commit(ctx, take); err != nil {
		t.Fatal(err)
	}
	one.db.Back()
	impatient := *one.Client
	impatient.Timeout = 0
	limited, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	_, _ = impatient.Networks().Put(limited, network(1))
	items, _, err := other.List(ctx, record.Networks)
	if err != nil || len(items) != 0 {
		t.Errorf("a fenced leader has written %d networks, %v", len(items), err)
	}
}

func TestConfiguration(t *testing.T) {
	base := []string{"--mode", "kubernetes", "--netmode", "vlan", "--fwdmode", "bridge"}
	tests := []struct {
		name string
		args []string
		env  map[string]string
		want string // in the complaint
	}{
		{"nothing", nil, nil, "--netmode is required"},
		{"bad mode", []string{"--mode", "nomad"}, nil, "--mode nomad"},
		{"vxlan with bridge", []string{"--mode", "docker", "--netmode", "vxlan", "--fwdmode", "bridge"}, nil, "--fwdmode routing"},
		{"two stores", append(base, "--etcd", "http://a:1", "--consul", "http://b:1"), nil, "exclude each other"},
		{"two stores by environment", append(base, "--etcd", "http://a:1"), map[string]string{"CONTIV_NETMASTER_CONSUL_ENDPOINTS": "http://b:1"}, "exclude each other"},
		{"bad address", append(base, "--listen-url", "nowhere"), nil, "--external-address nowhere"},
		{"bad port", append(base, "--external-address", "0.0.0.0:70000"), nil, "port from 1 to 65535"},
		{"bad store URL", append(base, "--etcd-endpoints", "ftp://a"), nil, "ftp://a"},
		{"half a certificate", append(base, "--store-cert", "x.pem"), nil, "--store-key"},
		{"bad infra", append(base, "--infra", "frame-relay"), nil, "--infra frame-relay"},
		{"no history", append(base, "--history-limit", "0"), nil, "--history-limit 0"},
		{"a short memory", append(base, "--history-age", "1s"), nil, "--history-age 1s"},
		{"snapshots all the time", append(base, "--snapshot-every", "1m"), nil, "--snapshot-every: got 1m0s, want at least 10m0s"},
		{"no snapshots kept", append(base, "--snapshot-keep", "0"), nil, "--snapshot-keep 0"},
		{"bad quarantine", append(base, "--quarantine", "soon"), nil, "--quarantine soon"},
		{"bad level", append(base, "--log-level", "LOUD"), nil, "--log-level LOUD"},
		{"unknown flag", append(base, "--colour"), nil, "colour"},
		{"an argument", append(base, "now"), nil, `"now"`},
		{"bad cluster", append(base, "--embedded-store", "/nowhere", "--embedded-cluster", "h1"), nil, "--embedded-cluster h1"},
		{"an agreement without a store", append(base, "--etcd-endpoints", "http://a:1", "--embedded-configmap", "contiv-system:contiv-store", "--kubernetes-api", "https://192.0.2.1:6443"), nil, "--embedded-configmap needs --embedded-store"},
		{"an agreement without Kubernetes", append(base, "--embedded-store", "/nowhere", "--embedded-name", "h1", "--embedded-configmap", "contiv-system:contiv-store"), nil, "--embedded-configmap needs an API server"},
		{"an agreement without a namespace", append(base, "--embedded-store", "/nowhere", "--embedded-configmap", "contiv-store"), nil, "--embedded-configmap contiv-store: it is NAMESPACE:NAME"},
		{"joining no member", append(base, "--embedded-store", "/nowhere", "--embedded-join"), nil, "--embedded-join"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			code := run(context.Background(), test.args, environ(test.env), strings.NewReader(""), &out, &errs)
			if code != 22 || !strings.Contains(errs.String(), test.want) {
				t.Errorf("want exit 22 and a complaint with %q, got %d and %q", test.want, code, errs.String())
			}
		})
	}
}

// Hosts that join find out who runs containers, unless netmaster reads Kubernetes, or the operator says it.
func TestModeToHosts(t *testing.T) {
	for _, row := range []struct {
		args []string
		want string
	}{
		{nil, "auto"},
		{[]string{"--kubeconfig", "/etc/contiv/kubeconfig"}, "kubernetes"},
		{[]string{"--mode", "docker", "--kubeconfig", "/etc/contiv/kubeconfig"}, "docker"},
		{[]string{"--mode", "CNI"}, "cni"},
	} {
		args := append([]string{"--netmode", "vlan", "--fwdmode", "bridge", "--insecure", "--etcd-endpoints", "http://192.0.2.1:2379"}, row.args...)
		c, err := parse(args, nil, io.Discard)
		if err != nil || (&daemon{config: c}).joinInfo().Settings.Mode != row.want {
			t.Errorf("%v: want %s, got %q, %v", row.args, row.want, c.Mode, err)
		}
	}
}

// Certificates may be on a file system that is not mounted yet: netmaster ends with 1, after which systemd restarts it. 22 is final.
func TestAbsentEndsWith1(t *testing.T) {
	args := []string{"--mode", "kubernetes", "--netmode", "vlan", "--fwdmode", "bridge", "--etcd-endpoints", "https://192.0.2.1:2379", "--trust", t.TempDir()}
	var out, errs bytes.Buffer
	code := run(context.Background(), args, nil, strings.NewReader(""), &out, &errs)
	if code != 1 || errs.Len() == 0 {
		t.Errorf("without certificates: want exit 1 and a complaint, got %d and %q", code, errs.String())
	}
}

func TestConfigurationFromEnvironment(t *testing.T) {
	var out, errs bytes.Buffer
	code := run(context.Background(), []string{"-plugin-mode=docker", "--version"}, nil, strings.NewReader(""), &out, &errs)
	if code != 0 || !strings.HasPrefix(out.String(), "Version: ") {
		t.Errorf("--version: want exit 0 and the version, got %d %q %q", code, out.String(), errs.String())
	}
}

// environ returns variables as os.Environ does.
func environ(variables map[string]string) (out flags.Env) {
	for name, value := range variables {
		out = append(out, name+"="+value)
	}
	return out
}
