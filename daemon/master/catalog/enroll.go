// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"cmp"
	"iter"
	"slices"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/table"
)

// Certificates by their holder, and by whether they are revoked.
var (
	certifiedAs = table.By[string](func(c *record.Certified) string { return c.Identity })
	revoked     = table.By[string](func(c *record.Certified) bool { return !c.Revoked.IsZero() })
)

// enrolSpaces returns the keyspaces of join tokens and of issued certificates.
func enrolSpaces() []keyspace {
	return []keyspace{
		rows[string, record.JoinToken]{in: func(v *View) *of[record.JoinToken] { return &v.joinTokens }, id: func(t *record.JoinToken) string { return t.ID }}.at(record.JoinTokens),
		rows[string, record.Certified]{in: func(v *View) *of[record.Certified] { return &v.certified }, id: func(c *record.Certified) string { return c.Serial }}.at(record.Certificates),
	}
}

// JoinToken returns the token with an ID, nil if there is none.
func (v *View) JoinToken(id string) *record.JoinToken { return v.joinTokens.Get(id) }

// JoinTokens returns all join tokens, the oldest first.
func (v *View) JoinTokens() []*record.JoinToken {
	return slices.SortedFunc(v.joinTokens.Values(), func(a, b *record.JoinToken) int {
		return cmp.Or(a.Made.Compare(b.Made), cmp.Compare(a.ID, b.ID))
	})
}

// CountJoinTokens returns the number of join tokens.
func (v *View) CountJoinTokens() int { return v.joinTokens.Len() }

// Certified returns the certificate with a serial, nil if it is unknown.
func (v *View) Certified(serial string) *record.Certified { return v.certified.Get(serial) }

// Certificates returns the known certificates by their holders, the oldest first.
func (v *View) Certificates() []*record.Certified { return oldestFirst(v.certified.Values()) }

// CertifiedAs returns the certificates of an identity, the oldest first.
func (v *View) CertifiedAs(identity string) []*record.Certified {
	return oldestFirst(certifiedAs.In(&v.certified, identity).Values())
}

// Revoked returns the revoked certificates.
func (v *View) Revoked() []*record.Certified {
	return oldestFirst(revoked.In(&v.certified, true).Values())
}

func oldestFirst(rows iter.Seq[*record.Certified]) []*record.Certified {
	return slices.SortedFunc(rows, func(a, b *record.Certified) int {
		return cmp.Or(cmp.Compare(a.Identity, b.Identity), a.Issued.Compare(b.Issued), cmp.Compare(a.Serial, b.Serial))
	})
}
