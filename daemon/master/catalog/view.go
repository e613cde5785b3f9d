// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"iter"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/mirror"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/table"
)

// View is the state of the catalog at one revision, or a draft of it. A view of the catalog is valid only inside the function that received
// it.
type View struct {
	items    *table.Table[string, store.Item] // contents of the store
	revision store.Revision                   // of the newest known change

	global           *record.Global
	objects          table.Table[Ref, *entry]
	tenants          of[record.Tenant]
	networks         table.Table[identity.Network, *network]
	networks6        table.Table[identity.Network, *network] // networks with IPv6
	pools            table.Table[identity.Network, *pools]
	groups           table.Table[identity.Group, *record.Group]
	endpoints        table.Table[identity.Endpoint, *Member]
	serviceLBs       table.Table[identity.Service, *record.ServiceLB]
	providers        table.Table[identity.Service, *record.Provider]
	balancers        table.Table[identity.KubernetesService, *record.LoadBalancer]
	holds            table.Table[networkAddress, *Hold]
	dockerNetworks   of[record.DockerNetwork]
	services         of[record.Service]
	hosts            of[record.Host]
	runs             of[record.Running]
	profiles         of[record.ACIProfile]
	history          of[event]
	joinTokens       of[record.JoinToken]
	certified        of[record.Certified]
	allocations      of[allocation] // by store key
	passwords        of[record.Password]
	tokens           of[record.Token]
	audit            of[record.AuditEvent]
	timeline         of[record.TimelineEvent]
	adoptions        of[record.Adoption]
	acknowledgements of[record.Acknowledgement]
	alerts           of[record.Alert]
	alertReceivers   of[record.AlertReceiver]
	slices           table.Table[identity.EndpointSlice, *slice]
	kubeAddresses    table.Table[identity.KubernetesService, *kubeAddresses]
	nodes            of[record.KubernetesNode]

	numbers *Numbers
	mark    *mark            // marks the pools and numbers that only this view sees
	dirty   map[Ref]struct{} // changed since the last publish
	draft   bool             // it is a draft, to which cached texts do not apply
	past    bool             // see IsPast
	listing bool             // changes come from a list of the whole store
}

// of is a table of records identified only by their key suffix.
type of[V any] = table.Table[string, *V]

func newView(m *mirror.Mirror) *View {
	return &View{
		items:            m.Items(),
		objects:          *table.New(countOfKind, objectsInOrder, objectsByLink),
		tenants:          *table.New[string, *record.Tenant](),
		networks:         *table.New(networksOfTenant, space4),
		networks6:        *table.New(space6),
		pools:            *table.New[identity.Network, *pools](),
		groups:           *table.New(groupsOfTenant, groupsWithPool),
		endpoints:        *NewEndpoints(),
		serviceLBs:       *table.New(servicesOfTenant),
		providers:        *table.New[identity.Service, *record.Provider](),
		balancers:        *table.New(balancersOnNetwork),
		holds:            *table.New(holdsOnNetwork),
		dockerNetworks:   *table.New(dockerOfNetwork, dockerOfGroup, dockerOfHost),
		services:         *table.New(servicesNamed),
		hosts:            *table.New(hostsAtVTEP, hostsAtControl),
		runs:             *table.New[string, *record.Running](),
		profiles:         *table.New[string, *record.ACIProfile](),
		joinTokens:       *table.New[string, *record.JoinToken](),
		certified:        *table.New(certifiedAs, revoked),
		history:          *table.New(eventsInOrder, eventsByWriter, countByWriter),
		allocations:      *table.New(allocationsOfAddress, allocationsOfNumber, addressesTaken),
		passwords:        *table.New[string, *record.Password](),
		tokens:           *table.New(tokensOfUser),
		audit:            *table.New(auditInOrder),
		timeline:         *table.New(timelineInOrder),
		adoptions:        *table.New(adoptionsInOrder, adoptionsOfHost),
		acknowledgements: *table.New(acknowledgementsInOrder),
		alerts:           *table.New(alertsInOrder),
		alertReceivers:   *table.New(alertReceiversInOrder),
		slices:           *table.New(slicesOfService, slicesAt),
		kubeAddresses:    *table.New(claimants, atNodes),
		nodes:            *table.New[string, *record.KubernetesNode](),
		numbers:          newNumbers(),
		dirty:            map[Ref]struct{}{},
	}
}

// Revision returns the store revision of the newest change in the view.
func (v *View) Revision() store.Revision { return v.revision }

// KeyRevision returns the revision of the last change of a key, 0 if it does not exist.
func (v *View) KeyRevision(key string) store.Revision { return v.items.Get(key).Revision }

// Value returns the value of a store key, nil if it does not exist. The caller must not change it.
func (v *View) Value(key string) []byte { return v.items.Get(key).Value }

// Values yields all keys and values of the store, in no order. The caller must not change them.
func (v *View) Values() iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for key, item := range v.items.All() {
			if !yield(key, item.Value) {
				return
			}
		}
	}
}

// Global returns the effective configuration, nil before the first leader has written it.
func (v *View) Global() *record.Global { return v.global }
