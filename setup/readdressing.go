// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/trust"
)

// roles returns the daemons' roles for which the host has certificates.
func (r *Readdress) roles() (out []trust.Role) {
	for _, role := range []trust.Role{trust.Master, trust.Agent} {
		if r.Host.Trust().Has(role) {
			out = append(out, role)
		}
	}
	return out
}

// certify has the daemons certified for the new address in addition to the current ones.
func (r *Readdress) certify(ctx context.Context) (string, error) {
	return r.certified(ctx, "issued certificates for both addresses: ", func(hosts []string) []string {
		if slices.Contains(hosts, r.Address.String()) {
			return nil
		}
		return append(hosts, r.Address.String())
	})
}

// narrow has the daemons certified for the new address and for no previous one.
func (r *Readdress) narrow(ctx context.Context) (string, error) {
	previous := func(host string) bool {
		a, err := netip.ParseAddr(host)
		return err == nil && slices.Contains(r.was.Previous, a.Unmap())
	}
	return r.certified(ctx, "issued certificates only for "+r.Address.String()+": ", func(hosts []string) []string {
		if !slices.ContainsFunc(hosts, previous) {
			return nil
		}
		return slices.DeleteFunc(hosts, previous)
	})
}

// certified has netmasters certify new keys of the host's daemons. wanted maps the hosts of a certificate to those of the new one,
// or to nil to keep the certificate.
func (r *Readdress) certified(ctx context.Context, say string, wanted func([]string) []string) (string, error) {
	dir, made := r.Host.Trust(), []string{}
	for _, role := range r.roles() {
		held, err := trust.Open(dir, role)
		if err != nil {
			return "", err
		}
		c := held.Certificate()
		hosts := slices.DeleteFunc(slices.Clone(c.DNSNames), func(name string) bool { return name == trust.MasterName })
		for _, a := range c.IPAddresses {
			hosts = append(hosts, a.String())
		}
		if hosts = wanted(hosts); hosts == nil {
			continue
		}
		request, err := trust.NewRequest(hosts...)
		if err != nil {
			return "", err
		}
		q := model.ReaddressRequest{Agent: string(request.PEM())}
		if role == trust.Master {
			q = model.ReaddressRequest{Master: string(request.PEM())}
		}
		if err := r.call(ctx, q); err != nil {
			return "", err
		}
		pair, err := request.Pair([]byte(cmp.Or(r.known.Agent, r.known.Master)))
		if err == nil {
			err = dir.SavePair(role, pair)
		}
		if err != nil {
			return "", fmt.Errorf("certificate of the %s: %w", role, err)
		}
		made = append(made, string(role))
	}
	return when(len(made) > 0, say+strings.Join(made, ", ")), nil
}

// settings writes the new addresses into the settings of a daemon.
func (r *Readdress) settings(ctx context.Context, daemon string) (string, error) {
	h := r.Host
	env, err := ReadEnv(h.SettingsFile(daemon))
	if err != nil {
		return "", nil // the host does not have this daemon
	}
	if daemon == Netmaster {
		env[masterVariable] = movedPort(env[masterVariable], r.Address)
		for _, name := range []string{clientVariable, peerVariable} {
			env[name] = moved(env[name], r.Address)
		}
		if env[membersVariable] != "" {
			env[membersVariable] = r.members(env)
		}
	} else {
		env[controlVariable], env[vtepVariable] = r.Address.String(), r.vtep.String()
		env[mastersVariable] = strings.Join(r.netmasters(), ",")
	}
	return h.writeSettings(daemon, func() Env { return env }).Do(ctx)
}

// members lists the members of the store, with this host's at its new address.
func (r *Readdress) members(env Env) string {
	all := maps.Clone(r.known.Members)
	if all == nil {
		all = map[string]string{}
		for _, one := range strings.Split(env[membersVariable], ",") {
			name, at, _ := strings.Cut(one, "=")
			all[name] = at
		}
	}
	all[env[nameVariable]] = env[peerVariable]
	var out []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		out = append(out, name+"="+all[name])
	}
	return strings.Join(out, ",")
}

// netmasters lists the addresses of netmasters, beginning with this host's at its new address.
func (r *Readdress) netmasters() (out []string) {
	if env := r.Host.Settings(Netmaster); env != nil {
		out = append(out, movedPort(env[masterVariable], r.Address))
	}
	for _, at := range r.known.Netmasters {
		if p, err := netip.ParseAddrPort(at); err == nil && slices.Contains(r.was.Previous, p.Addr()) {
			at = movedPort(at, r.Address)
		}
		if !slices.Contains(out, at) {
			out = append(out, at)
		}
	}
	return out
}

