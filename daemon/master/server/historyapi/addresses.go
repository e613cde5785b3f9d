// SPDX-License-Identifier: Apache-2.0

package historyapi

import (
	"net/netip"
	"net/url"
	"strings"

	"github.com/julienschmidt/httprouter"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/identity"
)

// placeFilter reads which addresses are meant.
func placeFilter(q url.Values) (history.AddressFilter, error) {
	f := history.AddressFilter{Tenant: q.Get("tenant"), Address: q.Get("address")}
	if n := q.Get("network"); n != "" {
		f.Network = identity.Network{Tenant: f.Tenant, Name: n}
		if f.Tenant == "" {
			return f, model.Errorf(model.CodeInvalid, "tenant", "a network without a tenant").Try("name the tenant too: networks of several may have one name")
		}
	}
	if f.Address != "" && !strings.Contains(f.Address, "-") {
		a, err := netip.ParseAddr(f.Address)
		if err != nil {
			return f, model.Errorf(model.CodeInvalid, "address", "%q is not an IP address", f.Address)
		}
		f.Address = a.Unmap().WithZone("").String()
	}
	return f, nil
}

func (s *Past) ledger(who *auth.Subject, q url.Values, _ httprouter.Params) (any, error) {
	f, err := placeFilter(q)
	if err == nil {
		err = who.Tenant(f.Tenant)
	}
	if err != nil {
		return nil, err
	}
	limit, err := limitOf(q)
	if err != nil {
		return nil, err
	}
	until, err := untilOf(q)
	if err != nil {
		return nil, err
	}
	out := s.trail().Until(until).Ledger(f, limit)
	if out == nil {
		out = []model.AddressEntry{}
	}
	return out, nil
}

func (s *Past) addresses(who *auth.Subject, q url.Values, _ httprouter.Params) (any, error) {
	f, err := placeFilter(q)
	if err == nil {
		err = who.Tenant(f.Tenant)
	}
	if err != nil {
		return nil, err
	}
	if f.Network.IsZero() && f.Address == "" {
		return nil, model.Errorf(model.CodeInvalid, "address", "neither a network nor an address is named").Try("name one of them, or both")
	}
	m, err := history.ParseMoment(q.Get("at"))
	if err != nil {
		return nil, err
	}
	var book *history.Book
	s.Catalog.View(func(v *catalog.View) { book = history.Read(v, s.Keep, f) })
	out, err := book.At(m)
	if out == nil {
		out = []model.AddressState{}
	}
	return out, err
}
