// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/flags"
	"github.com/contiv/contiv/trust"
)

// Readdress changes the address of a host. Until the change is complete, also after an interruption, the host has certificates for
// both addresses.
type Readdress struct {
	Host    *Host
	Label   string
	Address netip.Addr // the new one
	VTEP    netip.Addr // end of the tunnels; the zero Addr: Address if it is a previous address now, else unchanged
	Starter Starter
	// Operator means that requests to netmasters use the certificate of the host's user, not the host's own.
	Operator bool
	// Machine lists the addresses of the machine.
	Machine func() ([]netip.Addr, error)

	timeout time.Duration // of requests to netmasters; 0: the default

	was   move
	vtep  netip.Addr // of the agent after the change; the zero Addr: the host has no agent
	known model.ReaddressAnswer
}

// Steps returns the steps: netmasters agree, certificates for both addresses, settings, the member of the store, the daemons, and
// the revocation of the certificates for previous addresses. The first two change nothing.
func (r *Readdress) Steps() []Step {
	h, begun := r.Host, time.Now()
	step := func(name string, do func(context.Context) (string, error)) Step { return Step{Name: name, Do: do} }
	steps := []Step{step("addresses of this host", r.compare), step("approval of netmasters", r.ask),
		step("record of the change in "+h.moveFile(), r.record), step("certificates for "+r.Address.String()+" beside those for previous addresses", r.certify)}
	for _, daemon := range []string{Netmaster, Netplugin} {
		steps = append(steps, step("settings of "+daemon, func(ctx context.Context) (string, error) { return r.settings(ctx, daemon) }))
	}
	steps = append(steps, step("peer URL of this host's member of the store", r.member))
	for _, daemon := range []string{Netmaster, Netplugin} {
		steps = append(steps, step("start "+daemon, func(ctx context.Context) (string, error) { return r.restart(ctx, daemon, begun) }))
	}
	return append(steps, step("certificates only for "+r.Address.String(), r.narrow), step("revocation of certificates for previous addresses", r.withdraw), step("what remains", r.remains))
}

// unchanging is the number of steps that change nothing.
const unchanging = 2

// Preview runs the steps that change nothing, and returns the names of the others.
func (r *Readdress) Preview(ctx context.Context, say func(string)) (later []string, err error) {
	steps := r.Steps()
	if err := Run(ctx, steps[:unchanging], say); err != nil {
		return nil, err
	}
	for _, s := range steps[unchanging:] {
		later = append(later, s.Name)
	}
	return later, nil
}

// compare returns an error if the machine does not have the addresses, or if the operator's settings keep a previous address.
func (r *Readdress) compare(context.Context) (string, error) {
	h := r.Host
	was, err := h.moving()
	if err != nil {
		return "", err
	}
	r.was = was.to(r.Address, h.reached())
	has, err := r.Machine()
	if err != nil {
		return "", fmt.Errorf("addresses of this machine: %w", err)
	}
	if !slices.Contains(has, r.Address) {
		return "", fmt.Errorf("address: no interface of this machine has %s, which has %s: add it first (ip address add), or name one of these", r.Address, addressList(has))
	}
	if err := r.operators(); err != nil {
		return "", err
	}
	env := h.Settings(Netplugin)
	if env == nil {
		return r.was.String(), nil
	}
	if r.vtep = r.VTEP; !r.vtep.IsValid() {
		r.vtep, _ = netip.ParseAddr(env[vtepVariable])
		if !r.vtep.IsValid() || slices.Contains(r.was.Previous, r.vtep) {
			r.vtep = r.Address
		}
	}
	if !slices.Contains(has, r.vtep) {
		return "", fmt.Errorf("vtep: no interface of this machine has the tunnel address %s, which has %s: name one of these with --vtep-ip", r.vtep, addressList(has))
	}
	return r.was.String(), nil
}

// operators returns an error if the operator's settings name a previous address: they take precedence over those that this command
// writes.
func (r *Readdress) operators() error {
	for _, daemon := range []string{Netmaster, Netplugin} {
		path := r.Host.EnvFile(daemon)
		if r.Host.older(daemon) {
			return fmt.Errorf("%s: an older contiv wrote it: run contiv join TOKEN@ADDRESS once, which moves the settings that are not yours to another file", path)
		}
		if err := r.configured(daemon); err != nil {
			return err
		}
		env, err := ReadEnv(path)
		if err != nil {
			continue // there is none
		}
		for name, value := range env {
			for _, f := range r.was.Previous {
				if names(value, f) {
					return fmt.Errorf("%s: %s=%s has the previous address %s, and takes precedence over what contiv writes: change that line to %s, or remove it", path, name, value, f, r.Address)
				}
			}
		}
	}
	return nil
}

