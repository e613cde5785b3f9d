// SPDX-License-Identifier: Apache-2.0

package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/build"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/preferences"
	"github.com/contiv/contiv/console/remote"
	"github.com/contiv/contiv/netctl/contexts"
	"github.com/contiv/contiv/netctl/term"
)

// hostKeyName is the name of the file with the private key of the SSH server.
const hostKeyName = "ssh_host_ed25519_key"

// visits shows the console to visitors over SSH.
type visits struct {
	getenv func(string) string
	own    *preferences.Preferences // skins of this user, for all
	o      *options
}

// serve serves the console over SSH until ctx ends.
func serve(ctx context.Context, out io.Writer, getenv func(string) string, own *preferences.Preferences, o *options) error {
	for name, given := range map[string]bool{"--write": o.write, "--once": o.once, "--plain": o.plain, "--record": o.record != "", "--replay": o.replay != "", "--bundle": o.bundle != ""} {
		if given {
			return fmt.Errorf("got --serve and %s, want one of them: visitors look at the cluster, and change it with netctl", name)
		}
	}
	if o.hostKey == "" {
		path := contexts.Path(getenv, getenv("HOME"))
		if path == "" {
			return errors.New("--host-key: there is no directory for it: set XDG_CONFIG_HOME or HOME, or name a file")
		}
		o.hostKey = filepath.Join(filepath.Dir(path), hostKeyName)
	}
	v := &visits{getenv, own, o}
	s := &remote.Server{Address: o.serve, HostKey: o.hostKey, Keys: o.keys, Login: v.login, Show: v.show, Log: slog.New(slog.NewTextHandler(out, nil))}
	if err := s.Run(ctx, func(at net.Addr, fingerprint string) {
		fmt.Fprintf(out, "The console is at ssh://%s; the key of this server is %s\n", at, fingerprint)
	}); err != nil {
		return fmt.Errorf("--serve: %w", err)
	}
	return nil
}

// target returns where the requests of a visitor go: the cluster of a context, or if name is "" that of this user. Those of a context need the context's own user: without one, they would be those of
// the user of this process.
func (v *visits) target(name string) (term.Target, error) {
	chosen := name
	if chosen == "" {
		chosen = v.o.context
	}
	t, err := term.Choice{Netmaster: v.o.netmaster, Explicit: v.o.explicit, Context: chosen, Home: v.getenv("HOME"), Getenv: v.getenv}.Target()
	switch {
	case err != nil:
	case name == "" && t.Context != nil: // its cluster, without its user
		cluster := *t.Context
		cluster.Certificate, cluster.Key, cluster.Token = "", "", ""
		t.Context = &cluster
	case name != "" && t.Context.Certificate == "" && t.Context.Token == "":
		err = fmt.Errorf("context %s has no user: add a certificate or a token, which give the key its rights", name)
	}
	return t, err
}

// client returns the client of a visitor, without a token.
func (v *visits) client(t term.Target) (*client.Client, error) {
	base, err := client.Bases(t.Servers)
	if err != nil {
		return nil, err
	}
	transport, err := term.Transport{Home: v.getenv("HOME"), Getenv: v.getenv, Insecure: v.o.insecure, Context: t.Context, Visiting: true}.Transport(base)
	if err != nil {
		return nil, err
	}
	return &client.Client{Base: base, HTTP: &http.Client{Transport: transport}, Program: "console-ssh/" + build.Info().Version}, nil
}

// login begins a session of netmaster for a visitor with a password.
func (v *visits) login(ctx context.Context, user, password string) (string, error) {
	t, err := v.target("")
	if err != nil {
		return "", err
	}
	c, err := v.client(t)
	if err != nil {
		return "", err
	}
	status, answer, err := c.Login(ctx, user, password)
	if err != nil {
		return "", err
	}
	var token model.Token
	if err := json.Unmarshal(answer, &token); err != nil || status != http.StatusOK || token.Token == "" {
		return "", fmt.Errorf("netmaster answers %d: %.200s", status, strings.TrimSpace(string(answer)))
	}
	return token.Token, nil
}

// show shows the console to a visitor: the page of the command, or the first one. Without a terminal, it is in plain mode.
func (v *visits) show(ctx context.Context, who remote.Visitor, t *remote.Terminal) error {
	name := ""
	if who.Key != "" {
		name = who.Name
	}
	target, err := v.target(name)
	if err != nil {
		return err
	}
	c, err := v.client(target)
	if err != nil {
		return err
	}
	if c.Token = who.Token; name != "" {
		if c.Token, err = target.Token(); err != nil {
			return err
		}
	}
	c.Actor = func() string { return who.Name + "@" + who.From }
	o := *v.o
	if words := t.Command(); len(words) > 0 {
		o.screen = strings.Join(words, " ")
	}
	o.plain = !t.Interactive
	m, err := o.model(ctx, t.Environment, v.own) // without an editor, and without a file for views: nothing runs or is written here
	if err != nil {
		return err
	}
	f := feed.New(c, time.Now)
	m.cluster = f
	if o.plain {
		return runPlain(ctx, t, t, f, m, &o)
	}
	return v.interactive(ctx, t, f, m)
}

// interactive runs the console in a visitor's terminal.
func (v *visits) interactive(ctx context.Context, t *remote.Terminal, f *feed.Feed, m *Model) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	program := tea.NewProgram(m, append(t.Options, tea.WithContext(ctx), tea.WithFPS(framesASecond), tea.WithoutSignalHandler())...)
	m.InBackground(func() { program.Send(readyMsg{}) })
	fed := make(chan error, 1)
	go func() { fed <- f.Run(ctx, func(s *feed.Snapshot) { program.Send(s) }) }()
	go func() {
		for {
			select {
			case w, ok := <-t.Resized:
				if !ok {
					return
				}
				program.Send(tea.WindowSizeMsg{Width: w.Width, Height: w.Height})
			case <-ctx.Done():
				return
			}
		}
	}()
	_, err := program.Run()
	cancel()
	if errors.Is(err, tea.ErrProgramKilled) { // ctx ended
		err = nil
	}
	return errors.Join(err, <-fed)
}
