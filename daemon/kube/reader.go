// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/go-logr/logr"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"sigs.k8s.io/network-policy-api/apis/v1alpha2"
)

// How long a Reader waits before it retries a failure, and a kind that the API server does not have.
const (
	shortestPause = 100 * time.Millisecond
	longestPause  = 5 * time.Second
)

// Reader reads one API server. Its methods are safe for concurrent use.
type Reader struct {
	config   Config
	log      *slog.Logger
	reporter reporter
	unread   unread
	contact
}

// NewReader returns a Reader. It does not connect.
func NewReader(c Config, log *slog.Logger) *Reader {
	return &Reader{config: c, log: log, contact: contact{log: log}}
}

// Run sends sink all objects and their changes until ctx ends. It retries an API server that is away, and meanwhile sends nothing. An error
// means that files of the configuration cannot be read.
func (r *Reader) Run(ctx context.Context, sink Sink) error {
	config, err := r.config.client()
	if err != nil {
		return err
	}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return r.contact.over(next) })
	ctx = klog.NewContext(ctx, logr.Discard()) // our own log reports outages, once
	var reading sync.WaitGroup
	defer reading.Wait()
	ctx, end := context.WithCancel(ctx)
	defer end()
	core, err := clientOf(config, corev1.SchemeGroupVersion)
	if err != nil {
		return fmt.Errorf("read Kubernetes: %w", err)
	}
	r.reporter.set(core)
	defer r.reporter.set(nil)
	defer r.reporter.setPolicies(nil)
	reading.Go(func() { r.watchOver(ctx, core, r.config.look()) })
	served := discovery{core}
	for _, s := range sources() {
		clients := map[schema.GroupVersion]*rest.RESTClient{}
		for _, v := range s.versions {
			if clients[v], err = clientOf(config, v); err != nil {
				return fmt.Errorf("read %s of Kubernetes: %w", s.kind, err)
			}
		}
		reading.Go(func() { r.follow(ctx, clients, served, &intake{source: s, sink: sink}) })
	}
	<-ctx.Done()
	return nil
}

// Unread names the kinds that the API server does not let be read, with the reasons; "" if there are none. Objects read before stay.
func (r *Reader) Unread() string { return r.unread.text() }

// Since returns when the API server, or a kind of objects, became unreadable or readable; zero if that never changed.
func (r *Reader) Since() time.Time {
	contact, kinds := r.contact.Since(), r.unread.changed()
	if kinds.After(contact) {
		return kinds
	}
	return contact
}

// failuresToReport is the number of consecutive failures of a kind until it is reported: a starting API server refuses for a moment.
const failuresToReport = 2

// follow lists and watches a kind until ctx ends. A watch that ended continues without another list if the API server permits it. If the
// version of a kind is missing, it is looked up: only the API server's statement that the kind is not defined means that there are no
// objects of it.
func (r *Reader) follow(ctx context.Context, clients map[schema.GroupVersion]*rest.RESTClient, served discovery, into *intake) {
	pauses := wait.Backoff{Duration: shortestPause, Factor: 2, Jitter: 0.5, Steps: 10, Cap: longestPause}
	reflect := func(v schema.GroupVersion) *cache.Reflector {
		if into.kind == ClusterNetworkPolicies {
			r.reporter.setPolicies(clients[v])
		}
		list := cache.NewListWatchFromClient(clients[v], string(into.kind), "", fields.Everything())
		return cache.NewReflectorWithOptions(list, into.empty, into, cache.ReflectorOptions{Name: string(into.kind), Backoff: &pauses})
	}
	failures := 0
	into.listed = func() {
		failures = 0
		if r.unread.add(into.kind, "") {
			r.log.Info("reading objects of Kubernetes again", "kind", string(into.kind))
		}
	}
	at := into.versions[0]
	reflector := reflect(at)
	for pause := pauses; ctx.Err() == nil; {
		before := into.received
		err := reflector.ListAndWatchWithContext(ctx)
		if into.received != before { // the last watch delivered objects
			pause = pauses
		}
		say := answered(err)
		if into.optional && apierrors.IsNotFound(err) {
			now, installed, unknown := served.serves(ctx, &into.source)
			switch {
			case unknown != nil:
				err = unknown
			case !installed:
				err = into.Replace(nil, "")
			case now != at:
				at, reflector, err = now, reflect(now), nil
			}
		}
		if err != nil && say && ctx.Err() == nil {
			if failures++; failures >= failuresToReport && r.unread.add(into.kind, reason(err)) {
				r.log.Warn("cannot read objects of Kubernetes; keeping their last known state", "kind", string(into.kind), "error", reason(err))
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause.Step()):
		}
	}
}

// answered reports whether an error is an answer of the API server, and not about a server that is away, which contact records.
func answered(err error) bool {
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		return status.Status().Code < http.StatusInternalServerError
	}
	var unreached *url.Error
	return !errors.As(err, &unreached)
}

// reason is an error with its remedy.
func reason(err error) string {
	if apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) {
		return "netmaster's account needs list and watch: " + err.Error()
	}
	return err.Error()
}

// clientOf returns a client of one group of the API.
func clientOf(config *rest.Config, group schema.GroupVersion) (*rest.RESTClient, error) {
	types := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, authenticationv1.AddToScheme, authorizationv1.AddToScheme, networkingv1.AddToScheme, discoveryv1.AddToScheme} {
		utilruntime.Must(add(types))
	}
	for _, v := range clusterPolicyVersions() {
		types.AddKnownTypes(v, &v1alpha2.ClusterNetworkPolicy{}, &v1alpha2.ClusterNetworkPolicyList{})
		metav1.AddToGroupVersion(types, v)
	}
	own := rest.CopyConfig(config)
	own.GroupVersion, own.APIPath = &group, "/apis"
	if group.Group == "" {
		own.APIPath = "/api"
	}
	own.NegotiatedSerializer = serializer.NewCodecFactory(types).WithoutConversion()
	return rest.RESTClientFor(own)
}
