// SPDX-License-Identifier: Apache-2.0

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
)

// reportTimeout is the maximum time of an API server's answer to a change.
const reportTimeout = 10 * time.Second

// ErrStale means that the service changed since it was read, or is gone. The watch delivers its current state.
var ErrStale = errors.New("the service changed since it was read")

// reporter has the clients that write, if there are any.
type reporter struct {
	mu       sync.Mutex
	client   *rest.RESTClient
	policies *rest.RESTClient // of the version of cluster-wide policies that is read
}

func (t *reporter) set(c *rest.RESTClient) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.client = c
}

func (t *reporter) setPolicies(c *rest.RESTClient) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.policies = c
}

// ErrForbidden means that netmaster's account may not write a status; a retry is useless before an administrator changes that.
var ErrForbidden = errors.New("netmaster's account may not write it")

// ReportPolicy writes to the status of a cluster-wide policy which part of it is not in force, "" if all is, and leaves the conditions of
// others. The API server accepts it only for the revision of the policy that was read. It blocks until the API server has answered, for at
// most ten seconds. Errors: ErrStale, ErrForbidden; the caller may retry after others.
func (r *Reader) ReportPolicy(ctx context.Context, p *translate.ClusterPolicy, lacks string) error {
	r.reporter.mu.Lock()
	client := r.reporter.policies
	r.reporter.mu.Unlock()
	if client == nil {
		return errors.New("the Kubernetes API server is not known yet")
	}
	text, err := json.Marshal(map[string]any{"metadata": map[string]string{"uid": p.UID, "resourceVersion": p.Revision},
		"status": map[string]any{"conditions": p.Stating(lacks, metav1.Now())}})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, reportTimeout)
	defer cancel()
	// Definitions have no strategic merge: the list of conditions is replaced, for the very revision that had the others in it.
	err = client.Patch(types.MergePatchType).Resource(string(ClusterNetworkPolicies)).Name(p.Name).SubResource("status").Body(text).Do(ctx).Error()
	switch {
	case apierrors.IsNotFound(err), apierrors.IsConflict(err):
		return ErrStale
	case apierrors.IsForbidden(err):
		return fmt.Errorf("write the status of cluster-wide policies: netmaster's account needs patch of clusternetworkpolicies/status: %w: %w", ErrForbidden, err)
	}
	return err
}

// ReportBalancer writes to a service's status the addresses of its load balancer, and to our condition the reason. The API server accepts
// it only for the revision of the service that was read: an answer to an older one could mistake our own addresses for those of others. It
// replaces the list of addresses if that changes; conditions of others stay. It blocks until the API server has answered, for at most ten
// seconds. Errors: ErrStale; the caller may retry after others.
func (r *Reader) ReportBalancer(ctx context.Context, s *translate.Balanced, now translate.BalancerState) error {
	r.reporter.mu.Lock()
	client := r.reporter.client
	r.reporter.mu.Unlock()
	if client == nil {
		return errors.New("the Kubernetes API server is not known yet")
	}
	text, err := json.Marshal(balancerPatch(s, &now))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, reportTimeout)
	defer cancel()
	err = client.Patch(types.StrategicMergePatchType).Namespace(s.ID.Namespace).Resource(string(Services)).Name(s.ID.Name).SubResource("status").Body(text).Do(ctx).Error()
	switch {
	case apierrors.IsNotFound(err), apierrors.IsConflict(err): // of another uid or revision
		return ErrStale
	case apierrors.IsForbidden(err):
		return fmt.Errorf("write the status of services: netmaster's account needs patch of services/status: %w", err)
	}
	return err
}

// balancerPatch is a strategic merge patch: lists of addresses are replaced, conditions merged by type.
func balancerPatch(service *translate.Balanced, s *translate.BalancerState) any {
	entries := []corev1.LoadBalancerIngress{}
	mode := corev1.LoadBalancerIPModeVIP
	for _, a := range s.Addresses {
		entries = append(entries, corev1.LoadBalancerIngress{IP: a.String(), IPMode: &mode})
	}
	condition := any(map[string]string{"$patch": "delete", "type": translate.BalancerCondition})
	if s.Reported {
		c := metav1.Condition{Type: translate.BalancerCondition, Status: metav1.ConditionFalse, Reason: s.Reason, Message: s.Message, LastTransitionTime: metav1.Now()}
		if s.Given {
			c.Status = metav1.ConditionTrue
		}
		condition = c
	}
	conditions := []any{condition}
	for _, c := range []struct{ kind, was, is, reason string }{
		{translate.AddressCondition, service.Status.Refused, s.Refused, "Refused"},
		{translate.PartsCondition, service.Status.Unread, s.Unread, "NotImplemented"},
	} {
		switch {
		case c.is == c.was:
		case c.is == "":
			conditions = append(conditions, map[string]string{"$patch": "delete", "type": c.kind})
		default:
			conditions = append(conditions, metav1.Condition{Type: c.kind, Status: metav1.ConditionFalse, Reason: c.reason, Message: c.is, LastTransitionTime: metav1.Now()})
		}
	}
	status := map[string]any{"conditions": conditions}
	if was := &service.Status; !slices.Equal(was.Addresses, s.Addresses) || was.Foreign != s.Foreign {
		status["loadBalancer"] = map[string]any{"ingress": entries}
	}
	return map[string]any{"metadata": map[string]string{"uid": service.UID, "resourceVersion": service.Revision}, "status": status}
}
