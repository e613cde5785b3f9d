// SPDX-License-Identifier: Apache-2.0

// Package kube writes Kubernetes' objects as records for the agents, and knows the pods of endpoints. It gives services
// of Kubernetes external addresses: those of a network of the service's tenant, as long as the service requests them.
//
// It works only on the leader, during its term. It compares the expected records with the catalog and writes the differences, so a new
// leader of a cluster without differences writes nothing. Nothing of a kind is removed until Kubernetes has listed all its objects, and
// nothing changes while the API server is away.
package kube

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/kube"
	"github.com/contiv/contiv/daemon/kube/translate"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/store"
)

// Source is *kube.Reader.
type Source interface {
	Run(ctx context.Context, sink kube.Sink) error
	Away() string   // why the API server does not answer; "" if it does
	Silent() bool   // it has only exceeded its time limit
	Unread() string // the kinds that it does not permit to be read, and why; "" if none
	Since() time.Time
	// ReportBalancer writes the addresses of a load balancer to the status of a service, if the service has not changed.
	ReportBalancer(ctx context.Context, s *translate.Balanced, now translate.BalancerState) error
	// ReportPolicy writes the parts of a cluster-wide policy that are not in force to its status, if the policy has not changed.
	ReportPolicy(ctx context.Context, p *translate.ClusterPolicy, lacks string) error
}

// Committer is the part of commit.Committer that an Engine needs.
type Committer interface {
	Do(ctx context.Context, fn func(*commit.Tx) error) (store.Revision, error)
}

// Endpoints is the part of endpoint.Service that an Engine needs.
type Endpoints interface {
	// Follow updates the endpoints of pods in one transaction, and returns the pods that did not fit.
	Follow(ctx context.Context, pods []*translate.Pod) (left []*translate.Pod, err error)
	// Retire removes a host with the endpoints of its pods, if over confirms in each transaction that it has none.
	Retire(ctx context.Context, host string, over func(tx *commit.Tx) bool) error
}

// Config configures an Engine.
type Config struct {
	Source    Source
	Commit    Committer
	Catalog   *catalog.Catalog
	Endpoints Endpoints
	Network   Network // created at the first start
	// BalancerNetwork is the network, of a service's own tenant, of the addresses of load balancers of services that name none; "":
	// those services get no address.
	BalancerNetwork string
	Pause           time.Duration // before a retry; 0: one second
	PodTimeout      time.Duration // how long to wait for a pod that Kubernetes has not sent; 0: ten seconds
	Compare         time.Duration // interval between comparisons of hosts with nodes; 0: two seconds
	// Hurry reports that a term has begun in which everything must be compared, until done is called; nil: it is not called.
	Hurry func() (done func())
	Log   *slog.Logger
}

// hurried bounds the hurry of a term: an API server that is away does not justify the use of all processors.
const hurried = time.Minute

// Engine is the part of a netmaster that deals with Kubernetes. Its methods are safe for concurrent use.
type Engine struct {
	Config
	wake      chan struct{} // something must be written
	statusDue chan struct{} // a status may have to be written

	mu      sync.Mutex
	known   *knowledge    // of the present term; nil outside of one
	over    bool          // a term has ended, and no other has begun
	moved   chan struct{} // closed when the wait of an endpoint may be over
	problem string        // why it does not work
	since   time.Time     // when the term began, and then when everything was first known
}

// New returns an Engine.
func New(c Config) *Engine {
	if c.Pause == 0 {
		c.Pause = time.Second
	}
	if c.PodTimeout == 0 {
		c.PodTimeout = 10 * time.Second
	}
	if c.Compare == 0 {
		c.Compare = 2 * time.Second
	}
	if c.Hurry == nil {
		c.Hurry = func() func() { return func() {} }
	}
	return &Engine{Config: c, wake: make(chan struct{}, 1), statusDue: make(chan struct{}, 1), moved: make(chan struct{})}
}

// Run works until ctx ends. It must be called once per term, while the committer runs.
func (e *Engine) Run(ctx context.Context) {
	e.begin()
	defer e.end()
	var reading sync.WaitGroup
	defer reading.Wait()
	ctx, end := context.WithCancel(ctx)
	defer end()
	reading.Go(func() { e.read(ctx) })
	reading.Go(func() { e.runReporter(ctx) })
	reading.Go(func() { e.watchHosts(ctx) })
	reading.Go(func() { e.watchStore(ctx) })
	done := e.Hurry()
	defer done()
	defer time.AfterFunc(hurried, done).Stop()
	made := false
	for {
		failed := false
		if !made {
			made = e.Network.make(ctx, e)
			failed = !made
		}
		failed = !e.write(ctx) || failed
		if s := e.Status(); s.Missing == "" && s.Differs == 0 {
			done()
		}
		var again <-chan time.Time
		switch {
		case failed:
			again = time.After(e.Pause)
		case e.lacking():
			again = time.After(2 * e.Pause)
		}
		select {
		case <-ctx.Done():
			return
		case <-again:
			e.again()
		case <-e.wake:
		}
	}
}

