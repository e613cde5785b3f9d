// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"context"
	"crypto/rand"
	"log/slog"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/trust"
)

const (
	// SessionTime is how long a session lasts.
	SessionTime = 10 * time.Hour
	// maxTokens bounds the sessions and tokens of one user; a new session replaces the oldest one.
	maxTokens = 64
	// checksAtOnce bounds the concurrent checks of passwords: each takes memory and a processor.
	checksAtOnce = 2
	// questionsAtOnce bounds the concurrent calls to the OpenID provider.
	questionsAtOnce = 8
	sweepInterval   = time.Minute
)

// Directory checks the passwords of users who are not of this cluster.
type Directory interface {
	// Check verifies a user's password, and returns the distinguished names of the user's groups. It blocks until the directory has
	// answered. Errors are *model.Error; CodeUnproved if the password is wrong.
	Check(ctx context.Context, c *model.LdapConfiguration, bindPassword, user, password string) (groups []string, err error)
}

// Users authenticates users. Its methods are safe for concurrent use.
type Users struct {
	commit    *commit.Committer
	catalog   *catalog.Catalog
	directory Directory
	now       func() time.Time
	after     func(time.Duration) <-chan time.Time
	throttle  *throttle
	checks    chan struct{} // holds one token for each password that is being checked
	provider  Provider
	questions chan struct{} // holds one token for each call to the provider
	seal      func() (*trust.Seal, error)
	cost      cost
	nothing   string // a hash that no password matches, for unknown users
}

// Config configures Users.
type Config struct {
	Commit    *commit.Committer
	Catalog   *catalog.Catalog
	Directory Directory // nil: none
	Provider  Provider  // nil: none
	// Seal returns the key that seals netmaster's own secrets; fs.ErrNotExist, or nil: they are not sealed.
	Seal func() (*trust.Seal, error)
	Now  func() time.Time // nil: time.Now
	// After delays a login; nil: time.After.
	After func(time.Duration) <-chan time.Time
	// Cheap reduces the cost of password hashes, for tests.
	Cheap bool
}

// NewUsers returns Users.
func NewUsers(c Config) *Users {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.After == nil {
		c.After = time.After
	}
	u := &Users{commit: c.Commit, catalog: c.Catalog, directory: c.Directory, now: c.Now, after: c.After, throttle: newThrottle(c.Now), checks: make(chan struct{}, checksAtOnce), cost: ordinary,
		provider: c.Provider, questions: make(chan struct{}, questionsAtOnce), seal: c.Seal}
	if c.Cheap {
		u.cost = cost{Memory: 8, Passes: 1, Threads: 1}
	}
	u.nothing = u.cost.text(make([]byte, saltBytes), make([]byte, keyBytes))
	return u
}

// SetPassword sets a user's password, and ends its sessions. It blocks until that is durable. Errors are *model.Error.
func (u *Users) SetPassword(ctx context.Context, user, password string) (uint64, error) {
	if err := checkPassword(password); err != nil {
		return 0, err
	}
	hash, err := u.hash(ctx, password)
	if err != nil {
		return 0, err
	}
	rev, err := u.commit.Do(ctx, func(tx *commit.Tx) error {
		o, _ := tx.Stored(model.KindUser(), user).(*model.User)
		switch {
		case o == nil:
			return tx.NotFound(model.KindUser(), user)
		case o.Type == "service":
			return model.Errorf(model.CodeInvalid, "user", "user %s is a service account", user).Try("netctl auth token %s makes a token for it", user)
		}
		return u.setPassword(tx, user, hash)
	})
	return uint64(rev), err
}

func (u *Users) setPassword(tx *commit.Tx, user, hash string) error {
	for _, t := range tx.TokensOf(user) {
		if Proof(t.Proof) == BySession {
			tx.Delete(record.Tokens + t.Hash)
		}
	}
	return tx.Put(record.Passwords+user, &record.Password{User: user, Hash: hash, Set: u.now().UTC()})
}

// hash hashes a password when its turn comes.
func (u *Users) hash(ctx context.Context, password string) (string, error) {
	if err := u.turn(ctx); err != nil {
		return "", err
	}
	defer u.done()
	return u.cost.hash(password), nil
}

// turn waits until a password may be checked.
func (u *Users) turn(ctx context.Context) error {
	select {
	case u.checks <- struct{}{}:
		return nil
	case <-ctx.Done():
		return model.Errorf(model.CodeBusy, "", "netmaster is checking other passwords").Try("log in a moment later")
	}
}

func (u *Users) done() { <-u.checks }

// FirstAdmin creates the user admin with a random password, which it returns, once in a cluster's life. Errors are *model.Error.
func (u *Users) FirstAdmin(ctx context.Context) (model.Login, uint64, error) {
	const name = "admin"
	out := model.Login{Username: name, Password: rand.Text()}
	hash, err := u.hash(ctx, out.Password)
	if err != nil {
		return model.Login{}, 0, err
	}
	rev, err := u.commit.Do(ctx, func(tx *commit.Tx) error {
		if tx.Value(record.FirstAdmin) != nil || tx.Has(model.KindUser().Name, name) {
			return model.Errorf(model.CodeConflict, "", "the first admin was made before").
				Try("another password: netctl auth password %s, with an admin's certificate", name)
		}
		user := &model.User{Username: name, Type: "person", Disabled: "no"}
		grant := &model.Authorization{AuthorizationName: name, UserName: name, Role: "admin"}
		user.SetKey(name)
		grant.SetKey(name)
		for _, o := range []model.Object{user, grant} {
			if err := tx.PutObject(o); err != nil {
				return err
			}
		}
		if err := tx.Put(record.FirstAdmin, u.now().UTC()); err != nil {
			return err
		}
		return u.setPassword(tx, name, hash)
	})
	if err != nil {
		return model.Login{}, 0, err
	}
	return out, uint64(rev), nil
}

// Sweep removes expired tokens until ctx ends. It is a duty of the leader.
func (u *Users) Sweep(ctx context.Context, log *slog.Logger) {
	tick := time.NewTicker(sweepInterval)
	defer tick.Stop()
	for {
		if err := u.SweepNow(ctx); err != nil && ctx.Err() == nil {
			log.Warn("removing expired tokens failed", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// SweepNow is one round of Sweep.
func (u *Users) SweepNow(ctx context.Context) error {
	found := false
	u.catalog.View(func(v *catalog.View) {
		for t := range v.Tokens() {
			found = found || u.over(t)
		}
	})
	if !found {
		return nil
	}
	_, err := u.commit.Do(ctx, func(tx *commit.Tx) error {
		for t := range tx.Tokens() {
			if u.over(t) && tx.Room() > 0 {
				tx.Delete(record.Tokens + t.Hash)
			}
		}
		return nil
	})
	return err
}

func (u *Users) over(t *record.Token) bool { return !t.Expires.IsZero() && !u.now().Before(t.Expires) }
