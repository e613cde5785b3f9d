// SPDX-License-Identifier: Apache-2.0

package trust

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"
)

// A Holder has a role's certificate and the cluster's authority, read from a directory. The TLS configurations that it returns
// follow the files when they change. Its methods are safe for concurrent use.
type Holder struct {
	dir  Dir
	role Role
	now  func() time.Time

	mu      sync.Mutex
	held    held
	revoked map[string]struct{} // serials
	open    map[*conn]struct{}
}

// held is the content of the files.
type held struct {
	pair     tls.Certificate
	identity Identity
	roots    *x509.CertPool
	trusted  []*x509.Certificate
	stamps   [2]stamp
}

// stamp identifies a version of a file, to detect changes.
type stamp struct {
	size int64
	at   time.Time
}

// Open reads the certificate of a role from a directory. An error names the file and the remedy.
func Open(dir Dir, role Role) (*Holder, error) {
	h := &Holder{dir: dir, role: role, now: time.Now, open: map[*conn]struct{}{}}
	return h, h.Reload()
}

// Reload reads the files again. If one of them is not usable, it returns an error and the previous content stays in use.
func (h *Holder) Reload() error {
	next, err := read(h.dir, h.role)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: this host is not a member of a secured cluster; create one with contiv init, or join one with contiv join TOKEN@ADDRESS", err)
	}
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.held = next
	return nil
}

func stamps(dir Dir, role Role) (out [2]stamp) {
	for i, path := range []string{dir.AuthorityFile(), dir.PairFile(role)} {
		if info, err := os.Stat(path); err == nil {
			out[i] = stamp{info.Size(), info.ModTime()}
		}
	}
	return out
}

func read(dir Dir, role Role) (out held, err error) {
	out.stamps = stamps(dir, role)
	text, err := dir.Trusted()
	if err != nil {
		return out, err
	}
	if out.trusted, err = ParseCertificates(text); err != nil {
		return out, fmt.Errorf("read %s: %w", dir.AuthorityFile(), err)
	}
	out.roots = x509.NewCertPool()
	for _, c := range out.trusted {
		out.roots.AddCert(c)
	}
	path := dir.PairFile(role)
	if out.pair, err = tls.LoadX509KeyPair(path, path); err != nil {
		return out, err
	}
	if out.identity, err = Of(out.pair.Leaf); err != nil {
		return out, fmt.Errorf("read %s: %w", path, err)
	}
	for _, c := range out.trusted { // a client that knows only the authority's fingerprint needs its certificate
		if out.pair.Leaf.CheckSignatureFrom(c) == nil {
			out.pair.Certificate = append(out.pair.Certificate, c.Raw)
			break
		}
	}
	if out.identity.Role != role {
		return out, fmt.Errorf("%s is a certificate of %s, want role %s", path, out.identity, role)
	}
	return out, nil
}

func (h *Holder) current() held {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.held
}

// Identity returns the identity in the holder's certificate.
func (h *Holder) Identity() Identity { return h.current().identity }

// Certificate returns the holder's certificate.
func (h *Holder) Certificate() *x509.Certificate { return h.current().pair.Leaf }

// Trusted returns the authority's certificates.
func (h *Holder) Trusted() []*x509.Certificate { return h.current().trusted }

// Dir returns the holder's directory.
func (h *Holder) Dir() Dir { return h.dir }

// look is the interval at which Watch checks the files for changes.
const look = 5 * time.Second

// Watch reads the files again whenever they have changed. It blocks until ctx ends.
func (h *Holder) Watch(ctx context.Context, log *slog.Logger) {
	tick := time.NewTicker(look)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if stamps(h.dir, h.role) == h.current().stamps {
			continue
		}
		if err := h.Reload(); err != nil {
			log.Error("changed certificates are not usable; keeping the previous ones", "error", err)
			continue
		}
		log.Info("reloaded certificates", "identity", h.Identity().String(), "until", h.Certificate().NotAfter)
	}
}

// Revoke replaces the set of revoked certificates, given by their serials. The holder refuses these certificates, and closes the
// connections of Listen and of Dialer whose peer has shown one of them.
func (h *Holder) Revoke(serials []string) {
	h.mu.Lock()
	h.revoked = make(map[string]struct{}, len(serials))
	for _, s := range serials {
		h.revoked[s] = struct{}{}
	}
	var end []*conn
	for c := range h.open {
		if _, ok := h.revoked[c.serial]; ok && c.serial != "" {
			end = append(end, c)
		}
	}
	h.mu.Unlock()
	for _, c := range end {
		_ = c.Close()
	}
}

// RevokedReason returns an error text with the remedy if the holder's own certificate is among those last passed to Revoke, else "".
func (h *Holder) RevokedReason() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.refused(h.held.pair.Leaf); err != nil {
		return err.Error() + ": join again with contiv join --master TOKEN@ADDRESS, or leave with contiv leave"
	}
	return ""
}

// verify checks a certificate that a peer has shown: its chain, its use, its revocation, and its role.
func (h *Holder) verify(chain []*x509.Certificate, use x509.ExtKeyUsage, accept func(Identity) error) ([][]*x509.Certificate, error) {
	now := h.current()
	between := x509.NewCertPool()
	for _, c := range chain[1:] {
		between.AddCert(c)
	}
	verified, err := chain[0].Verify(x509.VerifyOptions{Roots: now.roots, Intermediates: between, CurrentTime: h.now(), KeyUsages: []x509.ExtKeyUsage{use}})
	if err != nil {
		return nil, explained(err, chain[0], h.now())
	}
	who, err := Of(chain[0])
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	err = h.refused(chain[0])
	h.mu.Unlock()
	if err == nil {
		err = accept(who)
	}
	if err != nil {
		return nil, &rejected{who, err}
	}
	return verified, nil
}

// oneOf accepts identities that have one of some roles.
func oneOf(roles []Role) func(Identity) error {
	return func(i Identity) error {
		if len(roles) == 0 || slices.Contains(roles, i.Role) {
			return nil
		}
		return fmt.Errorf("%s does not have the role %s", i, roles[0])
	}
}
