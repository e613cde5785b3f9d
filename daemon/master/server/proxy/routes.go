// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"crypto/rand"
	"net/http"
	"strings"

	"github.com/contiv/contiv/api/model"
)

func (p *Proxy) login(w http.ResponseWriter, q *http.Request) {
	var ask model.Login
	if !p.body(w, q, &ask) {
		return
	}
	if ask.Username == "" || ask.Password == "" {
		fail(w, http.StatusBadRequest, "Username and password must be provided")
		return
	}
	r := p.call(q, http.MethodPost, loginPath, ask)
	switch {
	case r.Status == http.StatusUnauthorized:
		fail(w, r.Status, "Invalid username/password")
	case !r.failed(w):
		var t model.Token
		r.read(&t)
		answer(w, http.StatusOK, map[string]string{"token": t.Token})
	}
}

func (p *Proxy) version(w http.ResponseWriter, q *http.Request) {
	r := p.call(q, http.MethodGet, "/version", nil)
	if !r.failed(w) {
		var v model.Version
		r.read(&v)
		answer(w, http.StatusOK, map[string]string{"version": v.Version})
	}
}

func (p *Proxy) health(w http.ResponseWriter, q *http.Request) {
	if r := p.call(q, http.MethodGet, "/readyz", nil); r.Status != 0 && r.Status != http.StatusOK {
		answer(w, http.StatusServiceUnavailable, map[string]string{"status": "unhealthy", "reason": strings.TrimSpace(r.Body.String())})
		return
	}
	answer(w, http.StatusOK, map[string]string{"status": "healthy"})
}

// localUser is a user in the proxy's words. The password is only in requests.
type localUser struct {
	Username  string  `json:"username"`
	Password  *string `json:"password,omitempty"`
	FirstName *string `json:"first_name"`
	LastName  *string `json:"last_name"`
	Disable   *bool   `json:"disable"`
}

func shownUser(u *model.User) localUser {
	disabled := u.Disabled == "yes"
	return localUser{Username: u.Username, FirstName: &u.FirstName, LastName: &u.LastName, Disable: &disabled}
}

// onto writes what is given into a user.
func (l *localUser) onto(u *model.User) {
	if l.FirstName != nil {
		u.FirstName = *l.FirstName
	}
	if l.LastName != nil {
		u.LastName = *l.LastName
	}
	if l.Disable != nil {
		if u.Disabled = "no"; *l.Disable {
			u.Disabled = "yes"
		}
	}
}

func (p *Proxy) users(w http.ResponseWriter, q *http.Request) {
	r := p.call(q, http.MethodGet, "/api/v1/users/", nil)
	if r.failed(w) || !p.manages(w, q) {
		return
	}
	var list []*model.User
	r.read(&list)
	out := []localUser{}
	for _, u := range list {
		if u.Type != "service" {
			out = append(out, shownUser(u))
		}
	}
	answer(w, http.StatusOK, out)
}

// manages refuses who may not manage users: lists of these would be empty.
func (p *Proxy) manages(w http.ResponseWriter, q *http.Request) bool {
	return !p.call(q, http.MethodGet, "/api/v1/audit", nil).failed(w) // the right to read it is the right to manage users
}

func (p *Proxy) user(w http.ResponseWriter, q *http.Request) {
	if u := p.find(w, q); u != nil {
		answer(w, http.StatusOK, shownUser(u))
	}
}

// find is the user that the path names; nil when it has answered that there is none.
func (p *Proxy) find(w http.ResponseWriter, q *http.Request) *model.User {
	name := q.PathValue("name")
	if !plain(name) {
		w.WriteHeader(http.StatusNotFound)
		return nil
	}
	r := p.call(q, http.MethodGet, "/api/v1/users/"+name+"/", nil)
	if r.failed(w) {
		return nil
	}
	u := new(model.User)
	r.read(u)
	return u
}

func (p *Proxy) addUser(w http.ResponseWriter, q *http.Request) {
	var ask localUser
	if !p.body(w, q, &ask) {
		return
	}
	if !plain(ask.Username) || ask.Password == nil || *ask.Password == "" {
		fail(w, http.StatusBadRequest, "username/password is empty")
		return
	}
	if r := p.call(q, http.MethodGet, "/api/v1/users/"+ask.Username+"/", nil); r.Status == http.StatusOK {
		fail(w, http.StatusBadRequest, "user exists already")
		return
	}
	u := &model.User{Username: ask.Username}
	ask.onto(u)
	p.putUser(w, q, u, ask.Password, http.StatusCreated)
}

func (p *Proxy) changeUser(w http.ResponseWriter, q *http.Request) {
	var ask localUser
	if !p.body(w, q, &ask) {
		return
	}
	if u := p.find(w, q); u != nil {
		ask.onto(u)
		p.putUser(w, q, u, ask.Password, http.StatusOK)
	}
}

// putUser stores a user, and its password if one is given.
func (p *Proxy) putUser(w http.ResponseWriter, q *http.Request, u *model.User, password *string, done int) {
	if p.call(q, http.MethodPost, "/api/v1/users/"+u.Username+"/", u).failed(w) {
		return
	}
	if password != nil && *password != "" {
		if p.call(q, http.MethodPost, "/api/v1/auth/password", model.PasswordRequest{Username: u.Username, Password: *password}).failed(w) {
			if done == http.StatusCreated { // else a user without a password would be in the way of another attempt
				p.call(q, http.MethodDelete, "/api/v1/users/"+u.Username+"/", nil)
			}
			return
		}
	}
	answer(w, done, shownUser(u))
}

