// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"

	"github.com/contiv/contiv/api/bundle"
	"github.com/contiv/contiv/daemon/flags"
	"github.com/contiv/contiv/daemon/httpserver"
)

// Settings name the support bundle to answer from.
type Settings struct {
	File string // "": this process is a netmaster of a cluster
}

// Register adds the flag.
func (s *Settings) Register(set *flags.Set) {
	set.String(&s.File, "bundle", "BUNDLE", "", "answer from this support bundle, at a unix socket that it prints, until the standard input ends, instead of being a netmaster of a cluster; netctl --bundle and contiv console --bundle start it")
	set.Standalone("bundle")
}

// Serve answers from a support bundle at a unix socket that only this account can use. It writes the path of the socket and the manifest to stdout, as a
// bundle.Served in one line of JSON. It blocks until stdin ends, as it does with the program at its other end, or until ctx ends.
func Serve(ctx context.Context, path string, stdin io.Reader, stdout io.Writer, log *slog.Logger) error {
	read, err := open(path, log)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "contiv-bundle")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	socket := filepath.Join(dir, "s")
	l, err := httpserver.ListenUnix(socket)
	if err != nil {
		return err
	}
	srv := httpserver.NewServer(read, httpserver.Ordinary(), log)
	ctx, end := context.WithCancel(ctx)
	defer end()
	go func() {
		_, _ = io.Copy(io.Discard, stdin)
		end()
	}()
	defer context.AfterFunc(ctx, func() { _ = srv.Close() })()
	manifest := read.from.Manifest
	manifest.Files = nil
	if err := json.NewEncoder(stdout).Encode(bundle.Served{Socket: socket, Manifest: manifest}); err != nil {
		return err
	}
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// open reads the bundle of a file.
func open(path string, log *slog.Logger) (*Reader, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	b, err := bundle.Read(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r, err := New(b, log)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}
