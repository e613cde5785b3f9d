// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/contiv/contiv/daemon/snapshot"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/embedded"
	"github.com/contiv/contiv/daemon/store/open"
	"github.com/contiv/contiv/daemon/storeconfig"
	"github.com/contiv/contiv/trust"
)

// Backup is the host's knowledge of its store and of the store's snapshots.
type Backup struct {
	Kind     string          // of the store, as in snapshot.Header
	Member   embedded.Config // of an embedded store
	Label    string          // of the host; "" if no certificate names one
	Trust    trust.Dir
	Schedule snapshot.Schedule
	beside   storeconfig.Config
}

// Backup reads the settings of the host's netmaster. It is an error if the host has none.
func (h *Host) Backup() (*Backup, error) {
	env := h.Settings(Netmaster)
	if env == nil {
		return nil, errors.New("this host has no netmaster: run this command on a host with one")
	}
	if len(h.ConfigFiles(Netmaster)) > 0 {
		if _, err := h.Configured(Netmaster); err != nil {
			return nil, fmt.Errorf("the configuration of netmaster: %w", err)
		}
	}
	get := func(name string) string { return env["CONTIV_NETMASTER_"+name] }
	list := func(name string) (out []string) {
		if text := get(name); text != "" {
			out = strings.Split(text, ",")
		}
		return out
	}
	b := &Backup{Kind: snapshot.Embedded, Trust: h.Trust(), Schedule: snapshot.Schedule{Dir: get("SNAPSHOT_DIR"), Interval: snapshot.DefaultInterval, Keep: snapshot.DefaultKeep}}
	b.beside = storeconfig.Config{Etcd: list("ETCD_ENDPOINTS"), Consul: list("CONSUL_ENDPOINTS"), CAFile: get("STORE_CA"), CertFile: get("STORE_CERT"), KeyFile: get("STORE_KEY"),
		Secret: storeconfig.Secret{User: get("STORE_USER"), PasswordFile: get("STORE_PASSWORD_FILE"), TokenFile: get("STORE_TOKEN_FILE")}}
	switch {
	case len(b.beside.Etcd) > 0:
		b.Kind = snapshot.Etcd
	case len(b.beside.Consul) > 0:
		b.Kind = snapshot.Consul
	}
	if err := b.proof(); err != nil {
		return nil, err
	}
	if b.Kind == snapshot.Embedded {
		b.Member.Dir, b.Member.Name, b.Member.PeerURL = get("EMBEDDED_STORE"), get("EMBEDDED_NAME"), get("EMBEDDED_PEER_URL")
		b.Member.Mark = h.ClusterFile().MemberFile()
		if b.Member.Dir == "" || get("EMBEDDED_CLIENT_URL") == "" {
			return nil, fmt.Errorf("the settings of netmaster name no store: want one of CONTIV_NETMASTER_EMBEDDED_STORE, _ETCD_ENDPOINTS and _CONSUL_ENDPOINTS in %s", h.SettingsFile(Netmaster))
		}
		b.beside.Etcd = []string{get("EMBEDDED_CLIENT_URL")}
	}
	b.Schedule.Dir = cmp.Or(b.Schedule.Dir, h.SnapshotDir())
	return b, b.schedule(get("SNAPSHOT_EVERY"), get("SNAPSHOT_KEEP"))
}

// proof reads the host's netmaster certificate, with which it proves itself to an embedded store.
func (b *Backup) proof() error {
	held, err := trust.Open(b.Trust, trust.Master)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	b.Label, b.Member.Trust, b.beside.Own = held.Identity().Name, held, held.Client(trust.Master, "")
	return nil
}

func (b *Backup) schedule(every, keep string) (err error) {
	if every != "" {
		if b.Schedule.Interval, err = time.ParseDuration(every); err != nil {
			return fmt.Errorf("CONTIV_NETMASTER_SNAPSHOT_EVERY: %w", err)
		}
	}
	if keep != "" {
		if _, err := fmt.Sscan(keep, &b.Schedule.Keep); err != nil {
			return fmt.Errorf("CONTIV_NETMASTER_SNAPSHOT_KEEP: got %s, want a number", keep)
		}
	}
	return nil
}

// Open connects to the running store and returns it. The caller closes it.
func (b *Backup) Open(log *slog.Logger) (store.Store, error) {
	if err := b.beside.Check(); err != nil {
		return nil, err
	}
	return open.Open(b.beside, log)
}

// Header returns the part of a snapshot's header that does not come from the store.
func (b *Backup) Header(version string) snapshot.Header {
	return snapshot.Header{Contiv: version, Host: b.Label, Store: b.Kind, Authority: snapshot.Authority(b.Trust)}
}

// Reschedule writes settings of netmaster into the operator's file. It replaces those of the same name and keeps all other lines.
func (h *Host) Reschedule(settings Env) (path string, err error) {
	path = h.EnvFile(Netmaster)
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return path, err
	}
	var out bytes.Buffer
	for line := range strings.Lines(string(text)) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), "=")
		if _, is := settings[name]; is {
			continue
		}
		out.WriteString(line)
		if !strings.HasSuffix(line, "\n") {
			out.WriteString("\n")
		}
	}
	_, lines, _ := bytes.Cut(settings.Text(), []byte("\n")) // the first line names the writer of a file of ours
	out.Write(lines)
	_, err = write(path, out.Bytes(), 0o600)
	return path, err
}
