// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"context"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/httpserver"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/sanitize"
)

// Attempts that may follow each other at once, and the interval of further ones. The total of an address is bounded before; see the table
// of open routes in daemon/master/server.
const (
	attemptsAt       = 10 // as one user from one site
	pauseAt          = 6 * time.Second
	attemptsOfUser   = 30 // as one user from sites where the user has no session
	pauseOfUser      = time.Second
	turnTimeout      = 10 * time.Second // of the wait for a turn, for a user whose name is tried from many sites
	questionsOfOne   = 30               // calls to the OpenID provider from a site: the login of a device makes one every five seconds
	pauseOfQuestions = time.Second
)

// throttle bounds the rate of login attempts. Attempts at one site do not lock out users elsewhere: attempts of others as a user delay only
// clients at sites where that user has no session. It is safe for concurrent use.
type throttle struct {
	at, user, questions *httpserver.Attempts
}

func newThrottle(now func() time.Time) *throttle {
	return &throttle{httpserver.NewAttempts(attemptsAt, pauseAt, now), httpserver.NewAttempts(attemptsOfUser, pauseOfUser, now), httpserver.NewAttempts(questionsOfOne, pauseOfQuestions, now)}
}

// longKey bounds the stored part of an attempted name, in bytes.
const longKey = 256

// account returns the normalized name of a user, however it is written.
func account(user string) string { return sanitize.Line(strings.ToLower(user), longKey) }

// enter counts an attempt as a user, and returns its delay. known: the user has a session from that site. Errors are *model.Error.
func (t *throttle) enter(user, address string, known bool) (wait time.Duration, err error) {
	if _, ok := t.at.Admit(account(user)+" "+httpserver.Site(address), 0); !ok {
		return 0, model.Errorf(model.CodeBusy, "", "too many attempts to log in as this user from %s", httpserver.Site(address)).Try("wait: each %s one more is permitted", pauseAt)
	}
	if known {
		return 0, nil
	}
	wait, ok := t.user.Admit(account(user), turnTimeout)
	if !ok {
		return 0, model.Errorf(model.CodeBusy, "", "too many attempts to log in as this user, from many sites").
			Try("log in from where this user has a session, or with a certificate (contiv cert user); netctl audit lists the sites")
	}
	return wait, nil
}

// asked counts a call to the OpenID provider, which cannot guess passwords, and refuses an excess one. Errors are *model.Error.
func (t *throttle) asked(address string) error {
	if _, ok := t.questions.Admit(httpserver.Site(address), 0); !ok {
		return model.Errorf(model.CodeBusy, "", "too many questions to the OpenID provider from %s", httpserver.Site(address)).Try("wait: each %s one more is permitted", pauseOfQuestions)
	}
	return nil
}

// succeeded returns the attempts of a user who has logged in, and none of other sites.
func (t *throttle) succeeded(user, address string, known bool) {
	t.at.Forget(account(user) + " " + httpserver.Site(address))
	if !known {
		t.user.Back(account(user))
	}
}

// await waits for an attempt's turn. Errors are *model.Error.
func (u *Users) await(ctx context.Context, user, from string) (known bool, err error) {
	if len(user) <= longPassword {
		known = u.knows(user, from)
	}
	wait, err := u.throttle.enter(user, from, known)
	if err != nil || wait == 0 {
		return known, err
	}
	select {
	case <-u.after(wait):
		return known, nil
	case <-ctx.Done():
		return known, model.Errorf(model.CodeBusy, "", "many try to log in as this user").Try("log in a moment later")
	}
}

// knows reports whether a user has a session from a site.
func (u *Users) knows(user, address string) (known bool) {
	site := httpserver.Site(address)
	u.catalog.View(func(v *catalog.View) {
		for _, t := range v.TokensOf(user) {
			known = known || !u.over(t) && httpserver.Site(t.From) == site
		}
	})
	return known
}
