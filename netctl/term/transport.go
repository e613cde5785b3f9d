// SPDX-License-Identifier: Apache-2.0

package term

import (
	"cmp"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/contiv/contiv/netctl/contexts"
	"github.com/contiv/contiv/trust"
)

// TrustVariable names the directory of the cluster's authority, and of the user's certificate.
const TrustVariable = "CONTIV_TRUST"

// dialTimeout is how long an unresponsive machine may take before the next is tried.
const dialTimeout = 3 * time.Second

// Transport is the way in which a user reaches netmasters.
type Transport struct {
	Home     string
	Getenv   func(string) string
	Insecure bool              // any server certificate is accepted
	Context  *contexts.Context // nil: none applies
	// Visiting: the requests are those of someone else than the user of this process, whose certificate they must not have.
	Visiting bool
}

// Transport returns a round tripper for the netmasters at bases, URLs joined by commas. Those at https URLs are authenticated by the
// authority in Dir, and the user by the certificate there; without such a directory, the machine's authorities count.
func (w Transport) Transport(bases string) (http.RoundTripper, error) {
	// The kernel accepts connections for a process that does not run on.
	t := &http.Transport{DialContext: (&net.Dialer{Timeout: dialTimeout}).DialContext, TLSHandshakeTimeout: dialTimeout, Proxy: http.ProxyFromEnvironment}
	if !strings.Contains(bases, "https://") {
		return t, nil
	}
	t.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: w.Insecure}
	if w.trusts() {
		return w.ofContext(t)
	}
	dir, err := w.Dir()
	if err != nil || w.Insecure {
		return t, err
	}
	if dir == "" {
		return strange{t}, nil
	}
	if dir.Has(trust.User) && !w.Visiting {
		holder, err := trust.Open(dir, trust.User)
		switch {
		case err == nil:
			t.TLSClientConfig = holder.Client(trust.Master, "")
			return holder.Explain(t), nil
		case !os.IsPermission(err): // a user without a certificate has a login
			return nil, err
		}
	}
	text, err := dir.Trusted()
	if err != nil {
		return nil, err
	}
	trusted, err := trust.ParseCertificates(text)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", dir.AuthorityFile(), err)
	}
	t.TLSClientConfig = trust.Visitor(trusted)
	return t, nil
}

// Dir returns the directory of the trusted authority: the one in the environment, the user's own, or the host's; "" if there is none.
func (w Transport) Dir() (trust.Dir, error) {
	if named := w.Getenv(TrustVariable); named != "" {
		if _, err := os.Stat(trust.Dir(named).AuthorityFile()); err != nil {
			return "", fmt.Errorf("%s: %w; it must be the directory of the cluster's certificates", TrustVariable, err)
		}
		return trust.Dir(named), nil
	}
	for _, path := range []string{filepath.Join(cmp.Or(w.Home, "/"), ".netctl", "trust"), trust.DefaultDir} {
		if _, err := os.Stat(trust.Dir(path).AuthorityFile()); err == nil {
			return trust.Dir(path), nil
		}
	}
	return "", nil
}
