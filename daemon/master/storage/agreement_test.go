// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/contiv/contiv/daemon/kube"
	"github.com/contiv/contiv/daemon/kube/kubetest"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store/embedded"
)

// agreements is a Kubernetes with an agreement.
type agreements struct {
	*kubetest.Server
	*Agreement
}

func newAgreements(t *testing.T) *agreements {
	t.Helper()
	server := kubetest.Start(t)
	api := kube.Config{Kubeconfig: server.Kubeconfig(t)}
	return &agreements{server, &Agreement{Object: &kube.ConfigMap{API: api, Namespace: "contiv-system", Name: "contiv-store"}}}
}

// content returns the data of the agreement.
func (c *agreements) content() map[string]string { return c.ConfigMap("contiv-system", "contiv-store") }

// starts runs a member as a netmaster does: it decides, and starts it if it may. The error is that of a decision that waits.
func (c *agreements) starts(t *testing.T, e embedded.Config, began bool) (*embedded.Server, error) {
	t.Helper()
	e, began, err := c.decide(t.Context(), e, began)
	if err == nil {
		e, err = e.Permit(t.Context(), began)
	}
	if err != nil {
		return nil, c.explain(err, began)
	}
	s, err := embedded.Start(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s, nil
}

// member is the configuration of a node's member, with an empty directory. Its URLs are chosen once.
func member(t *testing.T, name string) embedded.Config {
	t.Helper()
	s, err := embedded.Start(t.Context(), embedded.Config{Dir: t.TempDir(), Name: name}) // which finds free ports
	if err != nil {
		t.Fatal(err)
	}
	e := embedded.Config{Dir: filepath.Join(t.TempDir(), "store"), Name: name, ClientURL: s.ClientURL(), PeerURL: s.Peers()[name]}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return e
}

// waiting fails unless an error is one of a member that waits, with a text.
func waiting(t *testing.T, what string, err error, kind error, text string) {
	t.Helper()
	if !errors.Is(err, kind) || !strings.Contains(err.Error(), text) {
		t.Errorf("%s: want %v with %q, got %v", what, kind, text, err)
	}
}

// The first netmaster founds the store; the second one waits until the store exists, joins it, and never founds another one, whatever is
// unreachable.
func TestSecondNetmasterJoins(t *testing.T) {
	c := newAgreements(t)
	of := known("a").Incarnation
	first, second := member(t, "h1"), member(t, "h2")
	c.Forbid(true)
	_, err := c.starts(t, first, false)
	waiting(t, "an account without the permission", err, ErrUndecided, "Forbidden")
	c.Forbid(false)
	if c.content() != nil {
		t.Fatalf("want no agreement yet, got %v", c.content())
	}

	one, err := c.starts(t, first, false)
	if err != nil || c.content()[founderKey] != "h1" {
		t.Fatalf("want h1 to found the store, got %v, %v", c.content(), err)
	}
	_, err = c.starts(t, second, false)
	waiting(t, "the store does not exist yet", err, ErrUndecided, "netmaster of node h1 is to create it")
	if err := c.record(t.Context(), "h1", of, one.ClientURLs()); err != nil {
		t.Fatal(err)
	}
	if want := map[string]string{founderKey: "h1", incarnationKey: of.ID, memberKey + "h1": first.ClientURL}; !maps.Equal(c.content(), want) {
		t.Errorf("agreement: want %v, got %v", want, c.content())
	}

	if err := one.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, _, err = c.decide(ctx, second, false)
	waiting(t, "the store is unreachable", err, ErrUndecided, "does not accept this member now")
	if one, err = c.starts(t, first, true); err != nil { // with its data
		t.Fatal(err)
	}
	two, err := c.starts(t, second, false)
	if err != nil {
		t.Fatal(err)
	}
	if got := two.Count(); got != 2 {
		t.Errorf("members: got %d, want 2", got)
	}
	if err := c.record(t.Context(), "h2", of, two.ClientURLs()); err != nil || c.content()[memberKey+"h2"] != second.ClientURL || c.content()[founderKey] != "h1" {
		t.Errorf("want both in the agreement, got %v, %v", c.content(), err)
	}

	lost := second
	lost.Dir = filepath.Join(t.TempDir(), "store")
	_, err = c.starts(t, lost, false)
	waiting(t, "a member whose directory and records are lost", err, embedded.ErrLost, "contiv replace h2")
	_ = one
}

// The founder whose disk is lost founds no second store: the agreement knows of the first one.
func TestFounderWithoutDisk(t *testing.T) {
	c := newAgreements(t)
	e := member(t, "h1")
	c.Put(t, &corev1.ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: metav1.ObjectMeta{Namespace: "contiv-system", Name: "contiv-store"},
		Data: map[string]string{founderKey: "h1", incarnationKey: known("a").ID, memberKey + "h1": e.ClientURL}})
	_, err := c.starts(t, e, false)
	waiting(t, "the only member", err, embedded.ErrLost, "or, when Contiv was removed from this cluster and is installed again, delete ConfigMap contiv-store of namespace contiv-system")
	e.NewStore = true
	if _, err := c.starts(t, e, false); err != nil {
		t.Errorf("--new-store: want it started, got %v", err)
	}
}

