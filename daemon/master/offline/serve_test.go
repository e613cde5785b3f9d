// SPDX-License-Identifier: Apache-2.0

package offline_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/bundle"
	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/daemon/master/offline"
)

// Serve answers at the socket that it prints, until its standard input ends.
func TestServe(t *testing.T) {
	stream, err := cluster(t).As(admin).Bundle(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stream.Close() }()
	text, err := io.ReadAll(stream)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "bundle")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	stdin, closeStdin := io.Pipe()
	printed, stdout := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- offline.Serve(t.Context(), path, stdin, stdout, slog.New(slog.DiscardHandler)) }()
	line, err := bufio.NewReader(printed).ReadBytes('\n')
	var served bundle.Served
	if err != nil || json.Unmarshal(line, &served) != nil || served.Manifest.Made.IsZero() || served.Manifest.Files != nil {
		t.Fatalf("want a socket and a manifest without files, got %s, %v", line, err)
	}
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", served.Socket)
	}}
	c := &client.Client{Base: "http://bundle", HTTP: &http.Client{Transport: transport}}
	if list, err := c.Networks().List(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("want the network of the bundle, got %v, %v", list, err)
	}
	_ = closeStdin.Close()
	if err := <-done; err != nil {
		t.Errorf("the end of the standard input is no error, got %v", err)
	}
	if _, err := os.Stat(filepath.Dir(served.Socket)); !os.IsNotExist(err) {
		t.Errorf("want the directory of the socket removed, got %v", err)
	}
}

// A file that is no bundle is an error with its path.
func TestServeNoBundle(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bundle")
	for _, content := range []string{"", "no bundle"} {
		if content != "" {
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := offline.Serve(t.Context(), path, strings.NewReader(""), io.Discard, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("content %q: want an error with the path, got %v", content, err)
		}
	}
}
