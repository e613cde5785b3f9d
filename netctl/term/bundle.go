// SPDX-License-Identifier: Apache-2.0

package term

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/contiv/contiv/api/bundle"
)

// BundleBase is the URL of a bundle's answers, through its Transport.
const BundleBase = "http://bundle"

// Bundle is a netmaster that answers from a support bundle. The caller closes it.
type Bundle struct {
	Transport http.RoundTripper
	Manifest  bundle.Manifest
	end       func()
}

// Close ends the netmaster.
func (b *Bundle) Close() { b.end() }

// String describes the bundle: its time, and that it is a bundle.
func (b *Bundle) String() string { return b.Manifest.String() }

// netmaster is the program that answers from bundles: it is beside this one, or in the path of programs.
const netmaster = "netmaster"

// OpenBundle starts a netmaster that answers from a bundle, until Close or the end of this program. It blocks until the bundle has been
// read.
func OpenBundle(ctx context.Context, file string) (*Bundle, error) {
	if _, err := os.Stat(file); err != nil { // an error that names no other program
		return nil, err
	}
	program := netmaster
	if own, err := os.Executable(); err == nil {
		if beside := filepath.Join(filepath.Dir(own), netmaster); isFile(beside) {
			program = beside
		}
	}
	c := exec.CommandContext(ctx, program, "--bundle", file)
	c.Env = append(os.Environ(), "CONTIV_NETMASTER_LOG_LEVEL=ERROR")
	in, err := c.StdinPipe() // whose end it notices
	if err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	var said bytes.Buffer
	c.Stderr = &said
	if err := c.Start(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return nil, fmt.Errorf("reading a support bundle requires %s: not found next to this program or in $PATH", netmaster)
		}
		return nil, err
	}
	end := func() {
		_ = in.Close()
		_ = c.Wait()
	}
	var served bundle.Served
	line, err := bufio.NewReader(io.LimitReader(out, bundle.MaxFile)).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &served)
	}
	if err != nil {
		end()
		if text := strings.TrimSpace(strings.TrimPrefix(said.String(), netmaster+":")); text != "" {
			err = errors.New(text)
		}
		return nil, err
	}
	var d net.Dialer
	t := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return d.DialContext(ctx, "unix", served.Socket)
	}}
	return &Bundle{Transport: t, Manifest: served.Manifest, end: end}, nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
