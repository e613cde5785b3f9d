// SPDX-License-Identifier: Apache-2.0

package finder_test

import (
	"encoding/json"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/finder"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/embedded"
	"github.com/contiv/contiv/daemon/storeconfig"
)

var quiet = slog.New(slog.DiscardHandler)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"192.0.2.1:9999": "http://192.0.2.1:9999", "http://m1.example:9999": "http://m1.example:9999", "http://192.0.2.1:9999/": "http://192.0.2.1:9999",
		"[fd00::1]:9999": "http://[fd00::1]:9999", "192.0.2.1": "", "https://192.0.2.1:9999": "", "http://u@192.0.2.1:9999": "", "192.0.2.1:9999/x": "", "": "",
		"http://:9999": "", "192.0.2.1:9999?x": "",
	} {
		got, err := finder.Parse(text, "http")
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: want %q, got %q, %v", text, want, got, err)
		}
		if err != nil && !strings.Contains(err.Error(), "want an address like 192.0.2.1:9999") {
			t.Errorf("%q: want the expected form in the error, got %v", text, err)
		}
	}
	if got, err := finder.Parse("192.0.2.1:9999", "https"); err != nil || got != "https://192.0.2.1:9999" {
		t.Errorf("of a secured cluster: got %q, %v", got, err)
	}
	if _, err := finder.Parse("http://192.0.2.1:9999", "https"); err == nil || !strings.Contains(err.Error(), "https://192.0.2.1:9999") {
		t.Errorf("plain HTTP in a secured cluster: want the expected URL, got %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("192.0.2.1:9999")
	f.Add("http://[fd00::1%25eth0]:1")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := finder.Parse(text, "http")
		if err != nil {
			return
		}
		if u, err := url.Parse(got); err != nil || u.Scheme != "http" || u.Host == "" || u.Path+u.RawQuery+u.Fragment != "" || u.User != nil {
			t.Errorf("%q: want only a URL of a host and port, got %q, %v", text, got, err)
		}
	})
}

// freeURL returns a URL of this machine at which nothing listens.
func freeURL(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return "http://" + l.Addr().String()
}

// Find returns the configured netmasters and those of a real store, and keeps the latter while the store is unreachable.
func TestFind(t *testing.T) {
	first := []string{"http://192.0.2.1:9999"}
	if got := finder.New(first, "http", storeconfig.Config{}, quiet).Find(t.Context()); !slices.Equal(got, first) {
		t.Errorf("without a store: want %v, got %v", first, got)
	}
	client := freeURL(t)
	db, err := embedded.Start(t.Context(), embedded.Config{Dir: t.TempDir(), ClientURL: client, PeerURL: freeURL(t), Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	var tx store.Tx
	for _, s := range []record.Service{{ServiceName: record.ServiceMaster, HostAddr: "192.0.2.2", Port: 9999}, {ServiceName: record.ServiceMaster, HostAddr: "fd00::3", Port: 9999}} {
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		tx.Put(s.Key(), text)
	}
	tx.Put(record.Services+record.ServiceMaster+"/rubbish", []byte("{"))
	if _, err := db.Commit(t.Context(), &tx); err != nil {
		t.Fatal(err)
	}
	f := finder.New(first, "http", storeconfig.Config{Etcd: []string{client}}, quiet)
	want := []string{"http://192.0.2.1:9999", "http://192.0.2.2:9999", "http://[fd00::3]:9999"}
	if got := f.Find(t.Context()); !slices.Equal(got, want) {
		t.Errorf("with a store: want %v, got %v", want, got)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	<-time.After(1100 * time.Millisecond) // an answer is reused for a second
	if got := f.Find(t.Context()); !slices.Equal(got, want) {
		t.Errorf("with a store that is away: want %v, got %v", want, got)
	}
	if text := f.String(); text != "http://192.0.2.1:9999, "+client {
		t.Errorf("want its sources, got %s", text)
	}
}
