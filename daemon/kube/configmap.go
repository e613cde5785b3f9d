// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
)

// ConfigMap is a ConfigMap of an API server, which may not exist yet.
type ConfigMap struct {
	API       Config
	Namespace string
	Name      string
}

// Content is the content of a ConfigMap at a revision.
type Content struct {
	Data     map[string]string
	Revision string
}

// Errors of a ConfigMap.
var (
	ErrAbsent  = errors.New("the ConfigMap does not exist")
	ErrChanged = errors.New("the ConfigMap changed meanwhile")
)

func (m *ConfigMap) String() string { return "ConfigMap " + m.Name + " of namespace " + m.Namespace }

// ConfigMapRights are the permissions that netmaster's account needs for a ConfigMap in the namespace. RBAC cannot limit create to a name.
func ConfigMapRights(name string) []Right {
	return []Right{{Resources: []string{"configmaps"}, Verbs: []string{"create"}},
		{Resources: []string{"configmaps"}, Names: []string{name}, Verbs: []string{"get", "patch"}}}
}

// Read returns the content. It blocks until the API server has answered, for at most ten seconds. Errors: ErrAbsent; others may be retried.
func (m *ConfigMap) Read(ctx context.Context) (Content, error) {
	var out corev1.ConfigMap
	err := m.request(ctx, func(ctx context.Context, client *rest.RESTClient) error {
		return client.Get().Namespace(m.Namespace).Resource("configmaps").Name(m.Name).Do(ctx).Into(&out)
	})
	switch {
	case apierrors.IsNotFound(err):
		return Content{}, fmt.Errorf("%s: %w", m, ErrAbsent)
	case err != nil:
		return Content{}, fmt.Errorf("read %s: %w", m, err)
	}
	return Content{Data: out.Data, Revision: out.ResourceVersion}, nil
}

// Create creates the ConfigMap. It blocks like Read. Errors: ErrChanged if it exists; after others it may have been created.
func (m *ConfigMap) Create(ctx context.Context, data map[string]string) error {
	it := &corev1.ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: metav1.ObjectMeta{Namespace: m.Namespace, Name: m.Name,
		Labels: map[string]string{"app.kubernetes.io/part-of": "contiv"}}, Data: data}
	err := m.request(ctx, func(ctx context.Context, client *rest.RESTClient) error {
		return client.Post().Namespace(m.Namespace).Resource("configmaps").Body(it).Do(ctx).Error()
	})
	switch {
	case apierrors.IsAlreadyExists(err):
		return fmt.Errorf("%s: %w", m, ErrChanged)
	case err != nil:
		return fmt.Errorf("create %s: %w", m, err)
	}
	return nil
}

// Update changes the content that was read to data, and leaves labels and annotations. It blocks like Read. Errors: ErrChanged if the
// ConfigMap is not as it was read; after others it may have changed.
func (m *ConfigMap) Update(ctx context.Context, was Content, data map[string]string) error {
	change := map[string]any{}
	for k := range was.Data {
		change[k] = nil
	}
	for k, v := range data {
		change[k] = v
	}
	text, err := json.Marshal(map[string]any{"metadata": map[string]string{"resourceVersion": was.Revision}, "data": change})
	if err != nil {
		return err
	}
	err = m.request(ctx, func(ctx context.Context, client *rest.RESTClient) error {
		return client.Patch(types.MergePatchType).Namespace(m.Namespace).Resource("configmaps").Name(m.Name).Body(text).Do(ctx).Error()
	})
	switch {
	case apierrors.IsNotFound(err), apierrors.IsConflict(err):
		return fmt.Errorf("%s: %w", m, ErrChanged)
	case err != nil:
		return fmt.Errorf("change %s: %w", m, err)
	}
	return nil
}

// ReadyNodes returns the nodes of pods of the ConfigMap's namespace that have a label, KEY=VALUE, and are ready. It blocks like Read.
func (m *ConfigMap) ReadyNodes(ctx context.Context, label string) (nodes []string, err error) {
	var pods corev1.PodList
	err = m.request(ctx, func(ctx context.Context, client *rest.RESTClient) error {
		return client.Get().Namespace(m.Namespace).Resource("pods").VersionedParams(&metav1.ListOptions{LabelSelector: label}, metav1.ParameterCodec).Do(ctx).Into(&pods)
	})
	if err != nil {
		return nil, fmt.Errorf("list the pods with %s in %s: %w", label, m.Namespace, err)
	}
	for i := range pods.Items {
		for _, c := range pods.Items[i].Status.Conditions {
			if c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue {
				nodes = append(nodes, pods.Items[i].Spec.NodeName)
			}
		}
	}
	return nodes, nil
}

// request sends a request with a client, which reads the files of the configuration.
func (m *ConfigMap) request(ctx context.Context, send func(context.Context, *rest.RESTClient) error) error {
	config, err := m.API.client()
	if err != nil {
		return err
	}
	config.AcceptContentTypes, config.ContentType = "application/json", "application/json"
	client, err := clientOf(config, corev1.SchemeGroupVersion)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, reportTimeout)
	defer cancel()
	return send(ctx, client)
}
