// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"strconv"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/table"
)

// Tokens by user, and audited events in order.
var (
	tokensOfUser = table.By[string](func(t *record.Token) string { return t.User })
	auditInOrder = table.Sorted[string](func(a, b *record.AuditEvent) int { return cmp.Compare(a.Number, b.Number) })
)

// authSpaces returns the keyspaces of the records that authenticate users.
func authSpaces() []keyspace {
	return []keyspace{
		rows[string, record.Password]{in: func(v *View) *of[record.Password] { return &v.passwords }, id: func(p *record.Password) string { return p.User }}.at(record.Passwords),
		rows[string, record.Token]{in: func(v *View) *of[record.Token] { return &v.tokens }, id: func(t *record.Token) string { return t.Hash }}.at(record.Tokens),
		rows[string, record.AuditEvent]{in: func(v *View) *of[record.AuditEvent] { return &v.audit }, decode: decodeAudit}.at(record.AuditEvents),
	}
}

// AuditKey returns the store key of an audited event.
func AuditKey(number uint64) string { return fmt.Sprintf("%s%012d", record.AuditEvents, number) }

func decodeAudit(name string, value []byte) (*record.AuditEvent, error) {
	e := new(record.AuditEvent)
	n, err := strconv.ParseUint(name, 10, 64)
	if err == nil {
		err = json.Unmarshal(value, e)
	}
	e.Number = n
	return e, err
}

// Password returns a user's password record, nil if it has none.
func (v *View) Password(user string) *record.Password { return v.passwords.Get(user) }

// Token returns the token with a hash, nil if there is none.
func (v *View) Token(hash string) *record.Token { return v.tokens.Get(hash) }

// Tokens yields all tokens, in no order.
func (v *View) Tokens() iter.Seq[*record.Token] { return v.tokens.Values() }

// TokensOf returns the tokens of a user, the oldest first.
func (v *View) TokensOf(user string) []*record.Token {
	return sortedBy(tokensOfUser.In(&v.tokens, user).Values(), func(t *record.Token) string { return t.Made.UTC().Format("20060102150405.000000000") + t.Hash })
}

// Authorizations yields the authorizations. The caller must not change them.
func (v *View) Authorizations(yield func(*model.Authorization) bool) {
	for e := range v.kind(model.KindAuthorization()) {
		if a, ok := v.of(e).(*model.Authorization); ok && !yield(a) {
			return
		}
	}
}

// Audit yields the audited events, the oldest first.
func (v *View) Audit(yield func(*record.AuditEvent) bool) {
	for e := range auditInOrder.All(&v.audit) {
		if !yield(e) {
			return
		}
	}
}

// CountAudit returns the number of stored events.
func (v *View) CountAudit() int { return v.audit.Len() }

// LastAudit returns the number of the newest event, 0 if there is none.
func (v *View) LastAudit() uint64 {
	for e := range auditInOrder.Back(&v.audit, &record.AuditEvent{Number: 1<<64 - 1}) {
		return e.Number
	}
	return 0
}
