package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"github.com/contiv/contiv/api/bundle"
	"github.com/contiv/contiv/daemon/httpserver"
	"github.com/contiv/contiv/daemon/logging"
	"github.com/contiv/contiv/daemon/master/offline"
)

// serveBundle answers from a support bundle at a unix socket for this account alone, which it says, with the manifest, in a line of JSON: a
// bundle.Served. It ends when its standard input does, as with the program that has started it, or with ctx.
func serveBundle(ctx context.Context, c config, stdin io.Reader, stdout, stderr io.Writer) error {
	log, err := logging.New(c.Log, "netmaster", stderr, nil)
	if err != nil {
		return err
	}
	file, err := os.Open(c.Bundle)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	read, err := bundle.Read(file)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Bundle, err)
	}
	answers, err := offline.New(read, log)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Bundle, err)
	}
	dir, err := os.MkdirTemp("", "contiv-bundle")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	at := filepath.Join(dir, "s")
	l, err := httpserver.ListenUnix(at)
	if err != nil {
		return err
	}
	srv := httpserver.NewServer(answers, httpserver.Ordinary(), log)
	ctx, end := context.WithCancel(ctx)
	defer end()
	go func() {
		_, _ = io.Copy(io.Discard, stdin)
		end()
	}()
	defer context.AfterFunc(ctx, func() { _ = srv.Close() })()
	m := read.Manifest
	m.Files = nil
	if err := json.NewEncoder(stdout).Encode(bundle.Served{Socket: at, Manifest: m}); err != nil {
		return err
	}
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
