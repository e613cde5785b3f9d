package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/contiv/contiv/daemon/kube/translate"
	"github.com/contiv/contiv/identity"
)

// tellLimit is how long an API server may take to answer a change.
const tellLimit = 10 * time.Second

// ErrGone says that there is no such service any more.
var ErrGone = errors.New("the service is no more")

// teller is the client that writes, while there is one.
type teller struct {
	mu     sync.Mutex
	client *rest.RESTClient
}

func (t *teller) set(c *rest.RESTClient) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.client = c
}

// TellBalancer has the status of a service, the one with this uid, say where its load balancer is, and our condition say why. The list of
// addresses is replaced where it is another one than it was; conditions of others stay. It blocks until the API server has answered, for ten seconds at most. Errors: ErrGone;
// others may be tried again.
func (r *Reader) TellBalancer(ctx context.Context, id identity.KubernetesService, uid string, was, now translate.BalancerState) error {
	r.teller.mu.Lock()
	client := r.teller.client
	r.teller.mu.Unlock()
	if client == nil {
		return errors.New("the Kubernetes API server is not known yet")
	}
	text, err := json.Marshal(balancerPatch(uid, &was, &now))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, tellLimit)
	defer cancel()
	err = client.Patch(types.StrategicMergePatchType).Namespace(id.Namespace).Resource(string(Services)).Name(id.Name).SubResource("status").Body(text).Do(ctx).Error()
	switch {
	case apierrors.IsNotFound(err), apierrors.IsConflict(err): // of another uid
		return ErrGone
	case apierrors.IsForbidden(err):
		return fmt.Errorf("write the status of services: netmaster's account needs patch of services/status: %w", err)
	}
	return err
}

// balancerPatch is a strategic merge patch: lists of addresses are replaced, conditions merged by type.
func balancerPatch(uid string, was, s *translate.BalancerState) any {
	entries := []corev1.LoadBalancerIngress{}
	mode := corev1.LoadBalancerIPModeVIP
	for _, a := range s.Addresses {
		entries = append(entries, corev1.LoadBalancerIngress{IP: a.String(), IPMode: &mode})
	}
	condition := any(map[string]string{"$patch": "delete", "type": translate.BalancerCondition})
	if s.Told {
		c := metav1.Condition{Type: translate.BalancerCondition, Status: metav1.ConditionFalse, Reason: s.Reason, Message: s.Message, LastTransitionTime: metav1.Now()}
		if s.Given {
			c.Status = metav1.ConditionTrue
		}
		condition = c
	}
	status := map[string]any{"conditions": []any{condition}}
	if !slices.Equal(was.Addresses, s.Addresses) || was.Foreign != s.Foreign {
		status["loadBalancer"] = map[string]any{"ingress": entries}
	}
	return map[string]any{"metadata": map[string]string{"uid": uid}, "status": status}
}
