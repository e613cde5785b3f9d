// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/trust"
)

// Admin is the name of the user with which the first host's operator authenticates to netmaster.
const Admin = "admin"

// readyTimeout is how long a setup waits for a daemon to become ready.
const readyTimeout = 60 * time.Second

// Init makes a host the first one of a new cluster.
type Init struct {
	Host     *Host
	Wish     Wish
	Store    model.StoreSettings
	Hostname string
	Starter  Starter
	Now      func() time.Time
}

// Steps returns the steps of contiv init.
func (i *Init) Steps() []Step {
	h, w := i.Host, &i.Wish
	begun := time.Now()
	steps := []Step{h.begin(), h.authority(i.Now), h.founded(i.Now)}
	for _, role := range []trust.Role{trust.Master, trust.Agent} {
		steps = append(steps, h.certified(trust.Identity{Role: role, Name: w.Label}, w.hosts(i.Hostname), i.Now))
	}
	steps = append(steps,
		h.certified(trust.Identity{Role: trust.User, Name: Admin}, nil, i.Now),
		h.writeSettings(Netmaster, func() Env { return h.masterEnv(w, i.Store) }),
		h.writeSettings(Netplugin, func() Env { return h.agentEnv(w, []string{w.master()}) }),
		h.cni(),
		runs(i.Starter, Netmaster))
	if _, byHand := i.Starter.(ByHand); byHand {
		return append(steps, runs(i.Starter, Netplugin))
	}
	return append(steps, Step{Name: "wait for netmaster", Do: func(ctx context.Context) (string, error) { return i.leads(ctx, begun) }}, runs(i.Starter, Netplugin),
		h.healthy(w.Label, i.Starter, begun))
}

// leads waits until netmaster leads, and then registers the certificates issued before it ran. begun is when this command began.
func (i *Init) leads(ctx context.Context, begun time.Time) (string, error) {
	c, err := i.Host.Client(trust.User, readyTimeout, i.Wish.master())
	if err != nil {
		return "", err
	}
	held, _ := i.Host.Held()
	if err := c.RecordCertificates(ctx, model.RecordRequest{Certificates: held}); err != nil {
		return "", fmt.Errorf("it does not lead after %s: %s", readyTimeout, i.Host.reason(ctx, i.Starter, Netmaster, begun, err.Error()))
	}
	return "netmaster leads at " + i.Wish.master(), nil
}

// inspectSocket is the socket at which an agent reports its state to root.
const inspectSocket = "/run/contiv/contiv-agent.sock"

// healthy waits until the host's agent is healthy: netmasters know it, and its switch has what they send. begun is when this
// command began.
func (h *Host) healthy(label string, s Starter, begun time.Time) Step {
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", inspectSocket)
	}}
	c := &client.Client{Base: "http://agent", HTTP: &http.Client{Transport: transport}}
	return Step{Name: "wait for netplugin", Do: func(ctx context.Context) (string, error) {
		ctx, cancel := context.WithTimeout(ctx, readyTimeout)
		defer cancel()
		why := "it does not answer"
		err := await(ctx, func() bool {
			var status model.AgentStatus
			if err := c.Raw(ctx, "/status", &status); err != nil {
				return false
			}
			why = "it waits for " + strings.Join(status.Waiting, ", ")
			if len(status.Waiting) == 0 {
				why = fmt.Sprintf("the answering agent belongs to host %s", status.Host)
			}
			return status.Ready && status.Host == label
		})
		if err != nil {
			return "", fmt.Errorf("host %s is not healthy after %s: %s", label, readyTimeout, h.reason(ctx, s, Netplugin, begun, why))
		}
		return "host " + label + " is healthy", nil
	}}
}
