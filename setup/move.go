// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"net/url"
	"os"
	"slices"

	"github.com/contiv/contiv/checksum"
)

// Variables in the settings of daemons with the address of their host.
const (
	masterVariable  = "CONTIV_NETMASTER_INTERNAL_ADDRESS"
	clientVariable  = "CONTIV_NETMASTER_EMBEDDED_CLIENT_URL"
	peerVariable    = "CONTIV_NETMASTER_EMBEDDED_PEER_URL"
	membersVariable = "CONTIV_NETMASTER_EMBEDDED_CLUSTER"
	nameVariable    = "CONTIV_NETMASTER_EMBEDDED_NAME"
	controlVariable = "CONTIV_NETPLUGIN_CONTROL_IP"
	vtepVariable    = "CONTIV_NETPLUGIN_VTEP_IP"
	mastersVariable = "CONTIV_NETPLUGIN_NETMASTERS"
)

// move is a change of a host's address, kept in a file until it is complete.
type move struct {
	Address  netip.Addr   `json:"address"`  // new address
	Previous []netip.Addr `json:"previous"` // all addresses of the host since the first incomplete change
}

// to returns the move to an address from those at which the host is reached now. An incomplete move continues, or changes its
// destination.
func (m move) to(address netip.Addr, now []netip.Addr) move {
	previous := slices.Concat(m.Previous, now)
	if m.Address.IsValid() {
		previous = append(previous, m.Address)
	}
	slices.SortFunc(previous, netip.Addr.Compare)
	previous = slices.DeleteFunc(slices.Compact(previous), func(a netip.Addr) bool { return a == address })
	return move{address, previous}
}

func (m move) String() string {
	if len(m.Previous) == 0 {
		return m.Address.String() + " is this host's address already: lists of other hosts are updated"
	}
	return fmt.Sprintf("from %s to %s", addressList(m.Previous), m.Address)
}

// moveFile returns the path of the file with an incomplete move.
func (h *Host) moveFile() string { return h.at("/etc/contiv/host/readdress") }

// moving returns the incomplete move, or the zero value if there is none.
func (h *Host) moving() (out move, err error) {
	text, err := os.ReadFile(h.moveFile())
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err == nil {
		err = errors.Join(checksum.CheckJSON(text), json.Unmarshal(text, &out))
	}
	if err != nil {
		return move{}, fmt.Errorf("unfinished change of the address in %s: %w; remove the file to begin the change again", h.moveFile(), err)
	}
	return out, nil
}

// saveMove saves a move, unless it changes nothing.
func (h *Host) saveMove(m move) error {
	if len(m.Previous) == 0 {
		_, err := remove(h.moveFile())
		return err
	}
	text, err := checksum.JSON(m)
	if err != nil {
		return err
	}
	_, err = write(h.moveFile(), text, 0o600)
	return err
}

// reached returns the addresses of the host in the settings of its daemons.
func (h *Host) reached() (out []netip.Addr) {
	add := func(text string) {
		if a, err := netip.ParseAddr(text); err == nil && !slices.Contains(out, a.Unmap()) {
			out = append(out, a.Unmap())
		}
	}
	if env := h.Settings(Netmaster); env != nil {
		host, _, _ := net.SplitHostPort(env[masterVariable])
		add(host)
		for _, name := range []string{clientVariable, peerVariable} {
			if u, err := url.Parse(env[name]); err == nil {
				add(u.Hostname())
			}
		}
	}
	if env := h.Settings(Netplugin); env != nil {
		add(env[controlVariable])
	}
	return out
}

// Address returns the address at which the host's daemons are reached, or will be reached when an incomplete move is complete; ""
// if none is known.
func (h *Host) Address() string {
	if m, err := h.moving(); err == nil && m.Address.IsValid() {
		return m.Address.String()
	}
	if all := h.reached(); len(all) > 0 {
		return all[0].String()
	}
	return ""
}

// moved returns a URL with another address.
func moved(text string, to netip.Addr) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return text
	}
	u.Host = net.JoinHostPort(to.String(), u.Port())
	return u.String()
}

// movedPort returns "host:port" with another address.
func movedPort(text string, to netip.Addr) string {
	_, port, err := net.SplitHostPort(text)
	if err != nil {
		return text
	}
	return net.JoinHostPort(to.String(), port)
}
