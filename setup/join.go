// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"cmp"
	"context"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/trust"
)

// Invitation is what a host needs to join: a token, and the address of a netmaster.
type Invitation struct {
	Token   trust.Token
	Address string // "host:port"
}

// ParseInvitation parses TOKEN@ADDRESS. The port is optional.
func ParseInvitation(text string) (Invitation, error) {
	token, address, ok := strings.Cut(text, "@")
	if !ok || address == "" {
		return Invitation{}, fmt.Errorf("got %.20q..., want TOKEN@ADDRESS, as contiv token create prints it", text)
	}
	t, err := trust.ParseToken(token)
	if err != nil {
		return Invitation{}, err
	}
	if _, _, err := net.SplitHostPort(address); err != nil {
		address = net.JoinHostPort(strings.Trim(address, "[]"), MasterPort)
	}
	return Invitation{t, address}, nil
}

// String encodes the invitation in the format of ParseInvitation.
func (i Invitation) String() string { return i.Token.String() + "@" + i.Address }

// Join makes a host part of a cluster.
type Join struct {
	Host       *Host
	Wish       Wish
	Invitation Invitation
	Master     bool // the host runs a netmaster too
	Agent      bool
	Hostname   string
	Starter    Starter
	Store      func(cluster model.StoreSettings) (model.StoreSettings, error) // returns the store of this host's netmaster, given the cluster's

	answer model.JoinAnswer
}

// Steps returns the steps of contiv join.
func (j *Join) Steps() []Step {
	h, w := j.Host, &j.Wish
	begun := time.Now()
	steps := []Step{{Name: "join", Do: j.ask, Undo: h.authority(time.Now).Undo}, h.recorded(func() *model.Incarnation { return j.answer.Incarnation })}
	netmasters := func() []string {
		out := slices.Clone(j.answer.Netmasters)
		if j.Master && !slices.Contains(out, w.master()) {
			out = append([]string{w.master()}, out...)
		}
		return out
	}
	if j.Master {
		steps = append(steps, h.ownStoreDir(j.Starter, func() string { return j.answer.Store.Member }), h.writeSettings(Netmaster, func() Env { return h.masterEnv(w, j.answer.Store) }), runs(j.Starter, Netmaster))
	}
	if j.Agent {
		steps = append(steps, h.writeSettings(Netplugin, func() Env { return h.agentEnv(w, netmasters()) }), h.cni(), runs(j.Starter, Netplugin))
	}
	if _, byHand := j.Starter.(ByHand); byHand {
		return steps
	}
	if j.Master {
		steps = append(steps, h.serves(w.master(), j.Starter, begun))
	}
	if j.Agent {
		steps = append(steps, h.healthy(w.Label, j.Starter, begun))
	}
	return steps
}

// Visit returns a client of the invitation's netmaster, which it verifies by the token. It calls trusted with the authority's
// certificate.
func (i *Invitation) Visit(own *trust.Holder, trusted func(*x509.Certificate)) *client.Client {
	secure := trust.Pinned(i.Token.Pin, trusted)
	if own != nil {
		secure.GetClientCertificate = own.Client(trust.Master, "").GetClientCertificate
	}
	transport := &http.Transport{TLSClientConfig: secure, TLSHandshakeTimeout: dialTimeout, DisableKeepAlives: true}
	return &client.Client{Base: "https://" + i.Address, HTTP: &http.Client{Transport: transport}, Program: "contiv"}
}

