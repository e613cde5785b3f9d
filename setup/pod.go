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

// Pod is a daemon's pod, whose certificates a container that runs before it puts into a folder of their own.
type Pod struct {
	Trust   trust.Dir // is written
	Label   string    // of the host: the node's name
	Address string    // at which others reach it
	Now     func() time.Time
}

// hosts are what a daemon of the pod is certified for.
func (p *Pod) hosts() []string {
	out := []string{p.Label, p.Address, "localhost", "127.0.0.1"}
	slices.Sort(out)
	return slices.Compact(out)
}

// Netmaster certifies the pod's netmaster, and an administrator for commands within the pod, by the authority and its key in a folder that is read.
func (p *Pod) Netmaster(authority trust.Dir) (string, error) {
	a, err := authority.Authority()
	if err != nil {
		return "", fmt.Errorf("%w: contiv cert authority makes one", err)
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
	return "certified the netmaster of " + p.Label, nil
}

// Agent has a netmaster certify the pod's agent, which proves its node by a service account token in a file. A certificate that the folder has from the same authority
// is kept while it counts. It blocks until a netmaster has answered, or ctx ends.
func (p *Pod) Agent(ctx context.Context, authorityFile, tokenFile string, netmasters []string) (string, error) {
	text, err := os.ReadFile(authorityFile)
	if err != nil {
		return "", fmt.Errorf("%w: it is the certificate of the netmasters' authority, ca.crt", err)
	}
	trusted, err := trust.ParseCertificates(text)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", authorityFile, err)
	}
	if held, err := trust.Open(p.Trust, trust.Agent); err == nil && held.Identity().Name == p.Label && held.Certificate().NotAfter.After(p.Now()) {
		for _, c := range trusted {
			if held.Certificate().CheckSignatureFrom(c) == nil {
				return fmt.Sprintf("agent %s is certified until %s", p.Label, held.Certificate().NotAfter.UTC().Format(time.RFC3339)), nil
			}
		}
	}
	if len(netmasters) == 0 {
		return "", errors.New("no netmaster is named: CONTIV_NETPLUGIN_NETMASTERS says where they are, as ADDRESS:9999,ADDRESS:9999")
	}
	token, err := os.ReadFile(tokenFile)
	if err != nil {
		return "", fmt.Errorf("%w: the manifest has the kubelet write it", err)
	}
	r, err := trust.NewRequest(p.hosts()...)
	if err != nil {
		return "", err
	}
	urls := make([]string, len(netmasters))
	for i, m := range netmasters {
		urls[i] = "https://" + m
	}
	way := &http.Transport{TLSClientConfig: trust.Visitor(trusted), TLSHandshakeTimeout: dialLimit, DisableKeepAlives: true}
	c := client.Client{Base: strings.Join(urls, ","), HTTP: &http.Client{Transport: way, Timeout: podPatience}, Timeout: podPatience, Program: "contiv"}
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
	return "certified the agent of " + p.Label, nil
}

// podPatience is for how long a pod waits for a netmaster before it says that there is none. The kubelet starts it again.
const podPatience = 30 * time.Second
