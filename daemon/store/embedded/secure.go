// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"crypto/tls"

	"go.etcd.io/etcd/client/pkg/v3/transport"

	"github.com/contiv/contiv/trust"
)

// scheme returns the scheme of the member's URLs.
func (c *Config) scheme() string {
	if c.Trust == nil {
		return "http"
	}
	return "https"
}

// tlsInfo returns the TLS settings between the member, its clients and other members: both ends have certificates of netmasters, whose name
// no other certificate has. Files are read for each connection, including the list of revoked certificates.
func (c *Config) tlsInfo() transport.TLSInfo {
	dir := c.Trust.Dir()
	pair := dir.PairFile(trust.Master)
	return transport.TLSInfo{CertFile: pair, KeyFile: pair, TrustedCAFile: dir.AuthorityFile(), CRLFile: dir.RevokedFile(), ClientCertAuth: true, AllowedHostnames: []string{trust.MasterName},
		ServerName: trust.MasterName, SkipClientSANVerify: true}
}

// clientTLS returns the TLS settings for this process's own client; nil: plain.
func (c *Config) clientTLS() *tls.Config {
	if c.Trust == nil {
		return nil
	}
	return c.Trust.Client(trust.Master, "")
}
