// SPDX-License-Identifier: Apache-2.0

package flags

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/contiv/contiv/daemon/logging"
	"github.com/contiv/contiv/daemon/storeconfig"
	"github.com/contiv/contiv/daemon/tracing"
)

// Common has the flags of both daemons.
type Common struct {
	Mode    string // who runs containers: one of the Mode constants
	NetMode string // "vlan" or "vxlan"
	FwdMode string // "bridge" or "routing"
	Store   storeconfig.Config
	Trust   Trust
	Log     logging.Config
	Tracing tracing.Settings
	Version bool
}

// Register adds the common flags.
func (c *Common) Register(s *Set) {
	s.String(&c.Mode, "mode", "MODE", ModeAuto, ModeUsage, "plugin-mode", "cluster-mode")
	s.String(&c.NetMode, "netmode", "NET_MODE", "", "network mode: vlan or vxlan", "network-mode")
	s.String(&c.FwdMode, "fwdmode", "FORWARD_MODE", "", "forwarding mode of a new cluster: bridge or routing", "forward-mode")
	for _, d := range c.Store.Drivers() {
		s.List(d.URLs, d.Name+"-endpoints", strings.ToUpper(d.Name)+"_ENDPOINTS", d.Usage, d.Name)
	}
	s.String(&c.Store.CertFile, "store-cert", "STORE_CERT", "", "client certificate for the store, PEM")
	s.String(&c.Store.KeyFile, "store-key", "STORE_KEY", "", "key of the client certificate, PEM")
	s.String(&c.Store.CAFile, "store-ca", "STORE_CA", "", "certificate authority of the store, PEM (default: that of the cluster, for an embedded store; with --insecure, that of the system)")
	s.String(&c.Store.Secret.User, "store-user", "STORE_USER", "", "user of an etcd with authentication")
	s.String(&c.Store.Secret.PasswordFile, "store-password-file", "STORE_PASSWORD_FILE", "", "file with the password of --store-user")
	s.String(&c.Store.Secret.TokenFile, "store-token-file", "STORE_TOKEN_FILE", "", "file with the ACL token for Consul")
	c.Trust.Register(s)
	s.String(&c.Log.Level, "log-level", "LOG_LEVEL", "INFO", "least severe messages to log: DEBUG, INFO, WARN or ERROR")
	s.Bool(&c.Log.JSON, "use-json-log", "USE_JSON_LOG", "log JSON", "json-log")
	s.Bool(&c.Log.Syslog, "use-syslog", "USE_SYSLOG", "log to syslog", "syslog")
	s.String(&c.Log.SyslogURL, "syslog-url", "SYSLOG_URL", "udp://127.0.0.1:514", "address of the syslog server")
	s.String(&c.Log.Dir, "log-dir", "LOG_DIR", "/var/log/contiv", "directory with the last log lines of netmaster and netplugin (NAME.last), which the other one shows when one has ended; empty: none")
	s.String(&c.Tracing.Endpoint, "otlp-endpoint", "OTLP_ENDPOINT", "", "OpenTelemetry collector that receives traces of attachments by OTLP over gRPC, such as http://192.0.2.9:4317 (default: none)")
	s.set.BoolVarP(&c.Version, "version", "v", false, "print the version and exit")
	s.Standalone("version")
}

// Check checks the common values and brings them into their canonical form.
func (c *Common) Check() error {
	enums := []func() error{}
	for _, f := range []struct {
		name  string
		value *string
		of    []string
	}{
		{"mode", &c.Mode, []string{ModeAuto, ModeCNI, ModeDocker, ModeKubernetes, ModeSwarm, ModeTest}},
		{"netmode", &c.NetMode, []string{"vlan", "vxlan"}},
		{"fwdmode", &c.FwdMode, []string{"bridge", "routing"}},
	} {
		enums = append(enums, func() error {
			*f.value = strings.ToLower(*f.value)
			return OneOf(f.name, *f.value, f.of...)
		})
	}
	return All(append(enums, c.checkModes, c.Log.Check, c.Tracing.Check, c.Store.Check)...)
}

// LogFlags are the flags about the log, which can change at run time.
func LogFlags() []string { return []string{"log-level", "use-json-log", "use-syslog", "syslog-url"} }

// checkModes returns an error for modes that exclude each other.
func (c *Common) checkModes() error {
	if c.NetMode == "vxlan" && c.FwdMode == "bridge" {
		return fmt.Errorf("--netmode vxlan needs --fwdmode routing; with --netmode vlan, networks of both encapsulations can be made in either mode")
	}
	return nil
}

// OneOf checks an enumeration.
func OneOf(flag, value string, of ...string) error {
	if slices.Contains(of, value) {
		return nil
	}
	if value == "" {
		return fmt.Errorf("--%s is required: one of %s", flag, strings.Join(of, ", "))
	}
	return fmt.Errorf("--%s %s: it is one of %s", flag, value, strings.Join(of, ", "))
}

// Address checks "host:port" and splits it.
func Address(flag, value string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(value)
	if err == nil {
		port, err = strconv.Atoi(text)
	}
	if err != nil || host == "" || port < 1 || port > 65535 {
		return "", 0, fmt.Errorf("--%s %s: it is host:port with a port from 1 to 65535", flag, value)
	}
	return host, port, nil
}
