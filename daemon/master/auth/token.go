// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rights"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/trust"
)

const (
	secretBytes = 32 // of a token
	// tokenTimeout is how long a netmaster that is behind others waits for a token that one of them has issued.
	tokenTimeout = time.Second
	// maxBehind bounds the number of revisions that it may be behind: a token of a later revision was never issued here.
	maxBehind = 1 << 20
)

// newToken returns a random secret of a token.
func newToken() string {
	secret := make([]byte, secretBytes)
	_, _ = rand.Read(secret) // never fails
	return base64.RawURLEncoding.EncodeToString(secret)
}

// tokenAt returns the token as its holder gets it, with the revision at which it was stored, so that a netmaster that does not have it yet
// knows that it will arrive.
func tokenAt(secret string, rev uint64) string { return secret + "." + strconv.FormatUint(rev, 36) }

// parseToken parses a token: its hash, by which it is found, and the revision at which it was stored. ok is false for a malformed one.
func parseToken(text string) (hash string, at store.Revision, ok bool) {
	secret, rev, found := strings.Cut(text, ".")
	n, err := strconv.ParseUint(rev, 36, 63)
	raw, wrong := base64.RawURLEncoding.Strict().DecodeString(secret)
	if !found || err != nil || wrong != nil || len(raw) != secretBytes {
		return "", 0, false
	}
	return hashOf(secret), store.Revision(n), true
}

// hashOf returns the stored hash of a token, whose randomness makes a salt unnecessary.
func hashOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// Subject returns the subject that a token authenticates. It blocks up to a second if another netmaster has just issued the token. If this
// netmaster is then still behind the token's revision, the validity of the token is unknown, and the error is CodeUnavailable. Errors are
// *model.Error.
func (u *Users) Subject(ctx context.Context, text string) (Subject, error) {
	hash, at, ok := parseToken(text)
	if !ok {
		return Subject{}, invalid()
	}
	if u.behind(at) {
		wait, cancel := context.WithTimeout(ctx, tokenTimeout)
		_ = u.catalog.Wait(wait, at)
		cancel()
	}
	late := u.behind(at) // before the token is looked up: it may arrive in between
	who, ok := u.holder(hash)
	switch {
	case !ok && late:
		return Subject{}, model.Errorf(model.CodeUnavailable, "", "this netmaster does not know yet whether the token is valid: its copy of the store is older than the token").
			Try("ask another netmaster, or repeat the request")
	case !ok:
		return Subject{}, invalid()
	}
	who.Valid = func() bool { _, valid := u.holder(hash); return valid }
	return who, nil
}

// behind reports whether this netmaster lacks a revision that another one may have.
func (u *Users) behind(at store.Revision) bool {
	known := u.catalog.Revision()
	return at > known && at-known < maxBehind
}

func invalid() *model.Error {
	return model.Errorf(model.CodeUnproved, "", "the token is not valid, or no longer").Try("netctl login begins another session; an admin lists a service account's tokens with netctl auth tokens")
}

// holder returns the owner of a token; ok is false if the token is invalid, or its user may not use it.
func (u *Users) holder(hash string) (who Subject, ok bool) {
	u.catalog.View(func(v *catalog.View) {
		t := v.Token(hash)
		if t == nil || !t.Expires.IsZero() && !u.now().Before(t.Expires) {
			return
		}
		who = Subject{Identity: trust.Identity{Role: trust.User, Name: t.User}, Proof: Proof(t.Proof), Token: t.ID()}
		if ok = counts(v, t); ok {
			who.Grants = grants(v, &who, t.Groups)
		}
	})
	return who, ok
}

// counts reports whether a token's user may still log in: a user of this cluster while it is enabled, a user of an OpenID provider while
// the cluster has that provider.
func counts(v *catalog.View, t *record.Token) bool {
	switch Proof(t.Proof) {
	case ByDirectory:
		return true
	case ByProvider:
		return trusted(v, t.Issuer)
	}
	return enabled(v, t.User)
}

// enabled reports whether a user exists and may log in.
func enabled(v *catalog.View, name string) bool {
	o, _ := v.Stored(model.KindUser(), name).(*model.User)
	return o != nil && o.Disabled != "yes"
}

// Grants returns the roles of a subject that a certificate or another netmaster has identified. id is that of the token, "" for a
// certificate.
func (u *Users) Grants(who *Subject) (out rights.Grants) {
	u.catalog.View(func(v *catalog.View) {
		switch who.Proof {
		case ByCertificate:
			if o, _ := v.Stored(model.KindUser(), who.Name).(*model.User); o == nil || o.Disabled != "yes" {
				out = grants(v, who, nil)
			}
		default:
			for _, t := range v.TokensOf(who.Name) {
				if t.ID() == who.Token && Proof(t.Proof) == who.Proof && counts(v, t) {
					out = grants(v, who, t.Groups)
				}
			}
		}
	})
	return out
}

// grants returns the roles of a user of this cluster, or of the groups of a user of the directory or of the OpenID provider.
func grants(v *catalog.View, who *Subject, groups []string) (out rights.Grants) {
	for a := range v.Authorizations {
		if applies(a, who, groups) {
			out = append(out, rights.Grant{Role: rights.Role(a.Role), Tenant: a.Scope})
		}
	}
	return out
}

// applies reports whether an authorization is a subject's. A group of the provider never equals a group of the directory, even with the
// same name.
func applies(a *model.Authorization, who *Subject, groups []string) bool {
	name, provided := strings.CutPrefix(a.GroupName, ProviderPrefix)
	switch who.Proof {
	case ByDirectory:
		return a.GroupName != "" && !provided && slices.ContainsFunc(groups, func(g string) bool { return strings.EqualFold(a.GroupName, g) })
	case ByProvider:
		return provided && slices.Contains(groups, name)
	}
	return a.UserName != "" && a.UserName == who.Name
}

// Issue issues a token for a service account, valid for length; 0: until it is revoked. The token is returned only once. Errors are
// *model.Error.
func (u *Users) Issue(ctx context.Context, user, label, from string, length time.Duration) (model.Token, uint64, error) {
	return u.issue(ctx, record.Token{User: user, Proof: string(ByService), Label: label, From: from}, length, func(v *catalog.View) error {
		o, _ := v.Stored(model.KindUser(), user).(*model.User)
		switch {
		case o == nil:
			return v.NotFound(model.KindUser(), user)
		case o.Type != "service":
			return model.Errorf(model.CodeInvalid, "user", "user %s is a person, who logs in", user).Try("make a service account with netctl user create --type service")
		}
		return nil
	})
}