// ask requests certificates, and saves them. A host that already has certificates of this cluster authenticates with them, so that
// the request can be repeated.
func (j *Join) ask(ctx context.Context) (string, error) {
	dir, w := j.Host.Trust(), &j.Wish
	request := model.JoinRequest{Token: j.Invitation.Token.String()}
	keys := map[trust.Role]*trust.Request{}
	certify := func(role trust.Role) (model.CertificateRequest, error) {
		r, err := trust.NewRequest(w.hosts(j.Hostname)...)
		if err != nil {
			return model.CertificateRequest{}, err
		}
		keys[role] = r
		return model.CertificateRequest{Name: w.Label, Request: string(r.PEM())}, nil
	}
	if j.Agent {
		c, err := certify(trust.Agent)
		if err != nil {
			return "", err
		}
		request.Agent = &c
	}
	if j.Master {
		c, err := certify(trust.Master)
		if err != nil {
			return "", err
		}
		request.Master = &model.MasterRequest{CertificateRequest: c, PeerURL: w.peerURL()}
	}
	var err error
	if j.answer, err = j.request(ctx, request); err != nil {
		return "", err
	}
	w.Settings = j.answer.Settings
	var key []byte
	if j.answer.AuthorityKey != "" {
		key = []byte(j.answer.AuthorityKey)
	}
	if err := dir.SaveAuthority([]byte(j.answer.Authority), key); err != nil {
		return "", err
	}
	for role, text := range map[trust.Role]string{trust.Agent: j.answer.Agent, trust.Master: j.answer.Master} {
		if keys[role] == nil {
			continue
		}
		pair, err := keys[role].Pair([]byte(text))
		if err == nil {
			err = dir.SavePair(role, pair)
		}
		if err != nil {
			return "", fmt.Errorf("certificate of the %s: %w", role, err)
		}
	}
	if j.Master && j.Store != nil {
		if j.answer.Store, err = j.Store(j.answer.Store); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("joined the cluster of %s as %s", j.Invitation.Address, w.Label), nil
}

// request sends the request to join. A netmaster may refuse a certificate that it accepted a moment before, because it was revoked
// meanwhile. The host then authenticates with another one, or only with the token.
func (j *Join) request(ctx context.Context, request model.JoinRequest) (model.JoinAnswer, error) {
	own, err := j.own(ctx)
	if err != nil {
		return model.JoinAnswer{}, err
	}
	for {
		c := j.Invitation.Visit(own, func(*x509.Certificate) {})
		c.Timeout = readyTimeout
		answer, err := c.Join(ctx, request)
		if err == nil || own == nil {
			return answer, err
		}
		next, ownErr := j.own(ctx)
		if ownErr != nil || next != nil && next.Identity() == own.Identity() {
			return answer, err
		}
		own = next
	}
}

// own returns the first of the host's certificates that the netmaster accepts, or nil if there is none: one may be revoked.
func (j *Join) own(ctx context.Context) (*trust.Holder, error) {
	for _, role := range []trust.Role{trust.Master, trust.Agent} {
		held, err := trust.Open(j.Host.Trust(), role)
		if err != nil {
			continue
		}
		same := slices.ContainsFunc(held.Trusted(), func(c *x509.Certificate) bool { return trust.Fingerprint(c) == j.Invitation.Token.Pin })
		if !same {
			return nil, fmt.Errorf("this host is %s of another cluster: run contiv leave to remove it from that one", held.Identity())
		}
		if _, err := j.Invitation.Visit(held, func(*x509.Certificate) {}).Version(ctx); err == nil {
			return held, nil
		}
	}
	return nil, nil
}

// serves waits until a netmaster is ready. begun is when this command began.
func (h *Host) serves(address string, s Starter, begun time.Time) Step {
	return Step{Name: "wait for netmaster", Do: func(ctx context.Context) (string, error) {
		c, err := h.Client(trust.Master, 0, address)
		if err != nil {
			return "", err
		}
		ctx, cancel := context.WithTimeout(ctx, readyTimeout)
		defer cancel()
		var node model.Node
		why := "it does not answer"
		err = await(ctx, func() bool {
			if err := c.Raw(ctx, "/api/v1/nodes/self", &node); err != nil {
				if ctx.Err() == nil {
					why = "it does not answer: " + err.Error()
				}
				return false
			}
			why = cmp.Or(node.Reason, "it gives no reason")
			return node.Ready
		})
		if err != nil {
			return "", fmt.Errorf("it is not ready after %s: %s", readyTimeout, h.reason(ctx, s, Netmaster, begun, why))
		}
		return "netmaster is ready at " + address, nil
	}}
}