// member announces this host's new address to the other members of an embedded store. The member listens there once netmaster is
// restarted.
func (r *Readdress) member(ctx context.Context) (string, error) {
	peer := r.Host.Settings(Netmaster)[peerVariable]
	if peer == "" {
		return "", nil
	}
	was := r.known.Members[r.Label]
	if err := r.call(ctx, model.ReaddressRequest{PeerURL: peer}); err != nil {
		return "", err
	}
	return when(was != peer, "the store's member "+r.Label+" is reached at "+peer), nil
}

// restart starts a daemon with its new settings, and waits until it is ready. begun is when this command began.
func (r *Readdress) restart(ctx context.Context, daemon string, begun time.Time) (string, error) {
	h := r.Host
	if h.Settings(daemon) == nil || len(r.was.Previous) == 0 { // the daemon reads lists when it starts next
		return "", nil
	}
	if _, byHand := r.Starter.(ByHand); byHand {
		return "", r.restarted(ctx, daemon)
	}
	did, err := r.Starter.Start(ctx, daemon)
	if err != nil {
		return "", err
	}
	wait := h.healthy(r.Label, r.Starter, begun)
	if daemon == Netmaster {
		wait = h.serves(h.Settings(Netmaster)[masterVariable], r.Starter, begun)
	}
	says, err := wait.Do(ctx)
	if err != nil {
		return "", fmt.Errorf("%s: %w; contiv readdress %s continues from there", wait.Name, err, r.Address)
	}
	return strings.TrimSpace(did + "\n" + says), nil
}

// restarted returns an error until someone has started a daemon with its new settings.
func (r *Readdress) restarted(ctx context.Context, daemon string) error {
	at := net.JoinHostPort(r.Address.String(), InspectPort) // an agent with previous settings does not listen there
	if daemon == Netplugin && serialAt(ctx, at) != "" {
		return nil
	}
	if own := r.Host.Settings(Netmaster)[masterVariable]; daemon == Netmaster {
		c, err := r.Host.Client(trust.Master, 0, own)
		if err != nil {
			return err
		}
		var node model.Node
		if at = own; c.Raw(ctx, "/api/v1/nodes/self", &node) == nil && node.Address == own {
			return nil
		}
	}
	return fmt.Errorf("the daemon does not answer at %s yet: start it with its new settings, and repeat contiv readdress %s, which continues from there", at, r.Address)
}

// withdraw revokes the certificates for previous addresses, once the daemons present the new ones.
func (r *Readdress) withdraw(ctx context.Context) (string, error) {
	if len(r.was.Previous) == 0 {
		return "", nil
	}
	ports := map[trust.Role]string{trust.Master: MasterPort, trust.Agent: InspectPort}
	if _, port, err := net.SplitHostPort(r.Host.Settings(Netmaster)[masterVariable]); err == nil {
		ports[trust.Master] = port
	}
	for _, role := range r.roles() {
		held, err := trust.Open(r.Host.Trust(), role)
		if err != nil {
			return "", err
		}
		want, at, shown := trust.Serial(held.Certificate()), net.JoinHostPort(r.Address.String(), ports[role]), ""
		limited, cancel := context.WithTimeout(ctx, readyTimeout)
		err = await(limited, func() bool { shown = serialAt(limited, at); return shown == want })
		cancel()
		if err != nil {
			return "", fmt.Errorf("the %s does not show its new certificate at %s after %s: got serial %q, want %s: restart it, and repeat this command", role, at, readyTimeout, shown, want)
		}
	}
	if err := r.call(ctx, model.ReaddressRequest{Only: true}); err != nil {
		return "", err
	}
	return when(len(r.known.Revoked) > 0, fmt.Sprintf("revoked %d certificates for previous addresses", len(r.known.Revoked))), nil
}

// serialAt returns the serial of the certificate that a server shows, or "" if none answers.
func serialAt(ctx context.Context, at string) (serial string) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	d := tls.Dialer{Config: trust.Trusting(func(chain []*x509.Certificate) error {
		if len(chain) > 0 {
			serial = trust.Serial(chain[0])
		}
		return nil
	})}
	if nc, err := d.DialContext(ctx, "tcp", at); err == nil {
		_ = nc.Close()
	}
	return serial
}

// remains ends the move, and lists the remaining tasks of the operator.
func (r *Readdress) remains(context.Context) (string, error) {
	did, err := remove(r.Host.moveFile())
	if err != nil || !did {
		return "", err
	}
	has, err := r.Machine()
	if err != nil {
		return "", err
	}
	lines := []string{"this host is reached at " + r.Address.String()}
	for _, f := range r.was.Previous {
		if slices.Contains(has, f) {
			lines = append(lines, fmt.Sprintf("remains: %s is on this host, and contiv does not use it: remove it from the network configuration", f))
		}
	}
	if r.Host.Masters() {
		lines = append(lines, "remains: lists of netmasters in the settings of other hosts, which they read when they start: run contiv readdress on each to update them")
	}
	return strings.Join(append(lines, "remains: other places with the previous address: firewalls, DNS, Prometheus, NETMASTER of users"), "\n"), nil
}
