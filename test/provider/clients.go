// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"slices"

	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

// people are the users.
type people struct{}

func (people) all() []*storage.User {
	return []*storage.User{
		{ID: "ann", Username: "ann", Password: "correct horse", FirstName: "Ann", LastName: "Smith", Email: "ann@example.org", EmailVerified: true},
		{ID: "bob", Username: "bob", Password: "correct horse", FirstName: "Bob", LastName: "Jones", Email: "bob@example.org"},
	}
}

func (p people) GetUserByID(id string) *storage.User { return p.GetUserByUsername(id) }

func (p people) GetUserByUsername(name string) *storage.User {
	for _, u := range p.all() {
		if u.Username == name {
			return u
		}
	}
	return nil
}

func (people) ExampleClientID() string { return storage.ServiceUserID }

// claiming puts what is asked of a user into ID tokens, groups among it.
type claiming struct{ *storage.Storage }

// client is one that may ask for groups and has all claims in its ID tokens.
type client struct{ op.Client }

func (client) IDTokenUserinfoClaimsAssertion() bool { return true }

func (client) IsScopeAllowed(scope string) bool { return scope == "groups" }

func (c client) GrantTypes() []oidc.GrantType {
	return append(slices.Clone(c.Client.GrantTypes()), oidc.GrantTypeDeviceCode)
}

// GetClientByClientID is op.Storage's.
func (s *claiming) GetClientByClientID(ctx context.Context, id string) (op.Client, error) {
	c, err := s.Storage.GetClientByClientID(ctx, id)
	if err != nil {
		return nil, err
	}
	return client{c}, nil
}

// SetUserinfoFromRequest is op.CanSetUserinfoFromRequest's.
func (s *claiming) SetUserinfoFromRequest(ctx context.Context, info *oidc.UserInfo, token op.IDTokenRequest, scopes []string) error {
	if slices.Contains(scopes, "groups") {
		groups := []string{}
		if token.GetSubject() == "ann" {
			groups = append(groups, "network")
		}
		info.AppendClaims("groups", groups)
	}
	return s.Storage.SetUserinfoFromRequest(ctx, info, token, scopes)
}
