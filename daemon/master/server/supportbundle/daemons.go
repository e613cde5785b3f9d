// SPDX-License-Identifier: Apache-2.0

package supportbundle

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/contiv/contiv/api/bundle"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/server/peer"
	"github.com/contiv/contiv/trust"
)

const (
	asksAtOnce = 8               // daemons that are asked at a time, whose answers are in memory until they are written
	firstWord  = 3 * time.Second // within which a daemon answers the first question, or is asked no other
)

// question is what a daemon is asked, and in which file the answer is.
type question struct {
	path, file string
	may        bool // it may have nothing to answer, which is no defect
}

// ofAgents and ofMasters are asked in this order; the first is small.
var (
	ofAgents = []question{
		{path: "/status", file: "status.json"}, {path: "/inspect/driver", file: "driver.json"}, {path: "/inspect/log", file: "log.txt"}, {path: "/metrics", file: "metrics.txt"},
		{path: "/inspect/flows", file: "flows.json"}, {path: "/inspect/drift", file: "drift.json"}, {path: "/inspect/findings", file: "findings.json"},
		{path: "/inspect/ports", file: "ports.json"}, {path: "/inspect/owners", file: "owners.json"}, {path: "/inspect/rules", file: "rules.json"},
		{path: "/inspect/services", file: "services.json"}, {path: "/inspect/malformed", file: "malformed.json"},
		{path: "/inspect/nameserver", file: "nameserver.json", may: true}, {path: "/inspect/bgp", file: "bgp.json", may: true},
	}
	ofMasters = []question{{path: "/api/v1/nodes/self", file: "self.json"}, {path: LogPath, file: "log.txt"}, {path: "/metrics", file: "metrics.txt"}}
)

// AgentFile is the file of a host with what its agent answers at a path; ok is false when it is not asked that.
func AgentFile(path string) (file string, ok bool) {
	i := slices.IndexFunc(ofAgents, func(q question) bool { return q.path == path })
	if i < 0 {
		return "", false
	}
	return ofAgents[i].file, true
}

// target is a daemon that is asked.
type target struct {
	role        trust.Role
	of, address string
	name        func(file string) string // of a file about it
	ask         []question
	silent      string // why it is not asked; "": it is
}

// reply has the answers of a daemon.
type reply struct {
	*target
	files   map[string][]byte // by the question's
	missing map[string]error  // by the question's; "": all
}

// daemons asks all agents and netmasters, and adds what they answer.
func (c *collector) daemons(ctx context.Context) error {
	targets := append(c.masters(), c.hosts()...)
	answers, turn := make(chan reply), make(chan struct{}, asksAtOnce)
	ctx, cancel := context.WithCancel(ctx)
	var wait sync.WaitGroup
	defer wait.Wait()
	defer cancel()
	wait.Go(func() {
		var asking sync.WaitGroup
		defer close(answers)
		defer asking.Wait()
		for i := range targets {
			select {
			case turn <- struct{}{}:
			case <-ctx.Done():
				return
			}
			asking.Go(func() {
				defer func() { <-turn }()
				select {
				case answers <- c.ask(ctx, &targets[i]):
				case <-ctx.Done():
				}
			})
		}
	})
	for s := range answers {
		if err := c.keep(&s); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// keep adds what a daemon has answered.
func (c *collector) keep(s *reply) error {
	if why := s.missing[""]; why != nil {
		c.miss(s.of, "", why)
	}
	for _, q := range s.ask {
		if why := s.missing[q.file]; why != nil {
			c.miss(s.of, q.file, why)
		}
		if text, ok := s.files[q.file]; ok {
			if err := c.add(s.name(q.file), "GET "+q.path+" of "+s.of, text); err != nil {
				return err
			}
		}
	}
	return nil
}

// ask asks one daemon, which is asked nothing more when it does not answer the first question.
func (c *collector) ask(ctx context.Context, t *target) reply {
	out := reply{target: t, files: map[string][]byte{}, missing: map[string]error{}}
	if t.silent != "" {
		out.missing[""] = errors.New(t.silent)
		return out
	}
	limit := firstWord
	for _, q := range t.ask {
		text, err := c.Peers.Fetch(ctx, t.role, t.address, q.path, bundle.MaxFile, limit)
		refused, answered := errors.AsType[*peer.StatusError](err)
		switch {
		case err == nil:
			out.files[q.file] = text
		case limit == firstWord && !answered:
			out.missing[""] = fmt.Errorf("at %s, %w", t.address, err)
			return out
		case answered && q.may && refused.Status != http.StatusForbidden:
		default:
			out.missing[q.file] = err
		}
		limit = peer.AskLimit
	}
	return out
}

// masters are the other netmasters that are registered.
func (c *collector) masters() (out []target) {
	for _, m := range c.Peers.Masters() {
		if m == c.Own {
			continue
		}
		out = append(out, target{role: trust.Master, of: "netmaster " + m, address: m, ask: ofMasters, name: func(file string) string { return bundle.OfMaster(m, file) }})
	}
	return out
}

// hosts are the agents of the hosts that are registered.
func (c *collector) hosts() (out []target) {
	c.Catalog.View(func(v *catalog.View) {
		for _, h := range v.Hosts() {
			t := target{role: trust.Agent, of: "host " + h.Label, ask: ofAgents, name: func(file string) string { return bundle.OfHost(h.Label, file) }}
			at := bundle.Host{Name: h.Label}
			if h.Control.IsValid() {
				t.address = h.Control.String()
				at.Address = t.address
			}
			c.manifest.Hosts = append(c.manifest.Hosts, at)
			if t.address == "" || !v.Running(h.Label) {
				t.silent = "its agent does not run, or cannot reach a netmaster"
			}
			out = append(out, t)
		}
	})
	return out
}
