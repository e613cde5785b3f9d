// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/bundle"
	"github.com/contiv/contiv/netctl/term"
)

func newSupportBundle(f *Factory) *cobra.Command {
	var file string
	c := &cobra.Command{
		Use: "support-bundle", Short: "Collect the state of the cluster in one file, without secrets", Args: exactly(),
		Long: "Netmaster collects objects, records, flows, drift, findings, logs, metrics, versions, history and timeline from all agents and netmasters. " +
			"Passwords, tokens, keys and permissions are removed. The command requires the right bundle. Nodes that do not answer are listed, and do not change the exit code. " +
			"Read the file anywhere with netctl --bundle FILE or contiv console --bundle FILE.",
		RunE: func(cmd *cobra.Command, _ []string) error { return runSupportBundle(cmd.Context(), f, file) },
	}
	c.Flags().StringVarP(&file, "output", "o", "", "file to write; it must not exist (default: contiv-TIME.tar.gz)")
	return c
}

func runSupportBundle(ctx context.Context, f *Factory, file string) error {
	c, err := f.client()
	if err != nil {
		return err
	}
	if file == "" {
		file = "contiv-" + time.Now().UTC().Format("20060102T150405Z") + ".tar.gz"
	}
	if _, err := os.Lstat(file); !errors.Is(err, os.ErrNotExist) {
		if err == nil {
			err = fmt.Errorf("%s already exists: select another file with -o", file)
		}
		return local(err)
	}
	ctx, end := f.interruptible(ctx)
	defer end()
	content, err := c.Bundle(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }()
	m, size, err := keep(file, content)
	if err != nil {
		if ctx.Err() != nil {
			err = errors.New("interrupted: nothing was written")
		}
		return err
	}
	for i := range m.Missing {
		fmt.Fprintf(f.Err, "missing: %s\n", &m.Missing[i])
	}
	return printf(f.Out, "%s: %d files, %d KiB, of %d hosts, created by %s at %s\n", file, len(m.Files), (size+1023)>>10, len(m.Hosts), m.From, m.Made.Format(time.RFC3339))
}

// keep writes a bundle to a new file, unless it is incomplete, and returns its manifest and its size.
func keep(file string, content io.Reader) (m *bundle.Manifest, size int64, err error) {
	part, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*") // only for this account
	if err != nil {
		return nil, 0, local(err)
	}
	defer func() { _ = os.Remove(part.Name()) }()
	defer func() { _ = part.Close() }()
	read := &reading{Reader: content}
	through := io.TeeReader(read, localWriter{part})
	m, err = bundle.Scan(through, func(string, int64, io.Reader) error { return nil })
	if err == nil {
		_, err = io.Copy(io.Discard, through)
	}
	var exit *term.Exit
	switch {
	case errors.As(err, &exit):
		return nil, 0, err
	case err != nil:
		return nil, 0, fmt.Errorf("nothing was written: %w", err)
	}
	if err := errors.Join(part.Sync(), part.Close()); err != nil {
		return nil, 0, local(err)
	}
	if err := os.Link(part.Name(), file); err != nil { // which, unlike a rename, replaces nothing
		return nil, 0, local(err)
	}
	return m, read.bytes, nil
}

// reading counts the bytes read.
type reading struct {
	io.Reader
	bytes int64
}

// Read implements io.Reader.
func (r *reading) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.bytes += int64(n)
	return n, err
}
