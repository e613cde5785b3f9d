package kube

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/go-logr/logr"
	authenticationv1 "k8s.io/api/authentication/v1"
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

// A Reader waits so long before it asks again what has failed, and for a kind that the API server does not have.
const (
	shortestPause = 100 * time.Millisecond
	longestPause  = 5 * time.Second
)

// Reader reads one API server. Its methods are safe for concurrent use.
type Reader struct {
	config Config
	log    *slog.Logger
	teller teller
	contact
}

// NewReader makes a Reader. It does not connect.
func NewReader(c Config, log *slog.Logger) *Reader {
	return &Reader{config: c, log: log, contact: contact{log: log}}
}

// Run tells sink what there is, and what changes, until ctx ends. An API server that is away is asked again, and meanwhile sink hears
// nothing. The error says that files of the configuration cannot be read.
func (r *Reader) Run(ctx context.Context, sink Sink) error {
	config, err := r.config.client()
	if err != nil {
		return err
	}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return r.contact.over(next) })
	ctx = klog.NewContext(ctx, logr.Discard()) // what is to be known of an outage is said once, in our log
	var reading sync.WaitGroup
	defer reading.Wait()
	ctx, end := context.WithCancel(ctx)
	defer end()
	core, err := clientOf(config, corev1.SchemeGroupVersion)
	if err != nil {
		return fmt.Errorf("read Kubernetes: %w", err)
	}
	r.teller.set(core)
	defer r.teller.set(nil)
	// Whoever knows no namespaces either is no API server.
	serves := func(ctx context.Context) bool {
		one := metav1.ListOptions{Limit: 1}
		return core.Get().Resource(string(Namespaces)).VersionedParams(&one, metav1.ParameterCodec).Do(ctx).Error() == nil
	}
	for _, s := range sources() {
		client, err := clientOf(config, s.group)
		if err != nil {
			return fmt.Errorf("read %s of Kubernetes: %w", s.kind, err)
		}
		reading.Go(func() { r.follow(ctx, client, &intake{source: s, sink: sink}, serves) })
	}
	<-ctx.Done()
	return nil
}

// follow lists and watches a kind until ctx ends. Where a watch can go on it does, without another list.
func (r *Reader) follow(ctx context.Context, client *rest.RESTClient, into *intake, serves func(context.Context) bool) {
	pauses := wait.Backoff{Duration: shortestPause, Factor: 2, Jitter: 0.5, Steps: 10, Cap: longestPause}
	list := cache.NewListWatchFromClient(client, string(into.kind), "", fields.Everything())
	reflector := cache.NewReflectorWithOptions(list, into.empty, into, cache.ReflectorOptions{Name: string(into.kind), Backoff: &pauses})
	refused := ""
	for pause := pauses; ctx.Err() == nil; {
		before := into.heard
		err := reflector.ListAndWatchWithContext(ctx)
		if into.heard != before { // there was something to follow
			pause = pauses
		}
		switch {
		case apierrors.IsNotFound(err) && into.optional && serves(ctx): // its definition is not installed
			_ = into.Replace(nil, "")
		case apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err):
			if text := err.Error(); text != refused {
				refused = text
				r.log.Warn("Kubernetes does not let netmaster read; its account needs list and watch", "kind", string(into.kind), "error", err)
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause.Step()):
		}
	}
}

// clientOf is a client of one group of the API.
func clientOf(config *rest.Config, group schema.GroupVersion) (*rest.RESTClient, error) {
	types := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, authenticationv1.AddToScheme, networkingv1.AddToScheme, discoveryv1.AddToScheme, v1alpha2.Install} {
		utilruntime.Must(add(types))
	}
	own := rest.CopyConfig(config)
	own.GroupVersion, own.APIPath = &group, "/apis"
	if group.Group == "" {
		own.APIPath = "/api"
	}
	own.NegotiatedSerializer = serializer.NewCodecFactory(types).WithoutConversion()
	return rest.RESTClientFor(own)
}
