// SPDX-License-Identifier: Apache-2.0

package auth_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-ldap/ldap/v3"

	"github.com/contiv/contiv/api/model"
)

// entries are the entries of the directory. It has two users with the name bob.
const entries = `dn: dc=example,dc=org
objectClass: dcObject
objectClass: organization
o: Example
dc: example

dn: cn=contiv,dc=example,dc=org
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: contiv
userPassword: searching

dn: uid=ann,dc=example,dc=org
objectClass: inetOrgPerson
uid: ann
cn: Ann
sn: Smith
userPassword: correct horse

dn: cn=bob1,dc=example,dc=org
objectClass: inetOrgPerson
uid: bob
cn: bob1
sn: Bob
userPassword: correct horse

dn: cn=bob2,dc=example,dc=org
objectClass: inetOrgPerson
uid: bob
cn: bob2
sn: Bob
userPassword: correct horse
`

// slapd runs a directory until the test ends, and returns its configuration. The directory accepts only TLS, and only cn=contiv may search
// it.
func slapd(t *testing.T) *model.LdapConfiguration {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	certificate, key := certify(t)
	if err := os.Mkdir(filepath.Join(dir, "data"), 0o700); err != nil {
		t.Fatal(err)
	}
	conf := write("slapd.conf", fmt.Sprintf(`include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
moduleload memberof
pidfile %[1]s/pid
TLSCertificateFile %[2]s
TLSCertificateKeyFile %[3]s
security simple_bind=128
database mdb
suffix dc=example,dc=org
rootdn cn=root,dc=example,dc=org
rootpw everything
directory %[1]s/data
overlay memberof
access to attrs=userPassword by anonymous auth
access to * by dn.exact="cn=contiv,dc=example,dc=org" read
`, dir, write("cert.pem", certificate), write("key.pem", key)))
	if out, err := exec.Command("slapadd", "-f", conf, "-l", write("entries", entries)).CombinedOutput(); err != nil {
		t.Fatalf("slapadd: %v\n%s", err, out)
	}
	port := freePort(t)
	cmd := exec.Command("slapd", "-f", conf, "-d", "0", "-h", fmt.Sprintf("ldap://127.0.0.1:%d/", port))
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	c := &model.LdapConfiguration{Name: "ldap", Server: "127.0.0.1", Port: port, Security: "starttls", CaCertificate: certificate, BaseDN: "dc=example,dc=org", BindDN: "cn=contiv,dc=example,dc=org",
		UserAttribute: "uid", GroupAttribute: "memberOf"}
	addGroup(t, c, &said)
	return c
}

// addGroup waits until the directory answers, and adds a group of ann to it.
func addGroup(t *testing.T, c *model.LdapConfiguration, said *bytes.Buffer) {
	t.Helper()
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM([]byte(c.CaCertificate))
	var conn *ldap.Conn
	var err error
	for end := time.Now().Add(20 * time.Second); ; {
		if conn, err = ldap.DialURL(fmt.Sprintf("ldap://127.0.0.1:%d", c.Port)); err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("slapd does not answer: %v\n%s", err, said)
		}
	}
	defer func() { _ = conn.Close() }()
	if err := conn.StartTLS(tlsOf(pool)); err != nil {
		t.Fatal(err)
	}
	if err := conn.Bind("cn=root,dc=example,dc=org", "everything"); err != nil {
		t.Fatal(err)
	}
	add := ldap.NewAddRequest("cn=network,dc=example,dc=org", nil)
	add.Attribute("objectClass", []string{"groupOfNames"})
	add.Attribute("cn", []string{"network"})
	add.Attribute("member", []string{"uid=ann,dc=example,dc=org"})
	if err := conn.Add(add); err != nil {
		t.Fatal(err)
	}
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
}

// certify returns a certificate of 127.0.0.1 and its key, in PEM.
func certify(t *testing.T) (certificate, key string) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "127.0.0.1"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, c, c, k.Public(), k)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	var a, b strings.Builder
	_ = pem.Encode(&a, &pem.Block{Type: "CERTIFICATE", Bytes: der})
	_ = pem.Encode(&b, &pem.Block{Type: "PRIVATE KEY", Bytes: raw})
	return a.String(), b.String()
}