// authorization is an authorization in the proxy's words.
type authorization struct {
	AuthzUUID     string
	PrincipalName string
	Local         bool
	Role          string
	TenantName    string
}

// The proxy's role of who may use one tenant's networks.
const ops = "ops"

func shownAuthorization(a *model.Authorization) authorization {
	out := authorization{AuthzUUID: a.AuthorizationName, PrincipalName: a.UserName, Local: true, Role: a.Role, TenantName: a.Scope}
	if a.UserName == "" {
		out.PrincipalName, out.Local = a.GroupName, false
	}
	if a.Role == "tenant-admin" {
		out.Role = ops
	}
	return out
}

func (p *Proxy) authorizations(w http.ResponseWriter, q *http.Request) {
	r := p.call(q, http.MethodGet, "/api/v1/authorizations/", nil)
	if r.failed(w) || !p.manages(w, q) {
		return
	}
	var list []*model.Authorization
	r.read(&list)
	out := []authorization{}
	for _, a := range list {
		out = append(out, shownAuthorization(a))
	}
	answer(w, http.StatusOK, out)
}

func (p *Proxy) authorization(w http.ResponseWriter, q *http.Request) {
	name := q.PathValue("name")
	if !plain(name) {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	r := p.call(q, http.MethodGet, "/api/v1/authorizations/"+name+"/", nil)
	if !r.failed(w) {
		var a model.Authorization
		r.read(&a)
		answer(w, http.StatusOK, shownAuthorization(&a))
	}
}

func (p *Proxy) addAuthorization(w http.ResponseWriter, q *http.Request) {
	var ask authorization
	if !p.body(w, q, &ask) {
		return
	}
	a := &model.Authorization{AuthorizationName: strings.ToLower(rand.Text()), Role: ask.Role, Scope: ask.TenantName}
	switch {
	case ask.PrincipalName == "":
		fail(w, http.StatusBadRequest, "principal name is missing")
		return
	case ask.Role == "admin":
		a.Scope = ""
	case ask.Role == ops && ask.TenantName == "":
		fail(w, http.StatusBadRequest, "tenant name is missing")
		return
	case ask.Role == ops:
		a.Role = "tenant-admin"
	}
	if a.UserName = ask.PrincipalName; !ask.Local {
		a.UserName, a.GroupName = "", ask.PrincipalName
	}
	if !p.call(q, http.MethodPost, "/api/v1/authorizations/"+a.AuthorizationName+"/", a).failed(w) {
		answer(w, http.StatusCreated, shownAuthorization(a))
	}
}

const ldapPath = "/api/v1/ldapConfigurations/ldap/"

// ldapConfiguration is the LDAP configuration in the proxy's words. The password is only in requests.
type ldapConfiguration struct {
	Server   string  `json:"server"`
	Port     int     `json:"port"`
	BaseDN   string  `json:"base_dn"`
	BindDN   string  `json:"service_account_dn"`
	Password *string `json:"service_account_password,omitempty"`
	StartTLS bool    `json:"start_tls"`
	Skip     bool    `json:"insecure_skip_verify"`
	IssuedTo string  `json:"tls_cert_issued_to"`
}

func shownLDAP(c *model.LdapConfiguration) ldapConfiguration {
	return ldapConfiguration{Server: c.Server, Port: c.Port, BaseDN: c.BaseDN, BindDN: c.BindDN, StartTLS: c.Security != "tls", IssuedTo: c.Server}
}

func (p *Proxy) ldap(w http.ResponseWriter, q *http.Request) {
	r := p.call(q, http.MethodGet, ldapPath, nil)
	if !r.failed(w) {
		var c model.LdapConfiguration
		r.read(&c)
		answer(w, http.StatusOK, shownLDAP(&c))
	}
}

// setLDAP sets the configuration, which PATCH changes in part.
func (p *Proxy) setLDAP(w http.ResponseWriter, q *http.Request) {
	c, ask, done := &model.LdapConfiguration{}, ldapConfiguration{StartTLS: true}, http.StatusCreated
	r := p.call(q, http.MethodGet, ldapPath, nil)
	if r.Status == http.StatusOK {
		r.read(c)
	}
	if q.Method == http.MethodPatch {
		if r.failed(w) {
			return
		}
		ask, done = shownLDAP(c), http.StatusOK
	}
	if !p.body(w, q, &ask) {
		return
	}
	if ask.Skip || !ask.StartTLS && c.Security != "tls" || ask.IssuedTo != "" && ask.IssuedTo != ask.Server {
		fail(w, http.StatusBadRequest, "the directory is reached with StartTLS, and its certificate is checked and names the server")
		return
	}
	c.Name, c.Server, c.Port, c.BaseDN, c.BindDN = "ldap", ask.Server, ask.Port, ask.BaseDN, ask.BindDN
	if p.call(q, http.MethodPost, ldapPath, c).failed(w) {
		return
	}
	if ask.Password != nil && p.call(q, http.MethodPost, "/api/v1/auth/ldap-password", model.PasswordRequest{Password: *ask.Password}).failed(w) {
		return
	}
	answer(w, done, shownLDAP(c))
}