// Of netmasters that start together, one founds the store.
func TestOneFounds(t *testing.T) {
	c := newAgreements(t)
	var all sync.WaitGroup
	var mu sync.Mutex
	var founders []string
	for _, name := range []string{"h1", "h2", "h3", "h4"} {
		e := embedded.Config{Dir: filepath.Join(t.TempDir(), "store"), Name: name}
		all.Go(func() {
			if _, _, err := c.decide(t.Context(), e, false); err == nil {
				mu.Lock()
				defer mu.Unlock()
				founders = append(founders, name)
			} else if !errors.Is(err, ErrUndecided) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if len(founders) != 1 || c.content()[founderKey] != founders[0] {
		t.Errorf("want one founder, as the agreement has it, got %v, %v", founders, c.content())
	}
	again := embedded.Config{Dir: filepath.Join(t.TempDir(), "store"), Name: founders[0]}
	if _, began, err := c.decide(t.Context(), again, false); err != nil || began {
		t.Errorf("a founder that ended before its store existed: want it to found the store, got %v, %v", began, err)
	}
}

// A netmaster without data founds no store beside one of a build that made no agreements; one whose members are configured does as before,
// until the store exists.
func TestStoresWithoutAgreement(t *testing.T) {
	c := newAgreements(t)
	e := embedded.Config{Dir: filepath.Join(t.TempDir(), "store"), Name: "h2"}
	c.Put(t, &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, Spec: corev1.PodSpec{NodeName: "h1"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "contiv-system", Name: "netmaster-x", Labels: map[string]string{"app.kubernetes.io/name": "netmaster"}},
		Status:     corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}}})
	_, _, err := c.decide(t.Context(), e, false)
	waiting(t, "a netmaster that serves", err, ErrUndecided, "netmaster of node h1 has a store")
	if c.content() != nil {
		t.Errorf("want no agreement, got %v", c.content())
	}
	if _, began, err := c.decide(t.Context(), e, true); err != nil || !began {
		t.Errorf("a host that knows of a store: want Permit to decide, got %v, %v", began, err)
	}
	e.InitialCluster = map[string]string{"h1": "https://192.0.2.1:6667", "h2": "https://192.0.2.2:6667"}
	if got, _, err := c.decide(t.Context(), e, false); err != nil || got.Existing {
		t.Errorf("configured members: want a new store, got %v, %v", got.Existing, err)
	}
	if err := c.record(t.Context(), "h1", known("a").Incarnation, map[string]string{"h1": "https://192.0.2.1:6666"}); err != nil {
		t.Fatal(err)
	}
	if got, _, err := c.decide(t.Context(), e, false); err != nil || !got.Existing {
		t.Errorf("configured members of a store that exists: want it to join, got %v, %v", got.Existing, err)
	}
}

// An agreement follows the successors of its store, and no other store takes it.
func TestAgreementOnAnotherStore(t *testing.T) {
	c := newAgreements(t)
	members := map[string]string{"h1": "https://192.0.2.1:6666"}
	successor := known("b").Incarnation
	successor.Predecessors = []string{known("a").ID}
	for _, row := range []struct {
		name string
		of   record.Incarnation
		want error
	}{{"the first", known("a").Incarnation, nil}, {"the same", known("a").Incarnation, nil}, {"another", known("c").Incarnation, ErrAnother}, {"a successor", successor, nil}, {"its predecessor", known("a").Incarnation, ErrAnother}} {
		before := c.content()
		err := c.record(t.Context(), "h1", row.of, members)
		if !errors.Is(err, row.want) || row.want == nil && c.content()[incarnationKey] != row.of.ID || row.want != nil && !maps.Equal(c.content(), before) {
			t.Errorf("%s: want %v, got %v, and the agreement %v", row.name, row.want, err, c.content())
		}
	}
}

// A member with data starts while Kubernetes does not answer.
func TestDataNeedsNoAgreement(t *testing.T) {
	c := newAgreements(t)
	e := member(t, "h1")
	s, err := c.starts(t, e, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	c.Away(true)
	if _, _, err := c.decide(t.Context(), e, true); err != nil {
		t.Errorf("want it to start, got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	e.Dir = filepath.Join(t.TempDir(), "store")
	_, _, err = c.decide(ctx, e, false)
	waiting(t, "without data", err, ErrUndecided, "does not answer whether the cluster has a store: read ConfigMap contiv-store of namespace contiv-system")
}
