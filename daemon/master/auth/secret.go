// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/trust"
)

// Forms in which the store has a secret of netmaster's own.
const (
	secretNone   = "none"
	secretPlain  = "plain"
	secretSealed = "sealed"
	secretLost   = "lost" // sealed with a key that is no longer here
)

// SetLDAPPassword sets the password with which netmaster itself binds to the directory; "": none.
func (u *Users) SetLDAPPassword(ctx context.Context, password string) (uint64, error) {
	return u.setSecret(ctx, record.LDAPKey, password, nil)
}

// SetOIDCSecret sets the secret with which netmaster authenticates to the OpenID provider; "": none.
func (u *Users) SetOIDCSecret(ctx context.Context, secret string) (uint64, error) {
	return u.setSecret(ctx, record.OIDCKey, secret, func(v *catalog.View) error {
		_, err := provider(v)
		return err
	})
}

// setSecret stores a secret of netmaster's own, if may agrees in the same transaction; "" deletes it.
func (u *Users) setSecret(ctx context.Context, key, text string, may func(*catalog.View) error) (uint64, error) {
	seal, err := u.sealing()
	if err != nil {
		return 0, err
	}
	rev, err := u.commit.Do(ctx, func(tx *commit.Tx) error {
		if text == "" {
			tx.Delete(key)
			return nil
		}
		if may != nil {
			if err := may(tx.View); err != nil {
				return err
			}
		}
		return tx.Put(key, kept(seal, key, text))
	})
	return uint64(rev), err
}

// kept returns the stored form of a secret.
func kept(seal *trust.Seal, key, text string) *record.Secret {
	if seal == nil {
		return &record.Secret{Plain: text}
	}
	return &record.Secret{Sealed: seal.Close(key, []byte(text)), By: seal.By()}
}

// sealing returns the key for secrets; nil if netmasters have no authority's key. Errors are *model.Error.
func (u *Users) sealing() (*trust.Seal, error) {
	if u.seal == nil {
		return nil, nil
	}
	seal, err := u.seal()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, model.Errorf(model.CodeUnavailable, "", "secrets of the store are sealed by the authority's key, which cannot be read: %v", err).Because(err).
			Try("put the files of the authority right on the host of the netmaster that leads")
	}
	return seal, nil
}

// reveal returns a secret of netmaster's own, "" if there is none. set is the command that sets it. Errors are *model.Error.
func (u *Users) reveal(raw []byte, key, set string) (string, error) {
	if len(raw) == 0 {
		return "", nil
	}
	var s record.Secret
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", model.Errorf(model.CodeUnavailable, "", "a secret of the store cannot be read: %v", err).Because(err).Try("set it again: %s", set)
	}
	if len(s.Sealed) == 0 {
		return s.Plain, nil
	}
	seal, err := u.sealing()
	if err != nil {
		return "", err
	}
	if seal != nil {
		if text, err := seal.Open(key, s.Sealed); err == nil {
			return string(text), nil
		}
	}
	return "", model.Errorf(model.CodeUnavailable, "", "a secret of the store was sealed by the key of authority %.12s, which this netmaster does not have", s.By).Try("set it again: %s", set)
}

// Secrets returns a function that reports the form in which a view has a secret of netmaster's own, by its key: none, plain, sealed or
// lost.
func (u *Users) Secrets() func(v *catalog.View, key string) string {
	seal, err := u.sealing()
	return func(v *catalog.View, key string) string {
		raw := v.Value(key)
		var s record.Secret
		switch _ = json.Unmarshal(raw, &s); { // unreadable secrets count as lost
		case len(raw) == 0:
			return secretNone
		case s.Plain != "":
			return secretPlain
		case err != nil || seal == nil:
			return secretLost
		}
		if _, err := seal.Open(key, s.Sealed); err != nil {
			return secretLost
		}
		return secretSealed
	}
}

// SealSecrets seals secrets that an earlier build, or netmasters without the authority's key, have stored in plain text, and those that the
// previous authority has sealed. It is for a leader's first transaction, and for the replacement of the authority.
func (u *Users) SealSecrets(tx *commit.Tx) error {
	seal, err := u.sealing()
	if err != nil || seal == nil {
		return nil // users of the secret get the error
	}
	for _, key := range []string{record.LDAPKey, record.OIDCKey} {
		var s record.Secret
		if raw := tx.Value(key); len(raw) == 0 || json.Unmarshal(raw, &s) != nil || s.Plain == "" && s.By == seal.By() {
			continue
		}
		text := []byte(s.Plain)
		if s.Plain == "" {
			if text, err = seal.Open(key, s.Sealed); err != nil {
				continue // it is lost: its key is not here
			}
		}
		if err := tx.Put(key, kept(seal, key, string(text))); err != nil {
			return err
		}
	}
	return nil
}