// configured returns an error if a configuration file names a previous address, or has errors.
func (r *Readdress) configured(daemon string) error {
	h := r.Host
	if h.Variables(daemon) == nil || len(h.ConfigFiles(daemon)) == 0 {
		return nil
	}
	all, err := h.Configured(daemon)
	if err != nil {
		return err
	}
	for i := range all {
		one := &all[i]
		for _, f := range r.was.Previous {
			if (one.Origin.Layer == flags.LayerFile || one.Origin.Layer == flags.LayerDropIn) && names(one.Text(), f) {
				return fmt.Errorf("%s: %s: %s has the previous address %s, and takes precedence over what contiv writes: change that line to %s, or remove it", one.Origin, one.Key, one.Text(), f, r.Address)
			}
		}
	}
	return nil
}

// names reports whether a setting has an address.
func names(value string, address netip.Addr) bool {
	return slices.Contains(strings.FieldsFunc(value, between), address.String()) || strings.Contains(value, "["+address.String()+"]")
}

// between reports whether a character separates addresses in a setting: in lists, names, URLs and ports.
func between(c rune) bool { return strings.ContainsRune(",=/: @", c) }

// ask asks netmasters whether the addresses are free, and for the addresses of netmasters and members of the store.
func (r *Readdress) ask(ctx context.Context) (string, error) {
	return "", r.call(ctx, model.ReaddressRequest{})
}

// call sends a request about the host.
func (r *Readdress) call(ctx context.Context, q model.ReaddressRequest) error {
	c, err := r.client()
	if err != nil {
		return err
	}
	q.Host, q.Address = r.Label, r.Address.String()
	if r.vtep.IsValid() {
		q.VTEP = r.vtep.String()
	}
	out, err := c.Readdress(ctx, q)
	if err != nil {
		return r.explained(err)
	}
	r.known = out
	return nil
}

// client connects to netmasters from the new address, which proves to them that the host has it. It tries this host's netmaster at
// both addresses.
func (r *Readdress) client() (*client.Client, error) {
	h, role := r.Host, trust.Agent
	switch {
	case r.Operator:
		role = trust.User
	case h.Trust().Has(trust.Master):
		role = trust.Master
	}
	at := h.Netmasters()
	if h.Masters() {
		at = append(at, net.JoinHostPort(r.Address.String(), MasterPort))
	}
	from := &net.Dialer{Timeout: dialTimeout, LocalAddr: &net.TCPAddr{IP: r.Address.AsSlice()}}
	return h.client(role, cmp.Or(r.timeout, readyTimeout), from, at...)
}

// explained adds the remedy to an error of netmasters if none of them can change the store.
func (r *Readdress) explained(err error) error {
	var e *model.Error
	if errors.As(err, &e) && e.Code != model.CodeUnavailable && e.Code != model.CodeNotReady && e.Code != model.CodeInternal {
		return err
	}
	previous := "PREVIOUS"
	if len(r.was.Previous) > 0 {
		previous = r.was.Previous[0].String()
	}
	again := "contiv readdress " + r.Address.String()
	return fmt.Errorf("no netmaster that can change the store has answered: %w; if this host has lost the previous address, add it again until this command has ended: ip address add %s/32 dev lo; "+
		"if most members of the store have lost their addresses, continue with one of them: set CONTIV_NETMASTER_EMBEDDED_ALONE=true in %s, restart netmaster, remove the line, run %s, and run contiv replace NAME for each "+
		"other one; then repeat %s", err, previous, r.Host.EnvFile(Netmaster), again, again)
}

// record saves the change, so that it can be continued after an interruption.
func (r *Readdress) record(context.Context) (string, error) { return "", r.Host.saveMove(r.was) }

// addressList returns addresses, separated by commas.
func addressList(all []netip.Addr) string {
	var out []string
	for _, a := range all {
		out = append(out, a.String())
	}
	return strings.Join(out, ", ")
}
