package embedded

import (
	"crypto/tls"

	"go.etcd.io/etcd/client/pkg/v3/transport"

	"github.com/contiv/contiv/trust"
)

// scheme is that of the member's URLs.
func (c *Config) scheme() string {
	if c.Trust == nil {
		return "http"
	}
	return "https"
}

// tlsInfo is how the member meets clients and other members: both ends have certificates of netmasters, by the name that these alone have. Files
// are read with each connection, that of revoked certificates too.
func (c *Config) tlsInfo() transport.TLSInfo {
	dir := c.Trust.Dir()
	pair := dir.PairFile(trust.Master)
	return transport.TLSInfo{CertFile: pair, KeyFile: pair, TrustedCAFile: dir.AuthorityFile(), CRLFile: dir.RevokedFile(), ClientCertAuth: true, AllowedHostnames: []string{trust.MasterName},
		ServerName: trust.MasterName, SkipClientSANVerify: true}
}

// clientTLS is how this process reaches its member; nil: in plain.
func (c *Config) clientTLS() *tls.Config {
	if c.Trust == nil {
		return nil
	}
	return c.Trust.Client(trust.Master, "")
}
