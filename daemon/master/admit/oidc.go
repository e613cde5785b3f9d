// SPDX-License-Identifier: Apache-2.0

package admit

import (
	"crypto/x509"
	"net/url"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
)

// createOIDC requires a provider with a known certificate: the trust in an ID token depends on its source.
func createOIDC(_ *commit.Tx, c *model.OidcConfiguration) error {
	at, err := url.Parse(c.Issuer)
	if err != nil || at.Scheme != "https" || at.Host == "" || at.User != nil || at.RawQuery != "" || at.Fragment != "" {
		return model.Errorf(model.CodeInvalid, "issuer", "%q is no issuer of ID tokens that could be trusted", c.Issuer).
			Try("it is a URL like https://id.example.org/realms/ops, without a query; http is not taken, from loopback neither")
	}
	if c.CaCertificate != "" && !x509.NewCertPool().AppendCertsFromPEM([]byte(c.CaCertificate)) {
		return model.Errorf(model.CodeInvalid, "caCertificate", "no certificate in it (PEM)").Try("give the text of the file, with its line BEGIN CERTIFICATE")
	}
	return nil
}

// updateOIDC deletes netmaster's secret if it would be sent to another provider.
func updateOIDC(tx *commit.Tx, old, now *model.OidcConfiguration) error {
	if err := createOIDC(tx, now); err != nil {
		return err
	}
	if old.Issuer != now.Issuer || old.ClientId != now.ClientId || old.CaCertificate != now.CaCertificate {
		tx.Delete(record.OIDCKey)
	}
	return nil
}

func removeOIDC(tx *commit.Tx, _ *model.OidcConfiguration) error {
	tx.Delete(record.OIDCKey)
	return nil
}
