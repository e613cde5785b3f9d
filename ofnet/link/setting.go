// SPDX-License-Identifier: Apache-2.0

package link

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/contiv/contiv/checksum"
)

// Setting is a kernel setting that was changed: a file below /proc/sys/net, the value found before the first change, and the value written.
type Setting struct {
	File string `json:"file"`
	Was  string `json:"was"`
	Ours string `json:"ours"`
}

// Name returns the setting's name as sysctl(8) takes it.
func (s Setting) Name() string {
	return strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(strings.TrimPrefix(s.File, "/proc/sys/"), ".", "\x00"), "/", "."), "\x00", "/")
}

// Ledger is the path of the file in which a Host records settings before it changes them. The file belongs on a file system that a boot
// empties, as a boot resets the settings. An empty Ledger records nothing.
type Ledger string

// maxLedger bounds the part of a ledger that is read, in bytes. An agent changes a few settings.
const maxLedger = 1 << 20

// KeepLedger makes the Host record settings in a ledger from now on. Call it before the Host is shared.
func (h *Host) KeepLedger(l Ledger) { h.ledger = l }

// record adds a setting, unless the ledger has its file already: the first value found counts.
func (l Ledger) record(s Setting) error {
	if l == "" {
		return nil
	}
	all, err := l.Settings()
	if errors.Is(err, checksum.ErrDamaged) || errors.Is(err, checksum.ErrFormat) { // kept for an operator who restores the settings
		err = os.Rename(string(l), string(l)+damagedSuffix)
	}
	if err != nil {
		return err
	}
	for _, have := range all {
		if have.File == s.File {
			return nil
		}
	}
	if err := l.write(append(all, s)); err != nil {
		return fmt.Errorf("note the value of %s before it is changed: %w", s.File, err)
	}
	return nil
}

// damagedSuffix is appended to the name of a ledger that could not be read.
const damagedSuffix = ".damaged"

// Damaged is the path of a damaged ledger whose settings are unknown; "" is none.
func (l Ledger) Damaged() string {
	path := string(l) + damagedSuffix
	if _, err := os.Stat(path); l == "" || err != nil {
		return ""
	}
	return path
}

// ledgerName and ledgerFormat are the type of the file and the number of its format. Files of earlier builds have neither, and no checksum.
const (
	ledgerName   = "settings"
	ledgerFormat = 1
)

// write replaces the ledger, one setting per line.
func (l Ledger) write(all []Setting) error {
	var body bytes.Buffer
	lines := json.NewEncoder(&body)
	for _, s := range all {
		if err := lines.Encode(s); err != nil {
			return err
		}
	}
	next, err := os.CreateTemp(filepath.Dir(string(l)), filepath.Base(string(l))+".*")
	if err != nil {
		return err
	}
	_, err = next.Write(checksum.Seal(ledgerName, ledgerFormat, body.Bytes()))
	if err = errors.Join(err, next.Close()); err == nil {
		err = os.Rename(next.Name(), string(l))
	}
	if err != nil {
		_ = os.Remove(next.Name())
	}
	return err
}

// Settings returns the settings in the ledger. A missing ledger has none; of one that is damaged, or of a later build, nothing is used:
// checksum.ErrDamaged, checksum.ErrFormat.
func (l Ledger) Settings() ([]Setting, error) {
	text, err := os.ReadFile(string(l))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	body, err := checksum.Open(ledgerName, ledgerFormat, text)
	if err != nil {
		return nil, fmt.Errorf("settings before they were changed, in %s: %w", l, err)
	}
	return parseLedger(body), nil
}

// parseLedger reads one setting per line. It skips lines that name no file below /proc/sys/net: a crash may have cut the last one.
func parseLedger(text []byte) (out []Setting) {
	lines := bufio.NewScanner(bytes.NewReader(text[:min(len(text), maxLedger)]))
	for lines.Scan() {
		var s Setting
		if json.Unmarshal(lines.Bytes(), &s) != nil || filepath.Clean(s.File) != s.File || !strings.HasPrefix(s.File, "/proc/sys/net/") || s.Was == "" || s.Ours == "" {
			continue
		}
		out = append(out, s)
	}
	return out
}

// change writes a setting after it has recorded the old value. The caller is in the Host's namespace.
func (h *Host) change(file, value string) error {
	now, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := h.ledger.record(Setting{File: file, Was: strings.TrimSpace(string(now)), Ours: value}); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(value), 0)
}

// Restored is the outcome for a setting: restored, or the reason why it stays.
type Restored struct {
	Setting
	Stays string // reason, empty if the setting has its old value again
}

// RestoreSettings gives settings their old values if they still have ours. A setting that was changed since stays, and so does forwarding
// while the namespace has virtual interfaces of others, which may need it. A setting whose interface is gone is skipped.
func (h *Host) RestoreSettings(all []Setting) (out []Restored, err error) {
	others, err := h.forwarders()
	if err != nil {
		return nil, err
	}
	err = h.ns.Do(func() error {
		for _, s := range slices.Backward(all) { // forwarding before the interfaces that accepted router advertisements without it
			now, err := os.ReadFile(s.File)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			value := strings.TrimSpace(string(now))
			switch {
			case value == s.Was:
				continue
			case value != s.Ours:
				out = append(out, Restored{s, "someone has set it to " + value + " since"})
				continue
			case s.forwards() && len(others) > 0:
				out = append(out, Restored{s, "interfaces of others may need it: " + strings.Join(others[:min(len(others), 5)], ", ")})
				continue
			}
			if err := os.WriteFile(s.File, []byte(s.Was), 0); err != nil {
				return fmt.Errorf("restore %s to %s: %w", s.Name(), s.Was, err)
			}
			out = append(out, Restored{Setting: s})
		}
		return nil
	})
	return out, err
}

// forwards reports whether a setting enables forwarding, or follows from it.
func (s Setting) forwards() bool {
	return s.File == forwarding4 || s.File == forwarding6 || strings.HasSuffix(s.File, "/accept_ra")
}

// forwarders returns the names of interfaces of others that are up and between which a host usually forwards packets: bridges, tunnels, and
// ends of containers. Those of Open vSwitch, such as vxlan_sys_4789, do not need the kernel's forwarding, and disappear shortly after their
// bridge.
func (h *Host) forwarders() (names []string, err error) {
	links, err := h.nl.LinkList()
	if err != nil {
		return nil, fmt.Errorf("list interfaces: %w", err)
	}
	for _, l := range links {
		switch l.Type() {
		case "bridge", "veth", "tun", "tuntap", "wireguard", "vxlan", "geneve", "gre", "ipip", "vrf", "macvlan", "ipvlan":
			a := l.Attrs()
			ours := a.Group == GroupLive || a.Group == GroupDeleting || a.Name == "ovs-netdev" || strings.Contains(a.Name, "_sys")
			if !ours && a.Flags&net.FlagUp != 0 {
				names = append(names, a.Name)
			}
		}
	}
	return names, nil
}
