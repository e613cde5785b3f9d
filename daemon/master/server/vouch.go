package server

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

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
)

const (
	// voucher proves that a netmaster wrote the headers by which a passed on request tells where it came from: who reads the store
	// can make one, and nobody else.
	voucher = "X-Contiv-Voucher"
	// voucherAge is for how long a voucher holds, before and after its time by the leader's clock.
	voucherAge = 5 * time.Minute
)

// Secret makes the secret of a cluster's netmasters, unless there is one. It is for a leader's first transaction.
func Secret(tx *commit.Tx) error {
	if len(tx.Value(record.MastersKey)) > 0 {
		return nil
	}
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails
	return tx.Put(record.MastersKey, base64.StdEncoding.EncodeToString(secret))
}

// secret is what the netmasters of the cluster share; nil: it is not known here yet.
func (s *Server) secret() (out []byte) {
	s.Catalog.View(func(v *catalog.View) { out = v.Value(record.MastersKey) })
	return out
}

// vouch writes into a request that is passed on where it came from, and proves that a netmaster says so.
func (s *Server) vouch(out *http.Request, client string, body []byte) {
	out.Header.Set(clientHeader, client)
	out.Header.Set(forwardedBy, s.Internal)
	out.Header.Del(voucher)
	if secret := s.secret(); secret != nil {
		at := strconv.FormatInt(time.Now().Unix(), 10)
		out.Header.Set(voucher, at+" "+sealed(secret, out, at, body))
	}
}

// vouched tells whether a request was passed on by another netmaster.
func (s *Server) vouched(q *http.Request, body []byte) bool {
	at, seal, ok := strings.Cut(q.Header.Get(voucher), " ")
	secret := s.secret()
	if !ok || secret == nil {
		return false
	}
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > voucherAge {
		return false
	}
	return hmac.Equal([]byte(seal), []byte(sealed(secret, q, at, body)))
}

// sealed is the seal of a request.
func sealed(secret []byte, q *http.Request, at string, body []byte) string {
	h := hmac.New(sha256.New, secret)
	target := cmp.Or(q.RequestURI, q.URL.RequestURI()) // as it came, or as it is about to be sent
	for _, part := range []string{at, q.Method, target, q.Header.Get(clientHeader), q.Header.Get(forwardedBy), string(body)} {
		_, _ = fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// genuine takes from a request what only a netmaster may say, unless one does, and notes whether it was passed on.
func (s *Server) genuine(q *http.Request, body []byte) {
	if q.Header.Get(forwardedBy) != "" && !s.vouched(q, body) {
		q.Header.Del(forwardedBy)
	}
	if q.Header.Get(forwardedBy) == "" {
		q.Header.Del(clientHeader)
	}
	q.Header.Del(voucher)
}
