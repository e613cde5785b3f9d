// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/contiv/contiv/identity"
)

// Audience is the audience of service account tokens of agents' pods: a token for another audience, such as the API server, is not
// accepted.
const Audience = "contiv"

// Account is the subject of a service account token.
type Account struct {
	Namespace, Name string
	Node            string // on which the token's pod runs; "": it is no pod's
}

// ErrUnproved means that the API server does not accept a token for this audience.
var ErrUnproved = errors.New("service account token refused by Kubernetes")

// nodeRequest has the node's name, for tokens requested by kubelets (Kubernetes 1.30 and later, "Bound service account tokens").
const nodeRequest = "authentication.kubernetes.io/node-name"

// Review returns the subject of a service account token, made for Audience, from the API server. It blocks for the answer, at most ten
// seconds. Errors: ErrUnproved; others may be retried.
func (c Config) Review(ctx context.Context, token string) (out Account, err error) {
	config, err := c.client()
	if err != nil {
		return out, err
	}
	config.AcceptContentTypes, config.ContentType = "application/json", "application/json"
	client, err := clientOf(config, authenticationv1.SchemeGroupVersion)
	if err != nil {
		return out, err
	}
	ctx, cancel := context.WithTimeout(ctx, reportTimeout)
	defer cancel()
	review := authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token, Audiences: []string{Audience}}}
	if err := client.Post().Resource("tokenreviews").VersionedParams(&metav1.CreateOptions{}, metav1.ParameterCodec).Body(&review).Do(ctx).Into(&review); err != nil {
		return out, fmt.Errorf("have Kubernetes review a service account token: %w", err)
	}
	s := &review.Status
	if !s.Authenticated || !slices.Contains(s.Audiences, Audience) { // an API server that does not support audiences returns none
		return out, fmt.Errorf("%w: %s", ErrUnproved, strings.TrimSpace(s.Error))
	}
	rest, ok := strings.CutPrefix(s.User.Username, "system:serviceaccount:")
	namespace, name, two := identity.Cut(rest)
	if !ok || !two {
		return out, fmt.Errorf("%w: %q is no service account", ErrUnproved, s.User.Username)
	}
	out = Account{Namespace: namespace, Name: name}
	if nodes := s.User.Extra[nodeRequest]; len(nodes) == 1 {
		out.Node = nodes[0]
	}
	return out, nil
}
