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

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
)

const (
	// voucher proves that a netmaster wrote the headers by which a passed on request tells where it came from, and has passed on
	// what its sender says of itself as it was: who reads the store can make one, and no one else.
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

// sign writes into a request that is passed on where it came from, and proves that a netmaster says so.
func (s *Server) sign(out *http.Request, client string, body []byte) {
	out.Header.Set(clientHeader, client)
	out.Header.Set(forwardedBy, s.Internal)
	out.Header.Del(voucher)
	if secret := s.secret(); secret != nil {
		at := strconv.FormatInt(time.Now().Unix(), 10)
		out.Header.Set(voucher, at+" "+sealed(secret, out, at, body))
	}
}

// passage is how a request came here.
type passage int

const (
	direct passage = iota // from a client, whatever its headers say
	passed                // from a netmaster, or maybe so: it goes no further, since two that take each other for the leader would pass it to and fro
	proved                // from a netmaster, lately: what it says of the client counts
)

// passageOf reads the voucher of a request. A netmaster whose clock is wrong vouches for nothing, but has passed the request on.
func (s *Server) passageOf(q *http.Request, body []byte) passage {
	if q.Header.Get(forwardedBy) == "" {
		return direct
	}
	secret := s.secret()
	if secret == nil {
		return passed
	}
	at, seal, _ := strings.Cut(q.Header.Get(voucher), " ")
	if !hmac.Equal([]byte(seal), []byte(sealed(secret, q, at, body))) {
		return direct
	}
	if seconds, err := strconv.ParseInt(at, 10, 64); err != nil || time.Since(time.Unix(seconds, 0)).Abs() > voucherAge {
		return passed
	}
	return proved
}

// sealed is the seal of a request.
func sealed(secret []byte, q *http.Request, at string, body []byte) string {
	h := hmac.New(sha256.New, secret)
	target := cmp.Or(q.RequestURI, q.URL.RequestURI()) // as it came, or as it is about to be sent
	for _, part := range []string{at, q.Method, target, q.Header.Get(clientHeader), q.Header.Get(forwardedBy), q.Header.Get(subjectHeader), q.Header.Get(model.ActorHeader), q.UserAgent(), string(body)} {
		_, _ = fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// genuine takes from a request what only a netmaster may say, unless one does, and tells how it came.
func (s *Server) genuine(q *http.Request, body []byte) passage {
	came := s.passageOf(q, body)
	if came != proved {
		q.Header.Del(forwardedBy)
		q.Header.Del(clientHeader)
		q.Header.Del(subjectHeader)
	}
	q.Header.Del(voucher)
	return came
}
