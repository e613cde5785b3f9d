// SPDX-License-Identifier: Apache-2.0

package alert

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/model"

	"github.com/contiv/contiv/daemon/flags"
)

// path is where Alertmanager accepts alerts.
const path = "/api/v2/alerts"

// Settings name the receivers of alerts.
type Settings struct {
	Receivers []string // URLs
	CA        string   // file; "": the machine's authorities
	TokenFile string   // "": requests have no token
	Labels    []string // "name=value"
}

// Register adds the flags.
func (s *Settings) Register(set *flags.Set) {
	set.List(&s.Receivers, "alert-webhook", "ALERT_WEBHOOK", "Alertmanagers that receive alerts about findings, such as https://alertmanager.example.org:9093, each of them all alerts (default: none)")
	set.String(&s.CA, "alert-ca-file", "ALERT_CA_FILE", "", "PEM file with the authorities that certify the servers of --alert-webhook (default: those of the machine)")
	set.String(&s.TokenFile, "alert-token-file", "ALERT_TOKEN_FILE", "", "file with a bearer token for --alert-webhook; it is read again for each request (default: none)")
	set.List(&s.Labels, "alert-labels", "ALERT_LABELS", "labels NAME=VALUE that each alert gets, such as cluster=prod")
}

// Check validates the flags.
func (s *Settings) Check() error {
	return flags.All(s.checkReceivers, func() error { _, err := s.labels(); return err }, func() error { _, err := s.authorities(); return err })
}

func (s *Settings) checkReceivers() error {
	for _, text := range s.Receivers {
		u, err := url.Parse(text)
		switch {
		case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "":
			return fmt.Errorf("--alert-webhook %s: want the URL of an Alertmanager, such as https://alertmanager.example.org:9093", text)
		case u.User != nil:
			return fmt.Errorf("--alert-webhook %s: want a URL without a user: put a token into the file that --alert-token-file names", u.Redacted())
		case s.TokenFile != "" && u.Scheme != "https":
			return fmt.Errorf("--alert-webhook %s: want https, because --alert-token-file is set: the token would be readable on the network", text)
		}
	}
	return nil
}

// labels returns the labels that each alert gets.
func (s *Settings) labels() (model.LabelSet, error) {
	out := model.LabelSet{}
	for _, text := range s.Labels {
		name, value, ok := strings.Cut(text, "=")
		l := model.LabelName(name)
		switch {
		case !ok || !model.LegacyValidation.IsValidLabelName(name) || value == "" || !model.LabelValue(value).IsValid():
			return nil, fmt.Errorf("--alert-labels %s: want NAME=VALUE, such as cluster=prod", text)
		case slices.Contains(ownLabels(), l):
			return nil, fmt.Errorf("--alert-labels %s: alerts have a label %s already: choose another name", text, name)
		}
		out[l] = model.LabelValue(value)
	}
	return out, nil
}

// authorities returns the pool of --alert-ca-file, nil for the machine's authorities.
func (s *Settings) authorities() (*x509.CertPool, error) {
	if s.CA == "" {
		return nil, nil
	}
	text, err := os.ReadFile(s.CA)
	if err != nil {
		return nil, fmt.Errorf("--alert-ca-file: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("--alert-ca-file %s: got no certificate, want some in PEM", s.CA)
	}
	return pool, nil
}

// Open adds the receivers and the labels of alerts to a configuration. The settings have passed Check.
func (s *Settings) Open(c Config) (Config, error) {
	pool, err := s.authorities()
	if err != nil {
		return c, err
	}
	if c.Labels, err = s.labels(); err != nil {
		return c, err
	}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, MaxIdleConnsPerHost: 1, IdleConnTimeout: 90 * time.Second}
	for _, text := range s.Receivers {
		if base := strings.TrimSuffix(text, "/"); strings.HasSuffix(base, path) {
			text = base
		} else {
			text = base + path
		}
		if r := NewReceiver(text, s.TokenFile, transport); !slices.ContainsFunc(c.Receivers, func(other *Receiver) bool { return other.ID == r.ID }) {
			c.Receivers = append(c.Receivers, r)
		}
	}
	return c, nil
}
