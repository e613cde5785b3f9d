// SPDX-License-Identifier: Apache-2.0

// Package storage has the store of a netmaster. It starts an embedded store once the machine can run it, and verifies that the store is the one of this
// host's cluster. It watches, compacts and saves the open store.
package storage

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/contiv/contiv/daemon/flags"
	"github.com/contiv/contiv/daemon/incarnation"
	"github.com/contiv/contiv/daemon/kube"
	"github.com/contiv/contiv/daemon/master/maintenance"
	"github.com/contiv/contiv/daemon/store/embedded"
	"github.com/contiv/contiv/identity"
)

// Settings configure the store of this process, beside those that netmasters and agents share (package storeconfig).
type Settings struct {
	Embedded    embedded.Config  // an empty Dir: the store is another process
	ClusterFile incarnation.File // records which store the host's cluster has
	Snapshots   Snapshots
	Compaction  maintenance.Settings
	members     []string // of the embedded store, "name=peer URL"
	agreement   string   // the ConfigMap of an Agreement, "NAMESPACE:NAME"; "": none
}

// Register adds the flags.
func (s *Settings) Register(set *flags.Set) {
	s.Snapshots.Register(set)
	s.Compaction.Register(set)
	set.String((*string)(&s.ClusterFile), "cluster-file", "CLUSTER_FILE", "", "file that records which store this host's cluster has: netmaster uses neither another one nor an empty one in its place; contiv init and contiv join name "+incarnation.DefaultPath)
	set.Bool(&s.Embedded.NewStore, "new-store", "NEW_STORE", "for one start: continue with an empty store although this host's cluster had another one")
	set.String(&s.Embedded.Dir, "embedded-store", "EMBEDDED_STORE", "", "directory of the data of a store that runs in this process")
	set.String(&s.Embedded.Name, "embedded-name", "EMBEDDED_NAME", "", "name of this member of the embedded store")
	set.String(&s.Embedded.ClientURL, "embedded-client-url", "EMBEDDED_CLIENT_URL", "", "URL at which the embedded store serves other netmasters (default: https://127.0.0.1:2379, http with --insecure)")
	set.String(&s.Embedded.PeerURL, "embedded-peer-url", "EMBEDDED_PEER_URL", "", "URL at which the embedded store serves its other members (default: https://127.0.0.1:2380, http with --insecure)")
	set.List(&s.members, "embedded-cluster", "EMBEDDED_CLUSTER", "all members of a new embedded store, as name=peer URL")
	set.Bool(&s.Embedded.Existing, "embedded-join", "EMBEDDED_JOIN", "join a running embedded store that expects this member, if the directory is empty")
	set.String(&s.agreement, "embedded-configmap", "EMBEDDED_CONFIGMAP", "", "ConfigMap of Kubernetes, NAMESPACE:NAME, by which netmasters agree on one embedded store: the first netmaster creates the ConfigMap and then its store, and others join that store")
	set.Bool(&s.Embedded.Alone, "embedded-alone", "EMBEDDED_ALONE", "for one start: forget all other members of the embedded store, if most are lost permanently, and continue with the data of the directory")
	set.WithoutKeys("new-store", "embedded-alone")
}

// Agreement returns the agreement of the settings at an API server, or nil if they name none. Check has validated them.
func (s *Settings) Agreement(api kube.Config) *Agreement {
	if s.agreement == "" {
		return nil
	}
	namespace, name, _ := identity.Cut(s.agreement)
	return &Agreement{Object: &kube.ConfigMap{API: api, Namespace: namespace, Name: name}}
}

// CheckAgreement validates the agreement. api reports whether an API server is configured.
func (s *Settings) CheckAgreement(api bool) error {
	namespace, name, ok := identity.Cut(s.agreement)
	switch {
	case s.agreement == "":
		return nil
	case !ok || namespace == "" || name == "":
		return fmt.Errorf("--embedded-configmap %s: it is NAMESPACE:NAME of a ConfigMap", s.agreement)
	case !s.Runs() || s.Embedded.Name == "":
		return errors.New("--embedded-configmap needs --embedded-store and --embedded-name")
	case !api:
		return errors.New("--embedded-configmap needs an API server: name a --kubeconfig or --kubernetes-api")
	}
	return nil
}

// Runs reports whether the store runs in this process.
func (s *Settings) Runs() bool { return s.Embedded.Dir != "" }

// Check validates the settings and sets their defaults. The URLs of an embedded store have the scheme.
func (s *Settings) Check(scheme string) error {
	if err := s.Snapshots.Check(s.Embedded.Dir); err != nil {
		return err
	}
	if err := s.Compaction.Check(); err != nil {
		return err
	}
	return s.checkEmbedded(scheme)
}

func (s *Settings) checkEmbedded(scheme string) error {
	e := &s.Embedded
	e.ClientURL = cmp.Or(e.ClientURL, scheme+"://127.0.0.1:2379")
	e.PeerURL = cmp.Or(e.PeerURL, scheme+"://127.0.0.1:2380")
	for flag, text := range map[string]string{"embedded-client-url": e.ClientURL, "embedded-peer-url": e.PeerURL} {
		if u, err := url.Parse(text); err != nil || u.Scheme != scheme || u.Host == "" {
			return fmt.Errorf("--%s %s: it is a URL like %s://10.0.0.1:2379", flag, text, scheme)
		}
	}
	for _, m := range s.members {
		name, peer, ok := strings.Cut(m, "=")
		if !ok || name == "" || peer == "" {
			return fmt.Errorf("--embedded-cluster %s: it is a comma list of name=peer URL", m)
		}
		if e.InitialCluster == nil {
			e.InitialCluster = map[string]string{}
		}
		e.InitialCluster[name] = peer
	}
	if e.Alone {
		e.Existing = false // a host that joined has the latter in its settings
	}
	if e.Existing && len(s.members) < 2 {
		return errors.New("--embedded-join needs --embedded-cluster with all members, this one among them")
	}
	if s.members != nil && e.InitialCluster[e.Name] != e.PeerURL {
		return fmt.Errorf("--embedded-cluster must name this member as %s=%s", e.Name, e.PeerURL)
	}
	return nil
}
