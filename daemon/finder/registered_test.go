// SPDX-License-Identifier: Apache-2.0

package finder

import (
	"encoding/binary"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/contiv/contiv/daemon/store/embedded"
	"github.com/contiv/contiv/daemon/storeconfig"
)

const here = `{"hostAddr":"192.0.2.2","port":9999}`

// An etcd that requires authentication lists netmasters for the user with the password.
func TestUser(t *testing.T) {
	server, err := embedded.Start(t.Context(), embedded.Config{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	root, err := clientv3.New(clientv3.Config{Endpoints: []string{server.ClientURL()}, DialTimeout: 5 * time.Second, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	ctx := t.Context()
	_, err0 := root.Put(ctx, prefix+"192.0.2.2:9999", here)
	_, err1 := root.UserAdd(ctx, "root", "s3cret")
	_, err2 := root.UserGrantRole(ctx, "root", "root")
	_, err3 := root.AuthEnable(ctx)
	if err := errors.Join(err0, err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	for password, want := range map[string]int{"s3cret": 1, "guess": 0} {
		file := filepath.Join(t.TempDir(), "password")
		if err := os.WriteFile(file, []byte(password+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		f := New(nil, "http", storeconfig.Config{Etcd: []string{server.ClientURL()}, Secret: storeconfig.Secret{User: "root", PasswordFile: file}}, slog.New(slog.DiscardHandler))
		got, err := f.registered(ctx)
		if len(got) != want || (err == nil) != (want == 1) {
			t.Errorf("%s: want %d netmasters, got %v, %v", password, want, got, err)
		}
	}
}

// A silent member costs only its share of the time; an etcd over TLS is verified with --store-ca.
func TestTLS(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		text, err := io.ReadAll(q.Body)
		if err != nil || q.ProtoMajor != 2 || q.URL.Path != rangeCall || q.Header.Get("Content-Type") != "application/grpc" || !strings.Contains(string(text), prefix) {
			t.Errorf("want a call of gRPC for the prefix, got %s %s %q, %v", q.Proto, q.URL, text, err)
		}
		item := protowire.AppendString(protowire.AppendTag(nil, kvValue, protowire.BytesType), here)
		answer := protowire.AppendBytes(protowire.AppendTag(protowire.AppendVarint(protowire.AppendTag(nil, 4, protowire.VarintType), 1), rangeKVs, protowire.BytesType), item)
		w.Header().Set("Trailer", statusTrailer)
		_, _ = w.Write(append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(answer))), answer...))
		w.Header().Set(statusTrailer, "0")
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	ca := filepath.Join(t.TempDir(), "ca.crt")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	c := storeconfig.Config{Etcd: []string{"https://127.0.0.1:1", server.URL + "/"}, CAFile: ca}
	got, err := New(nil, "https", c, slog.New(slog.DiscardHandler)).registered(t.Context())
	if err != nil || !slices.Equal(got, []string{"https://192.0.2.2:9999"}) {
		t.Errorf("want the netmaster of the second member, got %v, %v", got, err)
	}
	c.CAFile = ""
	if got, err := New(nil, "https", c, slog.New(slog.DiscardHandler)).registered(t.Context()); err == nil {
		t.Errorf("a store of another authority: want an error, got %v", got)
	}
}

// Consul is queried with its token; no registrations are not an error.
func TestConsul(t *testing.T) {
	status, token := http.StatusOK, ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.String() != "/v1/kv"+prefix+"?recurse" {
			t.Errorf("want a request for the prefix, got %s", q.URL)
		}
		token = q.Header.Get("X-Consul-Token")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode([]map[string]any{{"Key": "x", "Value": []byte(here)}, {"Key": "y", "Value": nil}})
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("t0ken\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := New(nil, "http", storeconfig.Config{Consul: []string{server.URL}, Secret: storeconfig.Secret{TokenFile: file}}, slog.New(slog.DiscardHandler))
	for answer, want := range map[int]string{http.StatusOK: "http://192.0.2.2:9999", http.StatusNotFound: "", http.StatusForbidden: "403"} {
		status = answer
		got, err := f.registered(t.Context())
		if err != nil {
			got = []string{err.Error()}
		}
		if text := strings.Join(got, " "); !strings.Contains(text, want) || want == "" && text != "" || token != "t0ken" {
			t.Errorf("%d: want %q by the token, got %q by %q", answer, want, text, token)
		}
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 2, 0x12, 0})
	f.Add([]byte{0, 0, 0, 0, 3, 0x12, 9, 1})
	f.Fuzz(func(t *testing.T, text []byte) {
		body, err := unframe(text)
		if err != nil {
			return
		}
		items, err := fields(body, rangeKVs)
		for _, i := range items {
			if err == nil && len(i) > len(body) {
				t.Errorf("a field of %d bytes in %d", len(i), len(body))
			}
			_, _ = fields(i, kvValue)
		}
	})
}