// read runs the source, and retries after errors.
func (e *Engine) read(ctx context.Context) {
	for ctx.Err() == nil {
		err := e.Source.Run(ctx, e)
		if ctx.Err() != nil {
			return
		}
		e.mu.Lock()
		changed := err != nil && e.problem != err.Error()
		if err != nil {
			e.problem = err.Error()
		}
		e.mu.Unlock()
		if changed {
			e.Log.Error("cannot read Kubernetes; retrying", "retry", e.Pause, "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(e.Pause):
		}
	}
}

// Status returns the state of this netmaster's connection to Kubernetes.
func (e *Engine) Status() *model.KubernetesStatus {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := &model.KubernetesStatus{Wanted: true, Leads: e.known != nil, Missing: e.waiting()}
	if out.Leads {
		out.Differs = e.known.differing()
		out.Silent = e.problem == "" && e.Source.Away() != "" && e.Source.Silent()
		since := e.since
		if moved := e.Source.Since(); moved.After(since) {
			since = moved
		}
		out.Since = &since
	}
	return out
}

// Waiting returns what is not known of Kubernetes, "" if everything is known or this is not the leader.
func (e *Engine) Waiting() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.waiting()
}

// waiting implements Waiting. The caller holds the lock.
func (e *Engine) waiting() string {
	switch {
	case e.known == nil:
		return ""
	case e.problem != "":
		return e.problem
	case e.Source.Away() != "":
		return "the API server does not answer: " + e.Source.Away()
	case e.Source.Unread() != "":
		return e.Source.Unread()
	}
	return e.known.missing()
}

func (e *Engine) begin() {
	var there map[kube.Kind][]string
	e.Catalog.View(func(v *catalog.View) { there = found(v) })
	e.mu.Lock()
	defer e.mu.Unlock()
	e.known, e.problem, e.over, e.since = newKnowledge(there), "", false, time.Now()
	e.move()
}

func (e *Engine) end() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.known, e.over = nil, true
	e.move()
}

// move wakes the callers that wait for objects. The caller holds the lock.
func (e *Engine) move() {
	close(e.moved)
	e.moved = make(chan struct{})
}

// change calls fn with the knowledge of the term, and schedules the resulting writes. Outside of a term it does nothing.
func (e *Engine) change(fn func(k *knowledge)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.known == nil {
		return
	}
	fn(e.known)
	if len(e.known.unreported)+len(e.known.unstated) > 0 {
		e.wakeReporter()
	}
	if e.known.due() {
		select {
		case e.wake <- struct{}{}:
		default:
		}
	}
}

// All replaces all objects of a kind.
func (e *Engine) All(k kube.Kind, all []kube.Object) {
	values := map[string][]byte{}
	if prefix := prefixOf(k); prefix != "" {
		for _, o := range all {
			if text, ok := e.encode(prefix+o.Key, o.Value); ok {
				values[prefix+o.Key] = text
			}
		}
		e.Catalog.View(func(v *catalog.View) {
			e.change(func(known *knowledge) { known.replace(k, values, v) })
		})
	}
	e.change(func(known *knowledge) {
		lacked := known.missing() != ""
		known.all(k, all)
		if lacked && known.missing() == "" {
			e.since = time.Now()
		}
		e.move()
	})
}

// Put records an object.
func (e *Engine) Put(k kube.Kind, o kube.Object) {
	text := []byte(nil)
	key := prefixOf(k) + o.Key
	if k != kube.Pods {
		var ok bool
		if text, ok = e.encode(key, o.Value); !ok {
			return
		}
	}
	e.change(func(known *knowledge) {
		if k != kube.Pods {
			known.set(key, text)
		}
		known.put(k, o)
		if k == kube.Pods || k == kube.Namespaces {
			e.move()
		}
	})
}

// Delete removes an object.
func (e *Engine) Delete(k kube.Kind, key string) {
	e.change(func(known *knowledge) {
		if k != kube.Pods {
			known.set(prefixOf(k)+key, nil)
		}
		known.drop(k, key)
	})
}

// encode encodes a record for the store. A record that cannot be encoded is logged, and its previous value stays.
func (e *Engine) encode(key string, value any) ([]byte, bool) {
	text, err := json.Marshal(value)
	if err != nil {
		e.Log.Error("skipped an object of Kubernetes", "key", key, "error", err)
	}
	return text, err == nil
}

// unavailable returns an error that may be retried.
func unavailable(format string, args ...any) *model.Error {
	return model.Errorf(model.CodeUnavailable, "", format, args...)
}
