// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/trust"
)

// authority creates the authority of a new cluster. Its Undo removes all certificates and keys of this host.
func (h *Host) authority(now func() time.Time) Step {
	dir := h.Trust()
	return Step{
		Name: "the cluster's authority",
		Do: func(context.Context) (string, error) {
			if _, err := dir.Authority(); err == nil || !errors.Is(err, fs.ErrNotExist) {
				return "", err
			}
			if h.Member() {
				return "", fmt.Errorf("%s has certificates of another cluster: run contiv leave to remove this host from it", dir)
			}
			a, err := trust.NewAuthority(now())
			if err != nil {
				return "", err
			}
			certificate, key, err := a.PEM()
			if err != nil {
				return "", err
			}
			return "made the cluster's authority in " + string(dir), dir.SaveAuthority(certificate, key)
		},
		Undo: func(context.Context) (string, error) {
			if !h.Member() {
				return "", nil
			}
			return "removed the certificates in " + string(dir), dir.Remove()
		},
	}
}

// certified issues a certificate for this host with the authority's key, which this host has.
func (h *Host) certified(who trust.Identity, hosts []string, now func() time.Time) Step {
	dir := h.Trust()
	return Step{Name: "certificate of " + who.String(), Do: func(context.Context) (string, error) {
		if held, err := trust.Open(dir, who.Role); err == nil && held.Identity() == who && now().Before(trust.Due(held.Certificate())) {
			return "", nil
		}
		a, err := dir.Authority()
		if err != nil {
			return "", err
		}
		r, err := trust.NewRequest(hosts...)
		if err != nil {
			return "", err
		}
		c, err := a.Issue(r, who, now(), trust.Lifetime)
		if err != nil {
			return "", err
		}
		pair, err := r.Pair(trust.CertificatePEM(c))
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("issued a certificate for %s %s", who.Role, who.Name), dir.SavePair(who.Role, pair)
	}}
}

// Held returns the host's certificates, also as one PEM text.
func (h *Host) Held() (text string, all []*x509.Certificate) {
	for _, role := range []trust.Role{trust.Master, trust.Agent, trust.User} {
		if held, err := trust.Open(h.Trust(), role); err == nil {
			all = append(all, held.Certificate())
		}
	}
	return string(trust.CertificatePEM(all...)), all
}

// Client returns a client that authenticates to netmasters with the host's certificate of a role. The client retries requests that
// get no answer until the timeout.
func (h *Host) Client(role trust.Role, timeout time.Duration, netmasters ...string) (*client.Client, error) {
	return h.client(role, timeout, &net.Dialer{}, netmasters...)
}

// client is Client with a dialer.
func (h *Host) client(role trust.Role, timeout time.Duration, by *net.Dialer, netmasters ...string) (*client.Client, error) {
	held, err := trust.Open(h.Trust(), role)
	if err != nil {
		return nil, err
	}
	urls := make([]string, len(netmasters))
	for i, m := range netmasters {
		urls[i] = "https://" + strings.TrimPrefix(m, "https://")
	}
	transport := &http.Transport{TLSClientConfig: held.Client(trust.Master, ""), TLSHandshakeTimeout: dialTimeout, DisableKeepAlives: true, DialContext: by.DialContext}
	return &client.Client{Base: strings.Join(urls, ","), HTTP: &http.Client{Transport: transport}, Timeout: timeout, Program: "contiv"}, nil
}

// dialTimeout is the timeout of a connection to a netmaster.
const dialTimeout = 5 * time.Second

// Netmasters returns the addresses of netmasters from the settings of the host's daemons.
func (h *Host) Netmasters() []string {
	for _, daemon := range []string{Netplugin, Netmaster} {
		env := h.Settings(daemon)
		if list := env["CONTIV_NETPLUGIN_NETMASTERS"]; list != "" {
			return strings.Split(list, ",")
		}
		if own := env["CONTIV_NETMASTER_INTERNAL_ADDRESS"]; own != "" {
			return []string{own}
		}
	}
	return nil
}
