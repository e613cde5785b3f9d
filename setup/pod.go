// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/trust"
)

// Pod is a daemon's pod. An init container writes its certificates into a directory.
type Pod struct {
	Trust   trust.Dir // written by the init container
	Label   string    // of the host: the node's name
	Address string    // at which other hosts reach it
	Now     func() time.Time
}

// hosts returns the names and addresses in the certificate of a daemon in the pod.
func (p *Pod) hosts() []string {
	out := []string{p.Label, p.Address, "localhost", "127.0.0.1"}
	slices.Sort(out)
	return slices.Compact(out)
}

// Netmaster issues certificates for the pod's netmaster and for an administrator, who runs commands within the pod, with the
// authority from a directory.
func (p *Pod) Netmaster(authority trust.Dir) (string, error) {
	a, err := authority.Authority()
	if err != nil {
		return "", fmt.Errorf("%w: run contiv cert authority to make an authority", err)
	}
	certificates, err := authority.Trusted()
	if err != nil {
		return "", err
	}
	_, key, err := a.PEM()
	if err != nil {
		return "", err
	}
	if err := p.Trust.SaveAuthority(certificates, key); err != nil {
		return "", err
	}
	for _, who := range []trust.Identity{{Role: trust.Master, Name: p.Label}, {Role: trust.User, Name: Admin}} {
		if err := p.Trust.Certify(a, who, p.Now(), p.hosts()...); err != nil {
			return "", err
		}
	}
	return "issued a certificate for the netmaster of " + p.Label, nil
}

// Agent has a netmaster issue a certificate for the pod's agent, which proves its node with a service account token from a file. It
// keeps a valid certificate of the same authority. It blocks until a netmaster has answered, or ctx ends.
func (p *Pod) Agent(ctx context.Context, authorityFile, tokenFile string, netmasters []string) (string, error) {
	text, err := os.ReadFile(authorityFile)
	if err != nil {
		return "", fmt.Errorf("%w: want the certificate of the netmasters' authority, ca.crt", err)
	}
	trusted, err := trust.ParseCertificates(text)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", authorityFile, err)
	}
	if held, err := trust.Open(p.Trust, trust.Agent); err == nil && held.Identity().Name == p.Label && held.Certificate().NotAfter.After(p.Now()) {
		for _, c := range trusted {
			if held.Certificate().CheckSignatureFrom(c) == nil {
				return fmt.Sprintf("the certificate of agent %s is valid until %s", p.Label, held.Certificate().NotAfter.UTC().Format(time.RFC3339)), nil
			}
		}
	}
	if len(netmasters) == 0 {
		return "", errors.New("no netmaster is named: set CONTIV_NETPLUGIN_NETMASTERS to their addresses, as ADDRESS:9999,ADDRESS:9999")
	}
	token, err := os.ReadFile(tokenFile)
	if err != nil {
		return "", fmt.Errorf("%w: the kubelet writes this token, if the manifest projects it", err)
	}
	r, err := trust.NewRequest(p.hosts()...)
	if err != nil {
		return "", err
	}
	urls := make([]string, len(netmasters))
	for i, m := range netmasters {
		urls[i] = "https://" + m
	}
	transport := &http.Transport{TLSClientConfig: trust.Visitor(trusted), TLSHandshakeTimeout: dialTimeout, DisableKeepAlives: true}
	c := client.Client{Base: strings.Join(urls, ","), HTTP: &http.Client{Transport: transport, Timeout: podTimeout}, Timeout: podTimeout, Program: "contiv"}
	answer, err := c.Join(ctx, model.JoinRequest{Pod: strings.TrimSpace(string(token)), Agent: &model.CertificateRequest{Name: p.Label, Request: string(r.PEM())}})
	if err != nil {
		return "", err
	}
	pair, err := r.Pair([]byte(answer.Agent))
	if err != nil {
		return "", err
	}
	if err := errors.Join(p.Trust.SaveAuthority([]byte(answer.Authority), nil), p.Trust.SavePair(trust.Agent, pair)); err != nil {
		return "", err
	}
	return "issued a certificate for the agent of " + p.Label, nil
}

// podTimeout is how long a pod waits for a netmaster before it fails. The kubelet then restarts it.
const podTimeout = 30 * time.Second
