// SPDX-License-Identifier: Apache-2.0

// Package remote serves the console over SSH. A visitor has the rights of a user: that of the context of a key, or the one whose password
// netmaster accepts. There is no shell, no forwarding of ports and no transfer of files.
package remote

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/ssh"
	"charm.land/wish/v2"
	"charm.land/wish/v2/bubbletea"
	xssh "golang.org/x/crypto/ssh"
)

const (
	idleTimeout      = time.Hour
	handshakeTimeout = 30 * time.Second
	closeTimeout     = 5 * time.Second
	// sessionsAtOnce bounds the concurrent sessions: each holds a copy of the cluster's state.
	sessionsAtOnce = 32
)

// Visitor is who has logged in.
type Visitor struct {
	Name  string // of the context, or of the user
	Token string // of the session that netmaster has begun with a password; "": the context's rights
	From  string // the visitor's address
	Key   string // fingerprint of the key; "": a password
}

// Terminal is what a visitor looks at.
type Terminal struct {
	ssh.Session
	Interactive bool                // the visitor has a terminal, not merely a stream
	Options     []tea.ProgramOption // of a program in the terminal
	Resized     <-chan ssh.Window   // of the terminal
	Environment func(string) string // of the visitor's terminal: TERM, COLORTERM and NO_COLOR only
}

// Server serves the console.
type Server struct {
	Address string // host:port
	HostKey string // path of the private key of this server, which is made if it is missing
	Keys    string // path of the authorized keys; "": only passwords. It is read at each login
	// Login begins a session of a user by a password, and returns its token. It blocks until netmaster has answered.
	Login func(ctx context.Context, user, password string) (token string, err error)
	// Show shows the console to a visitor, until the visitor or ctx ends it.
	Show func(ctx context.Context, v Visitor, t *Terminal) error
	Log  *slog.Logger
}

// tokenKey is the key of the token in the context of a connection.
type tokenKey struct{}

// Run serves until ctx ends. listening is called with the address, and the fingerprint of the server's key.
func (s *Server) Run(ctx context.Context, listening func(at net.Addr, fingerprint string)) error {
	if _, err := readKeys(s.Keys); err != nil {
		return err
	}
	places := make(chan struct{}, sessionsAtOnce)
	options := []ssh.Option{wish.WithHostKeyPath(s.HostKey), wish.WithIdleTimeout(idleTimeout), wish.WithPasswordAuth(s.password),
		wish.WithMiddleware(func(ssh.Handler) ssh.Handler { return func(v ssh.Session) { s.visit(ctx, v, places) } })}
	if s.Keys != "" {
		options = append(options, wish.WithPublicKeyAuth(s.key))
	}
	server, err := wish.NewServer(options...)
	if err != nil {
		return fmt.Errorf("host key %s: %w", s.HostKey, err)
	}
	server.HandshakeTimeout = handshakeTimeout
	server.ConnectionFailedCallback = func(c net.Conn, err error) {
		s.Log.Info("ssh connection failed", "from", c.RemoteAddr().String(), "error", err)
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.Address)
	if err != nil {
		return err
	}
	listening(l.Addr(), xssh.FingerprintSHA256(server.HostSigners[0].PublicKey()))
	stop := context.AfterFunc(ctx, func() {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
		defer cancel()
		_ = server.Shutdown(last)
		_ = server.Close()
	})
	defer stop()
	if err := server.Serve(l); !errors.Is(err, ssh.ErrServerClosed) {
		return err
	}
	return nil
}

// password accepts the password of a user that netmaster accepts.
func (s *Server) password(ctx ssh.Context, password string) bool {
	token, err := s.Login(ctx, ctx.User(), password)
	if err != nil {
		s.Log.Warn("ssh login refused", "user", ctx.User(), "from", ctx.RemoteAddr().String(), "error", err)
		return false
	}
	ctx.SetValue(tokenKey{}, token)
	return true
}

// key accepts a key of the context whose name is the user's.
func (s *Server) key(ctx ssh.Context, key ssh.PublicKey) bool {
	keys, err := readKeys(s.Keys)
	if err != nil {
		s.Log.Error("cannot read the authorized keys", "error", err)
		return false
	}
	for _, k := range keys[ctx.User()] {
		if ssh.KeysEqual(k, key) {
			return true
		}
	}
	return false
}

// visit shows the console to a visitor.
func (s *Server) visit(ctx context.Context, session ssh.Session, places chan struct{}) {
	select {
	case places <- struct{}{}:
		defer func() { <-places }()
	default:
		wish.Fatalf(session, "contiv: got more than %d sessions at once: try again when one has ended\r\n", sessionsAtOnce)
		return
	}
	v := Visitor{Name: session.User(), From: session.RemoteAddr().String()}
	if key := session.PublicKey(); key != nil {
		v.Key = xssh.FingerprintSHA256(key)
	} else {
		v.Token, _ = session.Context().Value(tokenKey{}).(string)
		if v.Token == "" { // neither a key nor a password: nobody
			wish.Fatalf(session, "contiv: got no key and no password\r\n")
			return
		}
	}
	log := s.Log.With("user", v.Name, "from", v.From)
	log.Info("ssh session started", "key", v.Key, "command", session.RawCommand())
	began := time.Now()
	t, err := terminalOf(session), error(nil)
	inner, cancel := context.WithCancel(session.Context())
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	if err = s.Show(inner, v, t); err != nil {
		wish.Errorf(session, "contiv: %v\r\n", err)
	}
	log.Info("ssh session ended", "after", time.Since(began).Round(time.Second), "error", err)
	code := 0
	if err != nil {
		code = 1
	}
	_ = session.Exit(code)
}

// terminalOf returns the terminal of a session.
func terminalOf(session ssh.Session) *Terminal {
	pty, resized, interactive := session.Pty()
	return &Terminal{Session: session, Interactive: interactive, Resized: resized, Options: bubbletea.MakeOptions(session), Environment: func(name string) string {
		switch name {
		case "TERM":
			return pty.Term
		case "COLORTERM", "NO_COLOR":
			for _, entry := range session.Environ() {
				if len(entry) > len(name) && entry[:len(name)+1] == name+"=" {
					return entry[len(name)+1:]
				}
			}
		}
		return ""
	}}
}
