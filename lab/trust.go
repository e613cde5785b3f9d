// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/lab/hostinit"
	"github.com/contiv/contiv/setup"
	"github.com/contiv/contiv/trust"
)

// trustName is the directory of certificates: of the lab's users in its own directory, of a host in the host's.
const trustName = "trust"

// Trust is the directory for the programs of users on this machine: the value of CONTIV_TRUST.
func (p *Plan) Trust() trust.Dir { return trust.Dir(filepath.Join(p.Dir, trustName)) }

// HostTrust is the directory of a host's certificates, by its path on this machine.
func (p *Plan) HostTrust(host string) trust.Dir {
	if p.Joined {
		return trust.Dir(filepath.Join(p.hostDir(host), trust.DefaultDir))
	}
	return trust.Dir(filepath.Join(p.hostDir(host), trustName))
}

// trustFlags are the daemons' flags for it.
func (p *Plan) trustFlags() []string {
	if p.Insecure {
		return []string{"--insecure"}
	}
	return []string{"--trust", hostinit.Inside + "/" + trustName}
}

// scheme is that of netmasters' and agents' URLs.
func (p *Plan) scheme() string {
	if p.Insecure {
		return "http"
	}
	return "https"
}

// writeTrust creates the CA of the lab, certificates of all its hosts, and of its users: an admin, a monitor, and one that may query agents
// as netmasters do.
func (l *Lab) writeTrust() error {
	if l.Insecure || l.Bare || l.Joined {
		return nil
	}
	now := time.Now()
	a, err := trust.NewAuthority(now)
	if err != nil {
		return err
	}
	certificate, key, err := a.PEM()
	if err != nil {
		return err
	}
	own := l.Trust()
	if err := own.SaveAuthority(certificate, key); err != nil {
		return err
	}
	if err := errors.Join(own.Certify(a, trust.Identity{Role: trust.User, Name: setup.Admin}, now), looks(own, a, now)); err != nil {
		return err
	}
	for i := range l.Hosts {
		host := hostName(i + 1)
		d, names := l.HostTrust(host), []string{host, "localhost", "127.0.0.1", l.mgmt(i + 1)}
		shown := key
		if i+1 > l.Masters {
			shown = nil
		}
		if err := d.SaveAuthority(certificate, shown); err != nil {
			return err
		}
		if err := d.Certify(a, trust.Identity{Role: trust.Agent, Name: host}, now, names...); err != nil {
			return err
		}
		if shown == nil {
			continue
		}
		for _, who := range []trust.Identity{{Role: trust.Master, Name: host}, {Role: trust.User, Name: setup.Admin}} {
			if err := d.Certify(a, who, now, names...); err != nil {
				return err
			}
		}
	}
	return nil
}

// looks writes certificates for the lab's own checks of its hosts: as a monitor, and as a netmaster that queries agents.
func looks(own trust.Dir, a *trust.Authority, now time.Time) error {
	return errors.Join(own.Certify(a, trust.Identity{Role: trust.Monitor, Name: "lab"}, now), own.Certify(a, trust.Identity{Role: trust.Master, Name: "lab"}, now))
}

// handshakeTimeout is how long a process that does not run on may take before the next is tried.
const handshakeTimeout = 3 * time.Second

// HTTP reaches netmasters as an admin, or agents as a netmaster or a monitor.
func (l *Lab) HTTP(role trust.Role) (*http.Client, error) {
	t := &http.Transport{MaxIdleConnsPerHost: 16, TLSHandshakeTimeout: handshakeTimeout}
	if !l.Insecure && !l.Bare {
		h, err := trust.Open(l.Trust(), role)
		if err != nil {
			return nil, err
		}
		expect := trust.Master
		if role != trust.User {
			expect = trust.Agent
		}
		t.TLSClientConfig = h.Client(expect, "")
	}
	return &http.Client{Transport: t}, nil
}

// Client is a client of the netmasters, the running ones first.
func (l *Lab) Client() (*client.Client, error) {
	urls, err := l.MasterURLs()
	if err != nil {
		return nil, err
	}
	h, err := l.HTTP(trust.User)
	return &client.Client{Base: urls, HTTP: h}, err
}

// Env is the environment for netctl and the console, in addition to the machine's own.
func (l *Lab) Env() ([]string, error) {
	urls, err := l.MasterURLs()
	if err != nil {
		return nil, err
	}
	out := []string{"NETMASTER=" + urls}
	if !l.Insecure && !l.Bare {
		out = append(out, "CONTIV_TRUST="+string(l.Trust()))
	}
	return out, nil
}

// Environ is this process's environment with Env.
func (l *Lab) Environ() ([]string, error) {
	more, err := l.Env()
	if err != nil {
		return nil, fmt.Errorf("where the lab is: %w", err)
	}
	return append(os.Environ(), more...), nil
}
