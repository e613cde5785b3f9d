// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// The path of the definition of a custom kind.
const (
	definitionGroup    = "apiextensions.k8s.io"
	definitionResource = "customresourcedefinitions"
)

// definition is the name of a kind's definition.
func (s *source) definition() string { return string(s.kind) + "." + s.versions[0].Group }

// discovery queries the served groups and versions of an API server.
type discovery struct{ client *rest.RESTClient }

// serves returns the first of a source's versions that the API server serves; installed is false if the kind's definition is not installed.
// A starting API server answers 404 for a while, and may serve other versions than ours, so a definition is absent only if the API server
// lists its groups, the kind is in none, and the definition does not exist. Everything else is an error with the reason why this is
// unknown. It blocks for at most ten seconds.
func (d discovery) serves(ctx context.Context, s *source) (at schema.GroupVersion, installed bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	group := s.versions[0].Group
	var served []string
	var groups metav1.APIGroupList
	if err := d.get(ctx, "/apis", &groups); err != nil {
		return at, false, err
	}
	builtin := false
	for _, g := range groups.Groups {
		builtin = builtin || g.Name == networkingv1.GroupName
		if g.Name != group {
			continue
		}
		for _, v := range g.Versions {
			var list metav1.APIResourceList
			if err := d.get(ctx, "/apis/"+group+"/"+v.Version, &list); err != nil {
				return at, false, err
			}
			if slices.ContainsFunc(list.APIResources, func(r metav1.APIResource) bool { return r.Name == string(s.kind) }) {
				served = append(served, v.Version)
			}
		}
	}
	for _, v := range s.versions {
		if slices.Contains(served, v.Version) {
			return v, true, nil
		}
	}
	if len(served) > 0 {
		return at, false, fmt.Errorf("the API server serves %s of %s; netmaster reads %s", strings.Join(served, ", "), s.definition(), s.readable())
	}
	if !builtin {
		return at, false, fmt.Errorf("the API server does not list its own group %s yet", networkingv1.GroupName)
	}
	return at, false, d.undefined(ctx, s)
}

// undefined returns an error if the definition of an unserved kind exists nevertheless, or if that is unknown. An account without the right
// to read definitions trusts the list of groups.
func (d discovery) undefined(ctx context.Context, s *source) error {
	err := d.client.Get().AbsPath("/apis", definitionGroup, "v1", definitionResource, s.definition()).Do(ctx).Error()
	var status apierrors.APIStatus
	switch {
	case err == nil:
		return fmt.Errorf("%s is defined, and the API server serves no version of it; netmaster reads %s", s.definition(), s.readable())
	case apierrors.IsForbidden(err):
		return nil
	case apierrors.IsNotFound(err) && errors.As(err, &status) && status.Status().Details != nil && status.Status().Details.Name == s.definition():
		return nil // others of this code mean that definitions are not served yet
	}
	return fmt.Errorf("ask for the definition of %s: %w", s.definition(), err)
}

// readable returns the supported versions of a kind.
func (s *source) readable() string {
	var out []string
	for _, v := range s.versions {
		out = append(out, v.Version)
	}
	return strings.Join(out, " and ")
}

// askTimeout is the maximum time of the API server's answer.
const askTimeout = 10 * time.Second

// get reads an answer of discovery.
func (d discovery) get(ctx context.Context, path string, into any) error {
	text, err := d.client.Get().AbsPath(path).SetHeader("Accept", "application/json").DoRaw(ctx)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		return fmt.Errorf("ask the API server what it serves: %s: %w", path, err)
	}
	return nil
}
