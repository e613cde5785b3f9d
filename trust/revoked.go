// SPDX-License-Identifier: Apache-2.0

package trust

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"time"
)

// SaveRevoked writes the list of revoked certificates, given by their serials, in the format of RFC 5280 section 5, for the
// embedded store. A key that is not kept signs the list: readers trust the directory, as they do for the authority's certificates
// in it.
func (d Dir) SaveRevoked(serials []string) error {
	list := x509.RevocationList{Number: big.NewInt(time.Now().UnixNano()), ThisUpdate: time.Now(), NextUpdate: time.Now().AddDate(100, 0, 0)}
	for _, s := range serials {
		n, ok := new(big.Int).SetString(s, 16)
		if !ok {
			return fmt.Errorf("serial: got %q, want a hexadecimal number", s)
		}
		list.RevokedCertificateEntries = append(list.RevokedCertificateEntries, x509.RevocationListEntry{SerialNumber: n, RevocationTime: time.Now()})
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.CreateRevocationList(rand.Reader, &list, &x509.Certificate{KeyUsage: x509.KeyUsageCRLSign, SubjectKeyId: []byte{1}}, key)
	if err != nil {
		return err
	}
	return d.write(d.RevokedFile(), der, 0o644)
}

// PrepareRevoked writes an empty list unless there is a readable one. A server that cannot read the list refuses every client.
func (d Dir) PrepareRevoked() error {
	text, err := os.ReadFile(d.RevokedFile())
	if err == nil {
		if _, err = x509.ParseRevocationList(text); err == nil {
			return nil
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return d.SaveRevoked(nil)
}
