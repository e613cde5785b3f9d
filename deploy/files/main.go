// SPDX-License-Identifier: Apache-2.0

// Command files writes the files of packages that are not programs, below a directory that stands for the root of a host: units, the user
// of netmaster, manual pages and completions.
//
//	go run ./deploy/files -bin bin -o .cache/dist/root
package main

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/build"
	"github.com/contiv/contiv/console/app"
	netctl "github.com/contiv/contiv/netctl/command"
	"github.com/contiv/contiv/netctl/term"
	setup "github.com/contiv/contiv/setup/command"
	"github.com/contiv/contiv/setup/unit"
)

func main() {
	bin := flag.String("bin", "bin", "directory of the daemons, which list their flags")
	out := flag.String("o", "", "output directory, in which files are replaced")
	version := flag.String("version", build.Info().Version, "version of the programs")
	date := flag.Int64("date", 0, "time of the version, in seconds since 1970")
	flag.Parse()
	w := &writer{root: *out, pages: pages{version: *version, date: time.Unix(*date, 0).UTC().Format("2006-01-02")}}
	if err := w.all(*bin); err != nil {
		fmt.Fprintln(os.Stderr, "files:", err)
		os.Exit(1)
	}
}

// writer writes files below a root.
type writer struct {
	root  string
	pages pages
}

// all writes all files. It runs the daemons in bin.
func (w *writer) all(bin string) error {
	if w.root == "" {
		return fmt.Errorf("-o: got nothing, want a directory")
	}
	for _, daemon := range []string{"netmaster", "netplugin"} {
		text, err := unit.Render(daemon, unit.Packaged(daemon))
		if err == nil {
			err = w.write("/usr/lib/systemd/system/"+unit.Name(daemon), text)
		}
		if err != nil {
			return err
		}
		page, err := w.pages.daemon(filepath.Join(bin, daemon))
		if err == nil {
			err = w.compress("/usr/share/man/man8/"+daemon+".8.gz", page)
		}
		if err != nil {
			return err
		}
	}
	if err := w.write("/usr/lib/sysusers.d/contiv.conf", []byte(unit.Sysusers)); err != nil {
		return err
	}
	for _, root := range commands() {
		if err := w.command(root); err != nil {
			return err
		}
		if err := w.completions(root); err != nil {
			return err
		}
	}
	return nil
}

// commands returns the programs that have commands.
func commands() []*cobra.Command {
	silent := term.Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard}
	contiv := &cobra.Command{Use: "contiv", Short: "Contiv in a terminal"}
	contiv.AddCommand(app.NewCommand(silent.In, silent.Out, noEnvironment, func() string { return "" }))
	contiv.AddCommand(setup.New()...)
	return []*cobra.Command{contiv, netctl.Tree(&netctl.Factory{Streams: silent, Getenv: noEnvironment})}
}

// noEnvironment is an environment without variables.
func noEnvironment(string) string { return "" }

// command writes the manual pages of a command and the commands below it.
func (w *writer) command(c *cobra.Command) error {
	if !c.IsAvailableCommand() && c.HasParent() || c.Name() == "completion" {
		return nil
	}
	if err := w.compress("/usr/share/man/man1/"+pageName(c)+".1.gz", w.pages.command(c)); err != nil {
		return err
	}
	for _, below := range c.Commands() {
		if err := w.command(below); err != nil {
			return err
		}
	}
	return nil
}

// completions writes the completions of a program for each shell.
func (w *writer) completions(root *cobra.Command) error {
	for path, generate := range map[string]func(io.Writer) error{
		"/usr/share/bash-completion/completions/" + root.Name():         func(to io.Writer) error { return root.GenBashCompletionV2(to, true) },
		"/usr/share/zsh/vendor-completions/_" + root.Name():             root.GenZshCompletion,
		"/usr/share/fish/vendor_completions.d/" + root.Name() + ".fish": func(to io.Writer) error { return root.GenFishCompletion(to, true) },
	} {
		var text bytes.Buffer
		if err := generate(&text); err != nil {
			return fmt.Errorf("completions of %s: %w", root.Name(), err)
		}
		if err := w.write(path, text.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// write writes a file, which everyone can read.
func (w *writer) write(path string, text []byte) error {
	at := filepath.Join(w.root, path)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return err
	}
	return os.WriteFile(at, text, 0o644)
}

// compress writes a file compressed, the same bytes for the same text.
func (w *writer) compress(path string, text []byte) error {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(text); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return w.write(path, out.Bytes())
}
