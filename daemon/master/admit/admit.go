// SPDX-License-Identifier: Apache-2.0

// Package admit decides which changes of objects are admitted: the rules between objects, one file per kind. A rule is a pure function over
// a transaction; an error aborts the whole transaction, so no rule ever undoes anything.
package admit

import (
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/commit"
)

// Admitter applies the rules.
type Admitter struct {
	settings Settings
	rules    map[string]rules
}

// rules are those of one kind. A nil function refuses the verb.
type rules struct {
	create func(tx *commit.Tx, now model.Object) error
	// update checks now against old and copies fields that an update keeps.
	update func(tx *commit.Tx, old, now model.Object) error
	remove func(tx *commit.Tx, old model.Object) error
	// addOnly: like the original, Put refuses every update; Apply updates.
	addOnly bool
}

// New returns an Admitter.
func New(s Settings) *Admitter {
	return &Admitter{settings: s, rules: map[string]rules{
		model.KindGlobal().Name:            typed(createGlobal, updateGlobal, removeGlobal),
		model.KindTenant().Name:            addOnly(typed(createTenant, updateTenant, removeTenant)),
		model.KindNetwork().Name:           typed(createNetwork, nil, removeNetwork),
		model.KindEndpointGroup().Name:     typed(createGroup, updateGroup, removeGroup),
		model.KindPolicy().Name:            typed(createPolicy, updatePolicy, removePolicy),
		model.KindRule().Name:              addOnly(typed(createRule, updateRule, removeRule)),
		model.KindNetprofile().Name:        typed(createNetprofile, updateNetprofile, removeNetprofile),
		model.KindServiceLB().Name:         typed(createService, updateService, removeService),
		model.KindBgp().Name:               typed(createBgp, updateBgp, removeBgp),
		model.KindAppProfile().Name:        typed(createAppProfile, updateAppProfile, removeAppProfile),
		model.KindExtContractsGroup().Name: typed(createContracts, nil, removeContracts),
		model.KindAciGw().Name:             typed(createAciGw, updateAciGw, removeAciGw),
		model.KindUser().Name:              typed(createUser, updateUser, removeUser),
		model.KindAuthorization().Name:     typed(createAuthorization, updateAuthorization, removeAuthorization),
		model.KindLdapConfiguration().Name: typed(createLDAP, updateLDAP, removeLDAP),
		model.KindOidcConfiguration().Name: typed(createOIDC, updateOIDC, removeOIDC),
	}}
}

// typed wraps functions over one type.
func typed[T model.Object](create func(*commit.Tx, T) error, update func(*commit.Tx, T, T) error, remove func(*commit.Tx, T) error) rules {
	r := rules{
		create: func(tx *commit.Tx, now model.Object) error { return create(tx, now.(T)) },
		remove: func(tx *commit.Tx, old model.Object) error { return remove(tx, old.(T)) },
	}
	if update != nil {
		r.update = func(tx *commit.Tx, old, now model.Object) error { return update(tx, old.(T), now.(T)) }
	}
	return r
}

// addOnly returns the rules of a kind whose objects only Apply updates.
func addOnly(r rules) rules {
	r.addOnly = true
	return r
}

// Put creates or updates an object for the original's routes, and refuses the updates that the original refused. An update without labels
// keeps them.
func (a *Admitter) Put(tx *commit.Tx, now model.Object) error {
	r, err := a.of(now.Kind())
	if err != nil {
		return err
	}
	old := tx.Object(now.Kind(), now.ObjectKey())
	KeepLabels(old, now)
	if r.addOnly && old != nil && !onlyLabels(model.Differences(old, now)) {
		return unchangeable(now).Try("netctl edit %s, or netctl apply with a file, changes it", commandName(now))
	}
	return a.put(tx, r, old, now)
}

// put creates an object, or updates its stored state old.
func (a *Admitter) put(tx *commit.Tx, r rules, old, now model.Object) (err error) {
	switch {
	case old == nil:
		err = r.create(tx, now)
	case onlyLabels(model.Differences(old, now)):
	case r.update == nil:
		err = unchangeable(now).Try("delete the %s and create it again", now.Kind().Command.Use)
	default:
		err = r.update(tx, old, now)
	}
	if err != nil {
		return err
	}
	return putObject(tx, now)
}

// Remove deletes an object.
func (a *Admitter) Remove(tx *commit.Tx, k *model.Kind, key string) error {
	r, err := a.of(k)
	if err != nil {
		return err
	}
	old := tx.Object(k, key)
	if old == nil {
		return tx.NotFound(k, key)
	}
	if err := r.remove(tx, old); err != nil {
		return err
	}
	tx.DeleteObject(k, key)
	return nil
}

func (a *Admitter) of(k *model.Kind) (rules, error) {
	r, ok := a.rules[k.Name]
	if !ok {
		return rules{}, model.Errorf(model.CodeUnsupported, "", "Invalid object type").Try("objects of kind %s cannot be stored", k.Name)
	}
	return r, nil
}

// unchangeable returns the error for an update, in the original's words.
func unchangeable(o model.Object) *model.Error {
	return model.Errorf(model.CodeImmutable, "", "Cant change %s parameters after its created. Key: %s", o.Kind().Name, o.ObjectKey())
}

// commandName returns the name of an object in netctl's arguments: "rule/shop:web-in:1".
func commandName(o model.Object) string { return o.Kind().Command.Use + "/" + o.ObjectKey() }

// Bootstrap creates the initial objects of a cluster, once: the global settings, from the flags of the first netmaster, and the tenant
// "default". The settings record that it was done: if they exist, a missing tenant was deleted.
func (a *Admitter) Bootstrap(tx *commit.Tx) error {
	if tx.Has(model.KindGlobal().Name, globalName) {
		return nil
	}
	if err := a.Put(tx, a.firstGlobal()); err != nil {
		return err
	}
	if tx.Has(model.KindTenant().Name, defaultTenant) {
		return nil
	}
	return a.Put(tx, &model.Tenant{Key: defaultTenant, TenantName: defaultTenant})
}

const (
	globalName    = "global"
	defaultTenant = "default"
)

func (a *Admitter) firstGlobal() *model.Global {
	return &model.Global{
		Key: globalName, Name: globalName, NetworkInfraType: a.settings.InfraType, FwdMode: a.settings.FwdMode,
		ArpMode: "proxy", PvtSubnet: defaultPvtSubnet, HostAccess: a.settings.HostAccess, Vlans: "1-4094", Vxlans: "1-10000",
	}
}
