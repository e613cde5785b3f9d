// SPDX-License-Identifier: Apache-2.0

package rights

import (
	"fmt"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
)

// Role is a named set of rights. A separate right is a role too, named like its verb.
type Role string

// The roles.
const (
	Admin        Role = "admin"
	Operator     Role = "operator"
	Viewer       Role = "viewer"
	TenantAdmin  Role = "tenant-admin"
	TenantViewer Role = "tenant-viewer"
)

// Has reports whether the role includes a verb, at least in a tenant.
func (r Role) Has(v Verb) bool {
	switch r {
	case Admin:
		return true
	case Operator:
		return v != Manage
	case Viewer, TenantViewer:
		return v == Read
	case TenantAdmin:
		return v == Read || v == Change
	case Role(Capture), Role(Repair), Role(HandOver), Role(Relay), Role(Bundle):
		return Verb(r) == v
	}
	return false
}

// String is the name of the role.
func (r Role) String() string { return string(r) }

// OfTenant reports whether the role is granted for a tenant, and for nothing beyond.
func (r Role) OfTenant() bool { return r == TenantAdmin || r == TenantViewer }

// Roles lists all roles.
func Roles() []Role {
	return []Role{Admin, Operator, Viewer, TenantAdmin, TenantViewer, Role(Capture), Role(Repair), Role(HandOver), Role(Relay), Role(Bundle)}
}

// Grant is a granted role.
type Grant struct {
	Role   Role
	Tenant string // "": the cluster
}

// String describes the grant.
func (g Grant) String() string {
	if g.Tenant == "" {
		return string(g.Role)
	}
	return string(g.Role) + " of " + g.Tenant
}

// Check validates a grant. Errors are *model.Error.
func (g Grant) Check() error {
	switch {
	case !slices.Contains(Roles(), g.Role):
		return model.Errorf(model.CodeInvalid, "role", "there is no role %q", g.Role).Try("use one of %s", list(Roles()))
	case g.Role.OfTenant() && g.Tenant == "":
		return model.Errorf(model.CodeInvalid, "tenantName", "role %s without a tenant", g.Role).Try("name the tenant, or choose admin, operator or viewer for the cluster")
	case g.Tenant != "" && !g.Role.OfTenant() && g.Role != Role(Capture):
		return model.Errorf(model.CodeInvalid, "tenantName", "role %s is of the cluster", g.Role).Try("leave the tenant out, or choose tenant-admin, tenant-viewer or capture")
	}
	return nil
}

// permits reports whether the grant includes a right. An invalid grant permits nothing.
func (g Grant) permits(r Right) bool {
	return g.Check() == nil && g.Role.Has(r.Verb) && (g.Tenant == "" || g.Tenant == r.Tenant)
}

// Grants are all grants of a user.
type Grants []Grant

// Permit reports whether one of the grants includes a right.
func (g Grants) Permit(r Right) bool {
	return slices.ContainsFunc(g, func(one Grant) bool { return one.permits(r) })
}

// Holders describes the grants that include a right.
func Holders(r Right) []Grant {
	var out []Grant
	for _, role := range Roles() {
		for _, g := range []Grant{{Role: role}, {Role: role, Tenant: r.Tenant}} {
			if g.permits(r) && !slices.Contains(out, g) {
				out = append(out, g)
			}
		}
	}
	return out
}

// Refusal is the error that a right is missing, with the roles that include it.
func Refusal(r Right) *model.Error {
	return model.Errorf(model.CodeDenied, "", "the right to %s is missing", r).
		Try("roles that include it: %s; an admin grants one with netctl authorization create, and netctl auth whoami shows your roles", list(Holders(r)))
}

func list[T fmt.Stringer](all []T) string {
	var names []string
	for _, one := range all {
		names = append(names, one.String())
	}
	return strings.Join(names, ", ")
}
