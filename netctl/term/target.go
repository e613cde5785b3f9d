// SPDX-License-Identifier: Apache-2.0

package term

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/contiv/contiv/netctl/contexts"
	"github.com/contiv/contiv/trust"
)

// Target is where the requests of a user go, and as whom.
type Target struct {
	Servers string            // base URLs of netmasters, joined by commas
	Context *contexts.Context // nil: none applies
	Config  *contexts.Config  // of Context
	home    string
}

// Choice is what a user has chosen.
type Choice struct {
	Netmaster string // of the flag, or its default
	Explicit  bool   // the flag is on the command line
	Context   string // of the flag; "": the current context of the user's file
	Home      string
	Getenv    func(string) string
}

// Target returns the target of a choice. A context that the command line names comes first, then the flag and the variable NETMASTER, then the current
// context, and then the default. With a context on the command line, the flag replaces only the servers of the context.
func (c Choice) Target() (Target, error) {
	t := Target{Servers: c.Netmaster, home: c.Home}
	if c.Context == "" && (c.Explicit || c.Getenv("NETMASTER") != "") {
		return t, nil
	}
	config, err := contexts.Load(contexts.Path(c.Getenv, c.Home))
	if err != nil {
		return t, err
	}
	name := c.Context
	if name == "" {
		name = config.Current()
	}
	if name == "" {
		return t, nil
	}
	if t.Context, err = config.Context(name); err != nil {
		return t, err
	}
	t.Config = config
	if !c.Explicit && len(t.Context.Servers) > 0 {
		t.Servers = strings.Join(t.Context.Servers, ",")
	}
	return t, nil
}

// Token reads the session of netctl login for the target; "" if no one is logged in. A session is sent to no other cluster.
func (t Target) Token() (string, error) {
	if t.Context == nil {
		return Token(t.home)
	}
	if t.Context.Token == "" {
		return "", nil
	}
	return readToken(t.Context.Token)
}

// TokenPath returns the path of the session; "" if there is none.
func (t Target) TokenPath() string {
	if t.Context == nil {
		return LoginPath(t.home)
	}
	return t.Context.Token
}

// Keep stores the answer of a login where Token finds it. A context without a path for it gets one.
func (t Target) Keep(answer []byte) error {
	path := t.TokenPath()
	if path == "" {
		path = t.Config.TokenFile(t.Context.Name)
	}
	if err := contexts.WritePrivate(path, answer); err != nil || t.TokenPath() != "" {
		return err
	}
	t.Config.Set(contexts.Context{Name: t.Context.Name, Token: path})
	return t.Config.Save()
}

// trusts reports whether the context names an authority or a certificate.
func (w Transport) trusts() bool {
	return w.Context != nil && (w.Context.CA != "" || w.Context.Certificate != "")
}

// ofContext returns a round tripper with the authority and the certificate of the context. Without an authority in the context, that of Dir counts.
func (w Transport) ofContext(t *http.Transport) (http.RoundTripper, error) {
	file := w.Context.CA
	if dir, err := w.Dir(); file == "" && err == nil && dir != "" {
		file = dir.AuthorityFile()
	}
	var to http.RoundTripper = t
	switch {
	case w.Insecure:
	case file == "":
		to = strange{t}
	default:
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("context %s: ca: %w", w.Context.Name, err)
		}
		trusted, err := trust.ParseCertificates(text)
		if err != nil {
			return nil, fmt.Errorf("context %s: ca: read %s: %w", w.Context.Name, file, err)
		}
		t.TLSClientConfig = trust.Visitor(trusted)
	}
	if w.Context.Certificate != "" {
		key := w.Context.Key
		if key == "" {
			key = w.Context.Certificate
		}
		pair, err := tls.LoadX509KeyPair(w.Context.Certificate, key)
		if err != nil {
			return nil, fmt.Errorf("context %s: certificate: %w", w.Context.Name, err)
		}
		t.TLSClientConfig.Certificates = []tls.Certificate{pair}
	}
	return to, nil
}
