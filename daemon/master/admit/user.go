// SPDX-License-Identifier: Apache-2.0

package admit

import (
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rights"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
)

func createUser(*commit.Tx, *model.User) error { return nil }

func updateUser(tx *commit.Tx, old, now *model.User) error {
	if old.Type != now.Type {
		return model.Errorf(model.CodeImmutable, "type", "user %s is a %s", old.Username, old.Type).Try("delete the user and create it again")
	}
	if now.Disabled == "yes" {
		return otherAdmin(tx, func(a *model.Authorization) bool { return a.UserName != now.Username })
	}
	return nil
}

func removeUser(tx *commit.Tx, u *model.User) error {
	if keys := tx.Referrers(model.KindUser(), u.Username, model.KindAuthorization().Name); len(keys) > 0 {
		return model.Errorf(model.CodeInUse, "", "user %s has %d authorizations", u.Username, len(keys)).Try("delete %s first", some(keys))
	}
	tx.Delete(record.Passwords + u.Username)
	for _, t := range tx.TokensOf(u.Username) {
		tx.Delete(record.Tokens + t.Hash)
	}
	return nil
}

func createAuthorization(tx *commit.Tx, a *model.Authorization) error {
	switch {
	case (a.UserName == "") == (a.GroupName == ""):
		return model.Errorf(model.CodeInvalid, "userName", "an authorization of a user and a group, or of neither").Try("name one of them, with --user or --group")
	case a.UserName != "" && !tx.Has(model.KindUser().Name, a.UserName):
		return model.Errorf(model.CodeNotFound, "userName", "user %s not found", a.UserName).Try("create it with netctl user create %s", a.UserName)
	case a.Scope != "" && !tx.Has(model.KindTenant().Name, a.Scope):
		return tenantOf(tx, a.Scope)
	}
	return rights.Grant{Role: rights.Role(a.Role), Tenant: a.Scope}.Check()
}

func updateAuthorization(tx *commit.Tx, old, now *model.Authorization) error {
	if err := createAuthorization(tx, now); err != nil {
		return err
	}
	if len(model.Differences(old, now)) == 0 || old.Role != string(rights.Admin) || now.Role == old.Role && now.UserName == old.UserName {
		return nil
	}
	return otherAdmin(tx, func(a *model.Authorization) bool { return a.AuthorizationName != old.AuthorizationName })
}

func removeAuthorization(tx *commit.Tx, a *model.Authorization) error {
	if a.Role != string(rights.Admin) {
		return nil
	}
	return otherAdmin(tx, func(other *model.Authorization) bool { return other.AuthorizationName != a.AuthorizationName })
}

// otherAdmin refuses to leave a cluster without an enabled admin. A cluster without one yet gets its first one later.
func otherAdmin(tx *commit.Tx, stays func(*model.Authorization) bool) error {
	before := false
	for a := range tx.Authorizations {
		u, _ := tx.Stored(model.KindUser(), a.UserName).(*model.User)
		if a.Role != string(rights.Admin) || a.GroupName == "" && (u == nil || u.Disabled == "yes") {
			continue
		}
		before = true
		if stays(a) {
			return nil
		}
	}
	if !before {
		return nil
	}
	return model.Errorf(model.CodeInUse, "", "no admin would be left").Try("make another user admin first, with netctl authorization create")
}

func createLDAP(*commit.Tx, *model.LdapConfiguration) error { return nil }

// updateLDAP deletes netmaster's bind password if it would be sent to another directory: the permission to choose the directory must not
// reveal the password.
func updateLDAP(tx *commit.Tx, old, now *model.LdapConfiguration) error {
	if old.Server != now.Server || old.Port != now.Port || old.BindDN != now.BindDN || old.CaCertificate != now.CaCertificate {
		tx.Delete(record.LDAPKey)
	}
	return nil
}

func removeLDAP(tx *commit.Tx, _ *model.LdapConfiguration) error {
	tx.Delete(record.LDAPKey)
	return nil
}
