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

// SaveRevoked writes the list of revoked certificates, by their serials, as RFC 5280 section 5 defines it, for a program that reads such
// lists from a file. Its signature is of a discarded key: readers trust the directory, as they trust the authority's certificates in it.
func (d Dir) SaveRevoked(serials []string) error {
	list := x509.RevocationList{Number: big.NewInt(time.Now().UnixNano()), ThisUpdate: time.Now(), NextUpdate: time.Now().AddDate(100, 0, 0)}
	for _, s := range serials {
		n, ok := new(big.Int).SetString(s, 16)
		if !ok {
			return fmt.Errorf("%q is no serial of a certificate", s)
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

// PrepareRevoked writes a list of none unless there is one that can be read, since who reads it refuses everyone when it cannot.
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
