// SPDX-License-Identifier: Apache-2.0

package caller

import (
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
)

// maxVoucherAge is the largest difference between the time of a voucher and the leader's clock, in either direction.
const maxVoucherAge = 5 * time.Minute

// Secret creates the secret of a cluster's netmasters, unless it exists. It is for a leader's first transaction.
func Secret(tx *commit.Tx) error {
	if len(tx.Value(record.MastersKey)) > 0 {
		return nil
	}
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails
	return tx.Put(record.MastersKey, base64.StdEncoding.EncodeToString(secret))
}

// secret returns the secret that the netmasters of the cluster share, or nil if this one does not know it yet.
func (a *Authenticator) secret() (out []byte) {
	a.Catalog.View(func(v *catalog.View) { out = v.Value(record.MastersKey) })
	return out
}

// Seal writes the origin of the request q into out, which forwards it, and proves with a voucher that a netmaster did so and that the sender's
// statements about itself are unchanged. Only netmasters that can read the store can make a voucher.
func (a *Authenticator) Seal(out, q *http.Request, body []byte) {
	out.Header.Del(subjectHeader)
	if who := auth.Of(q.Context()); who.Known() {
		out.Header.Set(subjectHeader, who.Text())
		out.Header.Del(tokenHeader) // the leader needs the subject, not its token
		out.Header.Del("Authorization")
	}
	out.Header.Set(clientHeader, Client(q))
	out.Header.Set(forwardedBy, a.Internal)
	out.Header.Del(voucherHeader)
	if secret := a.secret(); secret != nil {
		at := strconv.FormatInt(time.Now().Unix(), 10)
		out.Header.Set(voucherHeader, at+" "+seal(secret, out, at, body))
	}
}

// origin is where a request comes from.
type origin int

const (
	direct  origin = iota // from a client, whatever its headers are
	claimed               // perhaps from a netmaster: it is not forwarded, since two that each take the other for the leader would forward it forever
	proved                // from a netmaster, not long ago: what it states about the client is valid
)

// originOf returns the origin of a request.
func (a *Authenticator) originOf(q *http.Request, body []byte) origin {
	if q.Header.Get(forwardedBy) == "" {
		return direct
	}
	secret := a.secret()
	if secret == nil {
		return claimed
	}
	at, got, _ := strings.Cut(q.Header.Get(voucherHeader), " ")
	if !hmac.Equal([]byte(got), []byte(seal(secret, q, at, body))) {
		return direct
	}
	if seconds, err := strconv.ParseInt(at, 10, 64); err != nil || time.Since(time.Unix(seconds, 0)).Abs() > maxVoucherAge {
		return claimed
	}
	return proved
}

// seal returns the seal of a request at a time, in hexadecimal.
func seal(secret []byte, q *http.Request, at string, body []byte) string {
	h := hmac.New(sha256.New, secret)
	target := cmp.Or(q.RequestURI, q.URL.RequestURI()) // as received, or as about to be sent
	for _, part := range []string{at, q.Method, target, q.Header.Get(clientHeader), q.Header.Get(forwardedBy), q.Header.Get(subjectHeader), q.Header.Get(model.ActorHeader), q.UserAgent(), string(body)} {
		_, _ = fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// verified returns the origin of a request. It removes the headers of a netmaster unless one proves to have set them.
func (a *Authenticator) verified(q *http.Request, body []byte) origin {
	from := a.originOf(q, body)
	if from != proved {
		q.Header.Del(forwardedBy)
		q.Header.Del(clientHeader)
		q.Header.Del(subjectHeader)
	}
	q.Header.Del(voucherHeader)
	return from
}
