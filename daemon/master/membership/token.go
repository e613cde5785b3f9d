// SPDX-License-Identifier: Apache-2.0

package membership

import (
	"context"
	"crypto/subtle"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/trust"
)

// Bounds of tokens.
const (
	DefaultTTL = 24 * time.Hour
	maxTTL     = 366 * 24 * time.Hour
	maxUses    = 100000
	maxTokens  = 1000 // at once
)

// MakeToken creates a token for proved and returns its text, which is stored nowhere. It blocks until the store has the token.
func (e *Enroller) MakeToken(ctx context.Context, q model.JoinTokenRequest, proved trust.Identity) (text string, made record.JoinToken, rev uint64, err error) {
	a, err := e.authority()
	if err != nil {
		return "", made, 0, err
	}
	made = record.JoinToken{Masters: q.Masters, Replaces: q.Replaces, Uses: 1, By: requester(ctx, proved), Made: e.now()}
	if q.Uses != nil {
		made.Uses = *q.Uses
	}
	ttl := DefaultTTL
	if q.TTL != "" {
		if ttl, err = time.ParseDuration(q.TTL); err != nil || ttl < time.Minute || ttl > maxTTL {
			return "", made, 0, model.Errorf(model.CodeInvalid, "ttl", "%q is not for how long a token may count", q.TTL).Try("it is a duration from 1m to 8784h, such as 24h")
		}
	}
	if made.Uses < 0 || made.Uses > maxUses {
		return "", made, 0, model.Errorf(model.CodeInvalid, "uses", "%d is not a number of hosts", made.Uses).Try("it is from 1 to %d, or 0 for any number until the token expires", maxUses)
	}
	if q.Replaces != "" {
		if err := (trust.Identity{Role: trust.Agent, Name: q.Replaces}).Check(); err != nil {
			return "", made, 0, model.Errorf(model.CodeInvalid, "replaces", "%v", err).Try("it is the label of a host")
		}
	}
	t := trust.NewToken(a.Fingerprint())
	made.ID, made.Hash, made.Expires = t.ID, t.Hash(), made.Made.Add(ttl)
	at, err := e.Commit.Join(ctx, func(tx *commit.Tx) error {
		if tx.CountJoinTokens() >= maxTokens {
			return model.Errorf(model.CodeExhausted, "", "there are %d tokens", maxTokens).Try("remove some: contiv token ls, contiv token rm")
		}
		return tx.Put(record.JoinTokens+made.ID, &made)
	})
	return t.String(), made, uint64(at), err
}

// RemoveToken deletes a token. It blocks until the store has the deletion.
func (e *Enroller) RemoveToken(ctx context.Context, id string) (uint64, error) {
	at, err := e.Commit.Join(ctx, func(tx *commit.Tx) error {
		if tx.JoinToken(id) == nil {
			return model.Errorf(model.CodeNotFound, "id", "there is no token %s", id).Try("contiv token ls shows them; one that has expired goes by itself")
		}
		tx.Delete(record.JoinTokens + id)
		return nil
	})
	return uint64(at), err
}

// token finds the token of a text in v, if it currently permits to join. With again set, for a request that it has admitted before, it may
// be used up. Errors are *model.Error; they do not reveal whether a token exists.
func (e *Enroller) token(v *catalog.View, t *trust.Token, again bool) (*record.JoinToken, error) {
	known := v.JoinToken(t.ID)
	hash := t.Hash()
	switch {
	case known == nil || subtle.ConstantTimeCompare([]byte(known.Hash), []byte(hash)) != 1:
		return nil, model.Errorf(model.CodeDenied, "token", "the token does not count here").Try("contiv token create makes one; it counts once and for a day, unless it is made otherwise")
	case !e.now().Before(known.Expires):
		return nil, model.Errorf(model.CodeDenied, "token", "the token expired at %s", known.Expires.Format(time.RFC3339)).Try("contiv token create makes a new one; --ttl says for how long it counts")
	case known.Spent() && !again:
		return nil, model.Errorf(model.CodeDenied, "token", "the token has been used up: %d of %d hosts have joined by it", known.Used, known.Uses).
			Try("contiv token create makes a new one; --uses says for how many hosts")
	}
	return known, nil
}
