// SPDX-License-Identifier: Apache-2.0

package cni

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/hostaccess"
	"github.com/contiv/contiv/ofnet/link"
)

// publisher publishes ports of a host for endpoints; another program has port 9.
type publisher struct{ of map[string][]link.PortMapping }

func (p *publisher) Publish(_ context.Context, endpoint string, mappings []link.PortMapping) error {
	for _, m := range mappings {
		if m.Host.Port() == 9 {
			return fmt.Errorf("%w: %s leads to endpoint blue:net:other already; choose another port of the host", hostaccess.ErrPublish, m)
		}
	}
	p.of[endpoint] = mappings
	return nil
}

func (p *publisher) Published(endpoint string) (out []model.PublishedPort, err error) {
	for _, m := range p.of[endpoint] {
		out = append(out, model.PublishedPort{Protocol: link.ProtocolName(m.Protocol), Host: m.Host, Container: m.Container})
	}
	return out, nil
}

// The capabilities that a runtime passes take effect, or are refused with the name of the field, and then nothing is attached.
func TestRuntimeConfig(t *testing.T) {
	for _, r := range []struct{ name, conf, want string }{
		{"nothing", `{}`, "|  "},
		{"a port", `{"portMappings":[{"hostPort":8080,"containerPort":80,"protocol":"tcp"}]}`, "tcp/0.0.0.0:8080=80,tcp/[::]:8080=80|  "},
		{"of one address", `{"portMappings":[{"hostPort":53,"containerPort":53,"protocol":"UDP","hostIP":"127.0.0.1"}]}`, "udp/127.0.0.1:53=53|  "},
		{"SCTP", `{"portMappings":[{"hostPort":1,"containerPort":2,"protocol":"sctp","hostIP":"::"}]}`, "sctp/[::]:1=2|  "},
		{"no port of the host", `{"portMappings":[{"containerPort":80}]}`, "|  "},
		{"another's port", `{"portMappings":[{"hostPort":9,"containerPort":80}]}`, "leads to endpoint blue:net:other already"},
		{"no such protocol", `{"portMappings":[{"hostPort":9,"containerPort":80,"protocol":"gre"}]}`, `runtimeConfig.portMappings: 9 to 80 over \"gre\"`},
		{"no such port", `{"portMappings":[{"hostPort":70000,"containerPort":80}]}`, "runtimeConfig.portMappings: 70000"},
		{"no address", `{"portMappings":[{"hostPort":7,"containerPort":80,"hostIP":"x"}]}`, `hostIP \"x\" is not an address`},
		{"addresses", `{"ips":["10.1.1.9/24","2001:db8::9"],"mac":"02:02:00:00:00:07"}`, "|10.1.1.9 2001:db8::9 02:02:00:00:00:07"},
		{"two of a family", `{"ips":["10.1.1.9","10.1.1.8"]}`, "runtimeConfig.ips"},
		{"bandwidth", `{"bandwidth":{"ingressRate":18446744073709551615}}`, "runtimeConfig.bandwidth"},
	} {
		t.Run(r.name, func(t *testing.T) {
			e, p := &engine{}, &publisher{of: map[string][]link.PortMapping{}}
			s := server(e)
			s.Publisher = p
			conf := `{"cniVersion":"1.1.0","name":"n","runtimeConfig":` + r.conf + `}`
			a := do(t, s, call("ADD", conf))
			if a.Exit != 0 {
				if !strings.Contains(string(a.Stdout), r.want) || len(e.got) > 0 {
					t.Errorf("want a refusal with %q and nothing attached, got %s, attached %v", r.want, a.Stdout, e.got)
				}
				return
			}
			var all []link.PortMapping
			for _, list := range p.of {
				all = slices.Concat(all, list)
			}
			q := e.got["c1"]
			if got := link.JoinPortMappings(all) + "|" + q.IPv4 + " " + q.IPv6 + " " + q.MAC; got != r.want {
				t.Errorf("want %s, got %s", r.want, got)
			}
			if a := do(t, s, call("CHECK", conf)); a.Exit != 0 {
				t.Errorf("CHECK: want it good, got %s", a.Stdout)
			}
			clear(p.of)
			if a := do(t, s, call("CHECK", conf)); (a.Exit != 0) != (len(all) > 0) {
				t.Errorf("CHECK of ports that someone has taken away: got %d %s", a.Exit, a.Stdout)
			}
			if a := do(t, s, call("DEL", conf)); a.Exit != 0 || len(e.got) > 0 {
				t.Errorf("DEL: got %d %s, attached %v", a.Exit, a.Stdout, e.got)
			}
		})
	}
}

// An agent that publishes no ports refuses port mappings.
func TestNoPublisher(t *testing.T) {
	a := do(t, server(&engine{}), call("ADD", `{"cniVersion":"1.1.0","name":"n","runtimeConfig":{"portMappings":[{"hostPort":8080,"containerPort":80}]}}`))
	if a.Exit != 1 || !strings.Contains(string(a.Stdout), "runtimeConfig.portMappings") {
		t.Errorf("want a refusal that names the field, got %d %s", a.Exit, a.Stdout)
	}
}
