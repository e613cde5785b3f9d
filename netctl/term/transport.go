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

	"github.com/contiv/contiv/trust"
)

// TrustVariable names the folder of the cluster's authority, and of the certificate of the one who types.
const TrustVariable = "CONTIV_TRUST"

// dialTimeout is for how long a machine is waited for that says nothing, before the next is asked.
const dialTimeout = 3 * time.Second

// Transport is how a person reaches netmasters.
type Transport struct {
	Home     string
	Getenv   func(string) string
	Insecure bool // any server certificate is accepted
}

// Transport reaches the netmasters of bases, URLs joined by commas. Those at https URLs prove to be of the person's cluster, and the person to them, by
// what Dir has; where there is no such folder, the machine's authorities count.
func (w Transport) Transport(bases string) (http.RoundTripper, error) {
	t := &http.Transport{DialContext: (&net.Dialer{Timeout: dialTimeout}).DialContext, Proxy: http.ProxyFromEnvironment}
	if !strings.Contains(bases, "https://") {
		return t, nil
	}
	t.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: w.Insecure}
	dir, err := w.Dir()
	if err != nil || w.Insecure {
		return t, err
	}
	if dir == "" {
		return strange{t}, nil
	}
	if dir.Has(trust.User) {
		holder, err := trust.Open(dir, trust.User)
		switch {
		case err == nil:
			t.TLSClientConfig = holder.Client(trust.Master, "")
			return holder.Explain(t), nil
		case !os.IsPermission(err): // a person without one has a login
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

// Dir is the folder with the authority that the person trusts: the one that the environment names, the person's own, or the host's; "" when there is none.
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
