// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"context"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
)

// checkTime bounds the wait of a password for its turn, and the time of a directory.
const checkTime = 10 * time.Second

// Login starts a session for a user with a password, from an address. It blocks until that is durable. Errors are *model.Error:
// CodeUnproved if user or password is wrong, without saying which; CodeBusy after too many attempts.
func (u *Users) Login(ctx context.Context, q model.Login, from string) (model.Token, uint64, error) {
	t := record.Token{User: q.Username, Proof: string(BySession), From: from}
	hash, groups, err := u.prove(ctx, q, from)
	if err != nil {
		return model.Token{}, 0, err
	}
	if hash == "" {
		t.Proof, t.Groups = string(ByDirectory), groups
	}
	return u.issue(ctx, t, SessionTime, func(v *catalog.View) error {
		if p := v.Password(q.Username); hash != "" && (p == nil || p.Hash != hash || !enabled(v, q.Username)) {
			return badLogin() // it has changed meanwhile
		}
		return nil
	})
}

// prove checks a password, by a hash in the store or through the directory, which also returns the groups. Errors are as Login's.
func (u *Users) prove(ctx context.Context, q model.Login, from string) (hash string, groups []string, err error) {
	known, err := u.await(ctx, q.Username, from)
	if err != nil {
		return "", nil, err
	}
	if q.Username == "" || len(q.Username) > longPassword || len(q.Password) > longPassword {
		return "", nil, badLogin()
	}
	if strings.HasPrefix(q.Username, ProviderPrefix) { // no directory user may resemble a user of the provider
		return "", nil, model.Errorf(model.CodeUnproved, "", "user %s has no password here", q.Username).Try("log in with netctl login --oidc")
	}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	local := false
	hash = u.nothing
	u.catalog.View(func(v *catalog.View) {
		local = v.Has(model.KindUser().Name, q.Username)
		if p := v.Password(q.Username); p != nil && enabled(v, q.Username) {
			hash = p.Hash
		}
	})
	if err := u.turn(ctx); err != nil {
		return "", nil, err
	}
	right := matches(hash, q.Password)
	u.done()
	switch {
	case local && !right:
		return "", nil, badLogin()
	case !local:
		hash = ""
		if groups, err = u.ask(ctx, q); err != nil {
			return "", nil, err
		}
	}
	u.throttle.succeeded(q.Username, from, known)
	return hash, groups, nil
}

// Check reports whether the password of a user of this cluster is right. Errors are as Login's.
func (u *Users) Check(ctx context.Context, q model.Login, from string) error {
	hash, _, err := u.prove(ctx, q, from)
	if err == nil && hash == "" {
		return model.Errorf(model.CodeInvalid, "username", "the password of %s is the directory's", q.Username).Try("change it there")
	}
	return err
}

func badLogin() *model.Error {
	return model.Errorf(model.CodeUnproved, "", "user name and password are not right").Try("type them again; an admin gives another password with netctl auth password")
}

// ask checks a password through the directory.
func (u *Users) ask(ctx context.Context, q model.Login) ([]string, error) {
	var c *model.LdapConfiguration
	var raw []byte
	u.catalog.View(func(v *catalog.View) {
		c, _ = v.Stored(model.KindLdapConfiguration(), "ldap").(*model.LdapConfiguration)
		raw = v.Value(record.LDAPKey)
	})
	if c == nil || u.directory == nil || q.Password == "" { // a bind without a password authenticates no one (RFC 4513, section 5.1.2)
		return nil, badLogin()
	}
	own, err := u.reveal(raw, record.LDAPKey, "netctl auth ldap-password")
	if err != nil {
		return nil, err
	}
	return u.directory.Check(ctx, c, own, q.Username, q.Password)
}

// issue stores a token, if may agrees in the same transaction, and returns it.
func (u *Users) issue(ctx context.Context, t record.Token, length time.Duration, may func(*catalog.View) error) (model.Token, uint64, error) {
	secret := newToken()
	t.Hash, t.Made = hashOf(secret), u.now().UTC()
	if length > 0 {
		t.Expires = t.Made.Add(length)
	}
	rev, err := u.commit.Do(ctx, func(tx *commit.Tx) error {
		if err := may(tx.View); err != nil {
			return err
		}
		if err := u.makeRoom(tx, t.User); err != nil {
			return err
		}
		return tx.Put(record.Tokens+t.Hash, &t)
	})
	if err != nil {
		return model.Token{}, 0, err
	}
	out := shown(&t)
	out.Token = tokenAt(secret, uint64(rev))
	return out, uint64(rev), nil
}

// makeRoom ends the oldest session of a user who has the maximum number.
func (u *Users) makeRoom(tx *commit.Tx, user string) error {
	all := tx.TokensOf(user)
	if len(all) < maxTokens {
		return nil
	}
	for _, t := range all {
		if Proof(t.Proof) != ByService {
			tx.Delete(record.Tokens + t.Hash)
			return nil
		}
	}
	return model.Errorf(model.CodeExhausted, "user", "user %s has %d tokens, as many as one may have", user, len(all)).Try("revoke some: netctl auth tokens %s lists them", user)
}

// shown returns the description of a token, without its secret.
func shown(t *record.Token) model.Token {
	out := model.Token{ID: t.ID(), User: t.User, Proof: t.Proof, Label: t.Label, From: t.From, Made: t.Made}
	if !t.Expires.IsZero() {
		expires := t.Expires
		out.Expires = &expires
	}
	return out
}

// Tokens lists the sessions and tokens of a user, or of all users if user is "".
func (u *Users) Tokens(user string) []model.Token {
	out := []model.Token{}
	u.catalog.View(func(v *catalog.View) {
		list := v.TokensOf(user)
		if user == "" {
			for t := range v.Tokens() {
				list = append(list, t)
			}
		}
		for _, t := range list {
			if !u.over(t) {
				out = append(out, shown(t))
			}
		}
	})
	return out
}

// Revoke revokes a session or token, by its id. user is the required owner; "": anyone. Errors are *model.Error.
func (u *Users) Revoke(ctx context.Context, user, id string) (uint64, error) {
	rev, err := u.commit.Do(ctx, func(tx *commit.Tx) error {
		for t := range tx.Tokens() {
			if t.ID() == id && (user == "" || t.User == user) {
				tx.Delete(record.Tokens + t.Hash)
				return nil
			}
		}
		return model.Errorf(model.CodeNotFound, "id", "there is no token %q", id).Try("netctl auth tokens lists them")
	})
	return uint64(rev), err
}
