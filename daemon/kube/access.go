// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"errors"
	"fmt"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ErrNotPermitted means that RBAC does not permit the subject of a token to get a path.
var ErrNotPermitted = errors.New("not permitted by Kubernetes")

// MayGet returns the user that a token for the API server belongs to, such as system:serviceaccount:monitoring:prometheus, if RBAC permits
// it to get a path that is no resource, such as /metrics. It blocks for two answers of the API server, at most ten seconds. Errors:
// ErrUnproved, ErrNotPermitted; others may be retried.
func (c Config) MayGet(ctx context.Context, token, path string) (user string, err error) {
	config, err := c.client()
	if err != nil {
		return "", err
	}
	config.AcceptContentTypes, config.ContentType = "application/json", "application/json"
	ctx, cancel := context.WithTimeout(ctx, reportTimeout)
	defer cancel()
	client, err := clientOf(config, authenticationv1.SchemeGroupVersion)
	if err != nil {
		return "", err
	}
	proof := authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token}}
	if err := client.Post().Resource("tokenreviews").VersionedParams(&metav1.CreateOptions{}, metav1.ParameterCodec).Body(&proof).Do(ctx).Into(&proof); err != nil {
		return "", fmt.Errorf("have Kubernetes review a token: %w", err)
	}
	who := &proof.Status.User
	if !proof.Status.Authenticated {
		return "", fmt.Errorf("%w: %s", ErrUnproved, strings.TrimSpace(proof.Status.Error))
	}
	client, err = clientOf(config, authorizationv1.SchemeGroupVersion)
	if err != nil {
		return "", err
	}
	access := authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{User: who.Username, UID: who.UID, Groups: who.Groups, Extra: map[string]authorizationv1.ExtraValue{},
		NonResourceAttributes: &authorizationv1.NonResourceAttributes{Path: path, Verb: "get"}}}
	for k, v := range who.Extra {
		access.Spec.Extra[k] = authorizationv1.ExtraValue(v)
	}
	if err := client.Post().Resource("subjectaccessreviews").VersionedParams(&metav1.CreateOptions{}, metav1.ParameterCodec).Body(&access).Do(ctx).Into(&access); err != nil {
		return "", fmt.Errorf("ask Kubernetes what %s may do: %w", who.Username, err)
	}
	if !access.Status.Allowed || access.Status.Denied {
		return "", fmt.Errorf("%w: %s may not get %s", ErrNotPermitted, who.Username, path)
	}
	return who.Username, nil
}
