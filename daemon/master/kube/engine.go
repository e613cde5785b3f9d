// Package kube writes what Kubernetes has as records for the agents, and knows the pods that endpoints are made for.
//
// It works on the leader alone, while its term lasts. What is to be is compared with what the catalog knows, and differences are
// written, so that a new leader of a cluster in which nothing differs writes nothing. Until Kubernetes has told of all objects of a kind
// nothing of that kind is removed, and while its API server is away nothing changes.
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
	Away() string   // why the API server does not answer; "" while it does
	Silent() bool   // it has only not answered in time
	Unread() string // which kinds it does not let be read, and why; "" of none
	Since() time.Time
	// ReportBalancer writes to the status of a service where its load balancer is, if the service is as it was read.
	ReportBalancer(ctx context.Context, s *translate.Balanced, now translate.BalancerState) error
	// ReportPolicy writes to the status of a cluster-wide policy what of it is not in force, if the policy is as it was read.
	ReportPolicy(ctx context.Context, p *translate.ClusterPolicy, lacks string) error
}

// Committer is the part of commit.Committer that an Engine needs.
type Committer interface {
	Do(ctx context.Context, fn func(*commit.Tx) error) (store.Revision, error)
}

// Endpoints is the part of endpoint.Service that an Engine needs.
type Endpoints interface {
	// Follow has the endpoints of pods say what the pods do, in one transaction, and returns those for which that had no room.
	Follow(ctx context.Context, pods []*translate.Pod) (left []*translate.Pod, err error)
	// Retire ends a host with the endpoints of its pods, while over tells in each transaction that it has none to be.
	Retire(ctx context.Context, host string, over func(tx *commit.Tx) bool) error
}

// Config is what an Engine is made of.
type Config struct {
	Source    Source
	Commit    Committer
	Catalog   *catalog.Catalog
	Endpoints Endpoints
	Network   Network // that is made at the first start
	// BalancerNetwork is the network, of a service's own tenant, of the addresses of load balancers of services that name none; "": those get none.
	BalancerNetwork string
	Pause           time.Duration // before what has failed is tried again; 0: a second
	PodTimeout      time.Duration // how long a pod is waited for that Kubernetes has not told of; 0: ten seconds
	Compare         time.Duration // how often hosts are compared with nodes; 0: every two seconds
	// Hurry says that a term has begun in which everything is to be compared, until done is called; nil: it is not called.
	Hurry func() (done func())
	Log   *slog.Logger
}

// hurried is how long a term hurries at the most: an API server that is away is not waited for with all processors.
const hurried = time.Minute

// Engine is the part of a netmaster that deals with Kubernetes. Its methods are safe for concurrent use.
type Engine struct {
	Config
	wake      chan struct{} // there is something to write
	statusDue chan struct{} // there may be a status to write

	mu      sync.Mutex
	known   *knowledge    // of the present term; nil: there is none
	over    bool          // a term has ended, and no other has begun
	moved   chan struct{} // closed when what endpoints wait for may have come
	problem string        // why it does not work
	since   time.Time     // when the term began, and then when all was known first
}

// New makes an Engine.
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

// Run works until ctx ends. Call it once a term, while the committer runs.
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

// read has the source tell what there is, again and again while it cannot.
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
			e.Log.Error("Kubernetes is not read; it is tried again", "retry", e.Pause, "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(e.Pause):
		}
	}
}

// Status is how this netmaster stands with Kubernetes.
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

// Waiting says what of Kubernetes is not known, "" when all is, or when this is not the leader.
func (e *Engine) Waiting() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.waiting()
}

// waiting is Waiting. The caller holds the lock.
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

// move wakes those who wait for something that is to be known. The caller holds the lock.
func (e *Engine) move() {
	close(e.moved)
	e.moved = make(chan struct{})
}

// change has fn change what is known, and has what follows written. Nothing is known outside of a term.
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

// All takes over all objects of a kind.
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

// Put takes over an object.
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

// Delete forgets an object.
func (e *Engine) Delete(k kube.Kind, key string) {
	e.change(func(known *knowledge) {
		if k != kube.Pods {
			known.set(prefixOf(k)+key, nil)
		}
		known.drop(k, key)
	})
}

// encode is a record as it is stored. One that cannot be is told of, and left as it was.
func (e *Engine) encode(key string, value any) ([]byte, bool) {
	text, err := json.Marshal(value)
	if err != nil {
		e.Log.Error("passed over an object of Kubernetes", "key", key, "error", err)
	}
	return text, err == nil
}

// unavailable is the refusal of what may be tried again.
func unavailable(format string, args ...any) *model.Error {
	return model.Errorf(model.CodeUnavailable, "", format, args...)
}
